package files

import (
	"bufio"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/pkg/errors"
)

// What is made here gets its name when it is whole. Nothing is removed after that,
// whatever fails: it counts, and what it replaces is gone.

// Partial is behind the name of a file or folder that is being made.
const Partial = ".partial"

// Write makes a file that is not there, and returns when it is on the disk. Its name
// is so only after SyncFolder.
func Write(path string, write func(io.Writer) error) (err error) {
	file, err := openFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL)
	if err != nil {
		return err
	}
	defer func() {
		if closing := file.Close(); err == nil {
			err = closing
		}
	}()
	buffered := bufio.NewWriterSize(file, 1<<16) // a block of more goes past it
	if err := write(buffered); err != nil {
		return err
	}
	if err := buffered.Flush(); err != nil {
		return err
	}
	return file.sync()
}

// Replace writes a file that stands under its name whole or not at all: after a
// crash it is the old one or the new one, and after an error, too.
func Replace(path string, write func(io.Writer) error) error {
	temporary := path + ".new"
	if err := removeOld(temporary, fs.FileMode.IsRegular); err != nil {
		return err
	}
	err := Write(temporary, write)
	if err == nil {
		err = rename(temporary, path)
	}
	if err != nil {
		_ = remove(temporary) // the next one removes it
		return err
	}
	return SyncFolder(filepath.Dir(path))
}

// CreateFolder makes a folder, which stands under its name with all that fill writes
// into another one, or not at all.
func CreateFolder(path string, fill func(folder string) error) error {
	temporary := path + Partial
	if err := removeOld(temporary, fs.FileMode.IsDir); err != nil {
		return err
	}
	if err := Mkdir(temporary); err != nil {
		return err
	}
	err := fill(temporary)
	if err == nil {
		err = rename(temporary, path)
	}
	if err != nil {
		_ = RemoveAll(temporary) // the next one removes it
		return err
	}
	return SyncFolder(filepath.Dir(path))
}

// removeOld removes what a crash has left under a temporary name. Anything but what is
// made under it belongs to somebody else.
func removeOld(path string, ours func(fs.FileMode) bool) error {
	info, err := lstat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return err
	case !ours(info.Mode()):
		return inTheWay(path, info)
	}
	return RemoveAll(path)
}

func inTheWay(path string, info fs.FileInfo) error {
	return errors.Errorf("%s is in the way (%v): the name is needed for a while, remove or rename what has it", path, info.Mode())
}

// Move gives a file or folder another name, which nothing may have.
func Move(from, to string) error {
	if err := name(from, to); err != nil {
		return err
	}
	return SyncFolder(filepath.Dir(to))
}

// vacant refuses a name that is taken.
func vacant(path string) error {
	taken, err := Exists(path)
	if taken {
		return errors.Wrapf(fs.ErrExist, "%s", path)
	}
	return err
}

// MakeFolder makes a folder and those above it, if they are missing, and waits until
// their names are on the disk.
func MakeFolder(path string) error {
	info, err := stat(path)
	if err == nil && info.IsDir() {
		return nil
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if parent := filepath.Dir(path); parent != path && err != nil {
		if err := MakeFolder(parent); err != nil {
			return err
		}
	}
	if err := Mkdir(path); err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	if info, err := stat(path); err != nil {
		return err
	} else if !info.IsDir() {
		return errors.Errorf("%s is not a directory", path)
	}
	return SyncFolder(filepath.Dir(path))
}
