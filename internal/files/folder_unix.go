//go:build unix

package files

import (
	"os"

	"github.com/pkg/errors"
)

// SyncFolder waits until the names in a folder are on the disk.
func SyncFolder(path string) error {
	folder, err := os.Open(path)
	if err != nil {
		return errors.WithStack(err)
	}
	defer folder.Close()
	return errors.WithStack(folder.Sync())
}
