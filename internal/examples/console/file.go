package console

import (
	"io"
	"os"
	"path/filepath"

	"github.com/pkg/errors"
)

// WriteFile writes a file under a temporary name and then renames it: whenever the
// program ends, path is the old file or the new one, and never a part of it.
func WriteFile(path string, write func(io.Writer) error) (err error) {
	f, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+"-*")
	if err != nil {
		return errors.WithStack(err)
	}
	defer func() {
		if err != nil {
			_ = os.Remove(f.Name()) // the first error is the one to report
		}
	}()
	err = write(f)
	if chmodErr := f.Chmod(0o644); err == nil {
		err = errors.WithStack(chmodErr)
	}
	if closeErr := f.Close(); err == nil {
		err = errors.WithStack(closeErr)
	}
	if err != nil {
		return err
	}
	return errors.WithStack(os.Rename(f.Name(), path))
}
