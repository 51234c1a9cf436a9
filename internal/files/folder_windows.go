package files

import (
	"io/fs"

	"github.com/pkg/errors"
	"golang.org/x/sys/windows"
)

// SyncFolder waits until the names in a folder are on the disk, where the file system
// can do that and lets the caller: FlushFileBuffers wants a folder that is open for writing.
func SyncFolder(path string) error {
	name, err := windows.UTF16PtrFromString(path)
	if err != nil {
		return errors.WithStack(&fs.PathError{Op: "open", Path: path, Err: err})
	}
	var folder windows.Handle
	err = call("open", path, func() (err error) {
		const share = windows.FILE_SHARE_READ | windows.FILE_SHARE_WRITE | windows.FILE_SHARE_DELETE
		folder, err = windows.CreateFile(name, windows.GENERIC_WRITE, share, nil, windows.OPEN_EXISTING, windows.FILE_FLAG_BACKUP_SEMANTICS, 0)
		return err
	})
	if err == nil {
		err = call("fsync", path, func() error { return windows.FlushFileBuffers(folder) })
		_ = call("close", path, func() error { return windows.CloseHandle(folder) })
	}
	switch err {
	case nil, windows.ERROR_ACCESS_DENIED, windows.ERROR_INVALID_FUNCTION, windows.ERROR_INVALID_HANDLE, windows.ERROR_NOT_SUPPORTED:
		return nil
	}
	return errors.WithStack(&fs.PathError{Op: "fsync", Path: path, Err: err})
}
