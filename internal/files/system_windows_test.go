package files_test

import (
	"errors"
	"io/fs"
	"path/filepath"
	"testing"

	"golang.org/x/sys/windows"
	"gorgonia.org/gather/internal/files"
)

// failing makes the calls of a name fail until restore, and counts them.
func failing(call string, err error, calls *int) (restore func()) {
	return files.Intercept(func(name, path string, do func() error) error {
		if name != call {
			return do()
		}
		*calls++
		return err
	})
}

// TestSyncFolder syncs, and returns its error but where it is not to be had.
func TestSyncFolder(t *testing.T) {
	folder := t.TempDir()
	for errno, want := range map[error]bool{
		nil: false, windows.ERROR_ACCESS_DENIED: false, windows.ERROR_INVALID_FUNCTION: false, windows.ERROR_INVALID_HANDLE: false,
		windows.ERROR_NOT_SUPPORTED: false, windows.ERROR_DISK_FULL: true, windows.ERROR_WRITE_FAULT: true,
	} {
		synced := 0
		restore := failing("fsync", errno, &synced)
		err := files.SyncFolder(folder)
		restore()
		if synced != 1 || err != nil != want || want && !errors.Is(err, errno) {
			t.Errorf("%v: %d syncs, error %v", errno, synced, err)
		}
	}
	if err := files.SyncFolder(folder); err != nil {
		t.Error(err)
	}
	if err := files.SyncFolder(filepath.Join(folder, "missing")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("no folder: error %v", err)
	}
	if err := files.SyncFolder("a\x00b"); err == nil {
		t.Error("no error of a name that cannot be")
	}
}

// TestLocks: a file system without locks is passed over, an error that is none of that is returned.
func TestLocks(t *testing.T) {
	for errno, want := range map[error]error{
		windows.ERROR_NOT_SUPPORTED: nil, windows.ERROR_CALL_NOT_IMPLEMENTED: nil, windows.ERROR_INVALID_FUNCTION: nil,
		windows.ERROR_LOCK_VIOLATION: files.ErrLocked, windows.ERROR_IO_PENDING: files.ErrLocked, windows.ERROR_WRITE_FAULT: windows.ERROR_WRITE_FAULT,
	} {
		calls := 0
		restore := failing("flock", errno, &calls)
		release, err := files.LockFolder(t.TempDir())
		restore()
		if calls != 1 || !errors.Is(err, want) || err == nil && want != nil {
			t.Errorf("%v: %d calls, error %v, want %v", errno, calls, err, want)
		}
		if err == nil {
			release()
		}
	}
	if _, err := files.LockFolder(filepath.Join(t.TempDir(), "missing")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("no folder: error %v", err)
	}
}
