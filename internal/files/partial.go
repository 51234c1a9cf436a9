//go:build linux || darwin

package files

import (
	"io/fs"
	"os"
	"syscall"

	"github.com/pkg/errors"
	"golang.org/x/sys/unix"
)

// lockedPartial opens the file that is being made. Between its opening and its
// locking another process may have finished it and given it its name: then it is
// no longer the one of that name.
func lockedPartial(path string) (*File, error) {
	for {
		file, err := openPartial(path)
		if err != nil {
			return nil, err
		}
		if file == nil {
			continue
		}
		if err := file.lock(); err != nil {
			file.Close()
			return nil, errors.WithMessage(err, "the file is being made already")
		}
		mine, err := file.has(path)
		if err == nil && mine {
			return file, nil
		}
		file.Close()
		if err != nil {
			return nil, err
		}
	}
}

// openPartial opens a file that is to be written over, or makes it. It returns none
// if it has removed one that has another name, too: a crash has come between a link
// and the removal of the temporary name, and the other name may be that of a table.
func openPartial(path string) (*File, error) {
	if info, err := lstat(path); err == nil && !info.Mode().IsRegular() {
		return nil, inTheWay(path, info)
	} else if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	file, err := openFile(path, os.O_RDWR|os.O_CREATE|unix.O_NOFOLLOW|unix.O_NONBLOCK)
	if err != nil {
		return nil, err
	}
	info, err := file.Stat()
	switch {
	case err != nil:
	case !info.Mode().IsRegular():
		err = inTheWay(path, info)
	case info.Sys().(*syscall.Stat_t).Nlink > 1:
		var mine bool
		if mine, err = file.has(path); mine {
			err = remove(path)
		}
	default:
		return file, nil
	}
	file.Close()
	return nil, err
}

// has tells whether a file has a name.
func (f *File) has(path string) (bool, error) {
	mine, err := f.Stat()
	if err != nil {
		return false, err
	}
	named, err := lstat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	return err == nil && os.SameFile(mine, named), err
}
