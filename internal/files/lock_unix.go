//go:build linux || darwin

package files

import (
	"os"

	"github.com/pkg/errors"
	"golang.org/x/sys/unix"
)

// ErrLocked is a file or folder that someone else writes to.
var ErrLocked = errors.New("in use: it is open for writing elsewhere")

// lock makes the file that of this opening of it alone, until it is closed or the
// process ends. A file system without locks is passed over.
func lock(file *os.File) error {
	for {
		switch err := unix.Flock(int(file.Fd()), unix.LOCK_EX|unix.LOCK_NB); err {
		case nil, unix.ENOSYS, unix.EOPNOTSUPP, unix.ENOLCK:
			return nil
		case unix.EINTR:
		case unix.EWOULDBLOCK:
			return errors.Wrapf(ErrLocked, "%s", file.Name())
		default:
			return errors.Wrapf(err, "%s: locking", file.Name())
		}
	}
}

func unlock(file *os.File) { _ = unix.Flock(int(file.Fd()), unix.LOCK_UN) }

// LockFolder makes the folder that of the caller alone, until release is called or
// the process ends.
func LockFolder(path string) (release func(), err error) {
	folder, err := os.Open(path)
	if err != nil {
		return nil, errors.WithStack(err)
	}
	if err := lock(folder); err != nil {
		folder.Close()
		return nil, err
	}
	return func() { folder.Close() }, nil
}
