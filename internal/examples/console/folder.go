package console

import (
	"os"

	"github.com/pkg/errors"
)

// Folder makes the folder if it is missing, and proves that a file can be
// written there. Call it before the work, so that a wrong path costs a second
// and not the minutes of training it would throw away.
//
// Permission bits cannot answer the question (root ignores them, a read-only
// file system overrules them), so it writes a file and removes it.
func Folder(path string) error {
	if err := os.MkdirAll(path, 0o755); err != nil {
		return errors.Wrapf(err, "cannot make the output folder %q", path)
	}
	probe, err := os.CreateTemp(path, ".writable-*")
	if err != nil {
		return errors.Wrapf(err, "cannot write to the output folder %q", path)
	}
	_, err = probe.WriteString("x")
	if closeErr := probe.Close(); err == nil {
		err = closeErr
	}
	if removeErr := os.Remove(probe.Name()); err == nil {
		err = removeErr
	}
	return errors.Wrapf(err, "cannot write to the output folder %q", path)
}
