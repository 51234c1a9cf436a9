package files

import (
	"bufio"
	"io"
	"io/fs"
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

// MakeFolder makes a folder and those above it, if they are missing, and waits until
// their names are on the disk.
func MakeFolder(path string) error {
	info, err := os.Stat(path)
	if err == nil && info.IsDir() {
		return nil
	}
	if parent := filepath.Dir(path); parent != path && errors.Is(err, fs.ErrNotExist) {
		if err := MakeFolder(parent); err != nil {
			return err
		}
	}
	if err := os.Mkdir(path, 0o777); err != nil && !errors.Is(err, fs.ErrExist) {
		return errors.WithStack(err)
	}
	if info, err := os.Stat(path); err != nil {
		return errors.WithStack(err)
	} else if !info.IsDir() {
		return errors.Errorf("%s is not a directory", path)
	}
	return SyncFolder(filepath.Dir(path))
}
