package files

import (
	"bufio"
	"io"
	"os"
	"path/filepath"

	"github.com/pkg/errors"
)

// Write makes a file, or writes over one, and returns when it is on the disk. Its
// name is so only after SyncFolder.
func Write(path string, write func(io.Writer) error) (err error) {
	file, err := os.Create(path)
	if err != nil {
		return errors.WithStack(err)
	}
	defer func() {
		if closing := file.Close(); err == nil {
			err = errors.WithStack(closing)
		}
	}()
	buffered := bufio.NewWriterSize(file, 1<<20)
	if err := write(buffered); err != nil {
		return err
	}
	if err := buffered.Flush(); err != nil {
		return errors.WithStack(err)
	}
	return errors.WithStack(file.Sync())
}

// Replace writes a file that stands under its name whole or not at all: after a
// crash it is the old one or the new one.
func Replace(path string, write func(io.Writer) error) error {
	temporary := path + ".new"
	if err := Write(temporary, write); err != nil {
		os.Remove(temporary)
		return err
	}
	if err := os.Rename(temporary, path); err != nil {
		os.Remove(temporary)
		return errors.WithStack(err)
	}
	return SyncFolder(filepath.Dir(path))
}
