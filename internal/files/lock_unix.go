//go:build linux || darwin

package files

import (
	"os"

	"github.com/pkg/errors"
	"golang.org/x/sys/unix"
)

// lock makes the file that of this opening of it alone, until it is closed or the
// process ends. A file system without locks is passed over.
func (f *File) lock() error {
	err := call("flock", f.path, func() error { return unix.Flock(int(f.file.Fd()), unix.LOCK_EX|unix.LOCK_NB) })
	switch err {
	case nil, unix.ENOSYS, unix.EOPNOTSUPP, unix.ENOLCK:
		return nil
	case unix.EWOULDBLOCK:
		return errors.Wrapf(ErrLocked, "%s", f.path)
	}
	return errors.Wrapf(err, "%s: locking", f.path)
}

func (f *File) unlock() {
	_ = call("unlock", f.path, func() error { return unix.Flock(int(f.file.Fd()), unix.LOCK_UN) })
}

// LockFolder makes the folder that of the caller alone, until release is called or
// the process ends.
func LockFolder(path string) (release func(), err error) {
	folder, err := openFile(path, os.O_RDONLY)
	if err != nil {
		return nil, err
	}
	if err := folder.lock(); err != nil {
		folder.Close()
		return nil, err
	}
	return func() { folder.Close() }, nil
}
