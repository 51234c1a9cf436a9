package files

import (
	"os"

	"github.com/pkg/errors"
	"golang.org/x/sys/unix"
)

// reserve gives an empty file its size and all of its blocks. A file with holes
// in it would be as large, but a page of it that finds the disk full when it is
// written ends the process by a signal that nobody can catch.
func reserve(file *os.File, size int64) error {
	err := fallocate(file, 0, size)
	if errors.Is(err, unix.EOPNOTSUPP) || errors.Is(err, unix.ENOSYS) {
		return writeZeros(file, size)
	}
	return err
}

// fillHoles gives blocks to the holes of a file, and changes nothing else. Where
// the file system cannot, they stay.
func fillHoles(file *os.File, size int64) error {
	err := fallocate(file, unix.FALLOC_FL_KEEP_SIZE, size)
	if errors.Is(err, unix.EOPNOTSUPP) || errors.Is(err, unix.ENOSYS) {
		return nil
	}
	return err
}

func fallocate(file *os.File, mode uint32, size int64) error {
	for {
		err := unix.Fallocate(int(file.Fd()), mode, 0, size)
		if err != unix.EINTR {
			return err
		}
	}
}
