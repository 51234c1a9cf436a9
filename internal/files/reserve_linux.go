package files

import (
	"github.com/pkg/errors"
	"golang.org/x/sys/unix"
)

// reserve gives an empty file its size and all of its blocks. A file with holes
// in it would be as large, but a page of it that finds the disk full when it is
// written ends the process by a signal that nobody can catch.
func (f *File) reserve(size int64) error {
	err := f.fallocate(0, size)
	if errors.Is(err, unix.EOPNOTSUPP) || errors.Is(err, unix.ENOSYS) {
		return f.writeZeros(size)
	}
	return err
}

// fillHoles gives blocks to the holes of a file, and changes nothing else. Where
// the file system cannot, they stay.
func (f *File) fillHoles(size int64) error {
	err := f.fallocate(unix.FALLOC_FL_KEEP_SIZE, size)
	if errors.Is(err, unix.EOPNOTSUPP) || errors.Is(err, unix.ENOSYS) {
		return nil
	}
	return err
}

func (f *File) fallocate(mode uint32, size int64) error {
	return call("fallocate", f.path, func() error { return unix.Fallocate(int(f.file.Fd()), mode, 0, size) })
}
