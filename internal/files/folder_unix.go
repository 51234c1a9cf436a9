//go:build unix

package files

import (
	"os"
	"syscall"

	"github.com/pkg/errors"
)

// SyncFolder waits until the names in a folder are on the disk, where the file system
// can do that.
func SyncFolder(path string) error {
	folder, err := openFile(path, os.O_RDONLY)
	if err != nil {
		return err
	}
	defer folder.Close()
	if err := folder.sync(); !errors.Is(err, syscall.EINVAL) && !errors.Is(err, syscall.ENOTSUP) {
		return err
	}
	return nil
}
