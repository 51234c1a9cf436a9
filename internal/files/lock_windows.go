package files

import (
	"os"
	"path/filepath"

	"github.com/pkg/errors"
	"golang.org/x/sys/windows"
)

// lockName is the file whose lock is that of its folder: Windows locks parts of files,
// and no folders. It stays, for another process may be about to lock it.
const lockName = ".lock"

// LockFolder makes the folder that of the caller alone, until release is called or
// the process ends.
func LockFolder(path string) (release func(), err error) {
	file, err := openFile(filepath.Join(path, lockName), os.O_RDWR|os.O_CREATE)
	if err != nil {
		return nil, err
	}
	whole := windows.Overlapped{} // from its first byte
	err = call("flock", path, func() error {
		const mode = windows.LOCKFILE_EXCLUSIVE_LOCK | windows.LOCKFILE_FAIL_IMMEDIATELY
		return windows.LockFileEx(windows.Handle(file.file.Fd()), mode, 0, 1, 0, &whole)
	})
	switch err {
	case nil, windows.ERROR_NOT_SUPPORTED, windows.ERROR_CALL_NOT_IMPLEMENTED, windows.ERROR_INVALID_FUNCTION: // a file system without locks
		return func() {
			_ = call("unlock", path, func() error { return windows.UnlockFileEx(windows.Handle(file.file.Fd()), 0, 1, 0, &whole) })
			file.Close()
		}, nil
	case windows.ERROR_LOCK_VIOLATION, windows.ERROR_IO_PENDING:
		err = ErrLocked
	}
	file.Close()
	return nil, errors.Wrapf(err, "%s: locking", path)
}
