//go:build linux || darwin

package files_test

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"

	"gorgonia.org/gather/internal/files"
)

// TestTwoNames: a crash between a link and the removal of the temporary name leaves one
// file of two names. It keeps its content when it gets a third one and its second is made anew.
func TestTwoNames(t *testing.T) {
	path := filepath.Join(t.TempDir(), "file")
	m, err := files.Create(path, 5000, write('a'))
	ok(t, err)
	ok(t, m.Close(true))
	ok(t, os.Link(path, path+".partial"))
	ok(t, os.Rename(path, path+".old"))
	m, err = files.Create(path, 5000, write('b'))
	ok(t, err)
	ok(t, m.Close(true))
	content(t, path+".old", 'a', 5000)
	content(t, path, 'b', 5000)
	alone(t, path, 2)

	// Also while it is in use.
	old, err := files.Open(path+".old", false)
	ok(t, err)
	ok(t, os.Remove(path))
	ok(t, os.Link(path+".old", path+".partial"))
	m, err = files.Create(path, 5000, write('c'))
	ok(t, err)
	ok(t, m.Close(true))
	ok(t, old.Close(true))
	content(t, path+".old", 'a', 5000)
	alone(t, path, 2)

	// And of a file that is replaced.
	ok(t, os.Link(path+".old", path+".new"))
	ok(t, files.Replace(path, func(w io.Writer) error { _, err := io.WriteString(w, "d"); return err }))
	content(t, path+".old", 'a', 5000)
	content(t, path, 'd', 1)
	alone(t, path, 2)
}

// TestInTheWay: what is no leftover of a crash is neither written to nor removed, nor
// waited for.
func TestInTheWay(t *testing.T) {
	for name, put := range map[string]func(path string) error{
		"a link":        func(path string) error { return os.Symlink(filepath.Join(filepath.Dir(path), "precious"), path) },
		"a broken link": func(path string) error { return os.Symlink("nowhere", path) },
		"a pipe":        func(path string) error { return syscall.Mkfifo(path, 0o600) },
		"a folder":      func(path string) error { return os.MkdirAll(filepath.Join(path, "below"), 0o777) },
	} {
		for _, c := range []struct {
			behind string
			make   func(path string) error
		}{
			{".partial", func(path string) error { _, err := files.Create(path, 5000, write('a')); return err }},
			{".new", func(path string) error { return files.Replace(path, func(io.Writer) error { return nil }) }},
			{".partial", func(path string) error { return files.CreateFolder(path, func(string) error { return nil }) }},
		} {
			folder := t.TempDir()
			path := filepath.Join(folder, "file")
			precious := filepath.Join(folder, "precious")
			ok(t, os.WriteFile(precious, []byte("p"), 0o600))
			ok(t, put(path+c.behind))
			before, err := os.Lstat(path + c.behind)
			ok(t, err)
			err = c.make(path)
			if name == "a folder" && err == nil { // as a folder's own leftover is
				if _, err := os.Stat(path + c.behind); !errors.Is(err, fs.ErrNotExist) {
					t.Errorf("%s: error %v", name, err)
				}
				continue
			}
			if err == nil || !strings.Contains(err.Error(), path+c.behind+" is in the way") || !strings.Contains(err.Error(), "remove or rename") {
				t.Errorf("%s at %s: error %v", name, c.behind, err)
			}
			if after, err := os.Lstat(path + c.behind); err != nil || !os.SameFile(before, after) {
				t.Errorf("%s at %s: it is %v, error %v", name, c.behind, after, err)
			}
			content(t, precious, 'p', 1)
			alone(t, path, 2)
		}
	}
}

// TestReplacedPartial: a file that lost its temporary name to another one is not
// mistaken for it.
func TestReplacedPartial(t *testing.T) {
	path := filepath.Join(t.TempDir(), "file")
	for name, change := range map[string]func(){
		"removed":  func() { ok(t, os.Remove(path+".partial")) },
		"replaced": func() { ok(t, os.Remove(path+".partial")); ok(t, os.WriteFile(path+".partial", []byte("half"), 0o600)) },
	} {
		_, err := files.Create(path, 5000, func([]byte) error { change(); return nil })
		if err == nil || !strings.Contains(err.Error(), "is "+path+" made elsewhere, too?") {
			t.Errorf("%s: error %v", name, err)
		}
		if _, err := os.Lstat(path); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%s: the file is there, error %v", name, err)
		}
		if left, err := os.ReadFile(path + ".partial"); name == "replaced" && (err != nil || string(left) != "half") {
			t.Errorf("somebody else's file is %q, error %v", left, err)
		}
		_ = os.Remove(path + ".partial")
	}
}

// TestUnknown: where the system cannot say whether a name is taken, nothing is made.
func TestUnknown(t *testing.T) {
	refuse(t, map[string]syscall.Errno{"lstat": syscall.EIO, "stat": syscall.EIO})
	path := filepath.Join(t.TempDir(), "file")
	for name, err := range map[string]error{
		"Create":       func() error { _, err := files.Create(path, 10, write('a')); return err }(),
		"Replace":      files.Replace(path, func(io.Writer) error { return nil }),
		"CreateFolder": files.CreateFolder(path, func(string) error { return nil }),
		"MakeFolder":   files.MakeFolder(path),
		"OpenRegular":  func() error { _, err := files.OpenRegular(path); return err }(),
		"Exists":       func() error { _, err := files.Exists(path); return err }(),
	} {
		if !errors.Is(err, syscall.EIO) {
			t.Errorf("%s: error %v", name, err)
		}
	}
	alone(t, path, 0)
}

// TestFailingClose: what a close says of a file that was written is returned.
func TestFailingClose(t *testing.T) {
	path := filepath.Join(t.TempDir(), "file")
	m, err := files.Create(path, 10, write('a'))
	ok(t, err)
	t.Cleanup(files.Intercept(func(name, path string, do func() error) error {
		if err := do(); name != "close" || err != nil {
			return err
		}
		return &fs.PathError{Op: name, Path: path, Err: syscall.EIO}
	}))
	if err := m.Close(true); !errors.Is(err, syscall.EIO) {
		t.Errorf("a mapped file: error %v", err)
	}
	if err := files.Write(path+"2", func(io.Writer) error { return nil }); !errors.Is(err, syscall.EIO) {
		t.Errorf("a written file: error %v", err)
	}
}

// refuse makes the calls of these names fail. Others are made.
func refuse(t *testing.T, fails map[string]syscall.Errno) {
	t.Helper()
	t.Cleanup(files.Intercept(func(name, path string, do func() error) error {
		if errno, found := fails[name]; found {
			return &fs.PathError{Op: name, Path: path, Err: errno}
		}
		return do()
	}))
}

// TestNames takes a name in each of the ways that file systems have, and never one that
// is taken.
func TestNames(t *testing.T) {
	for name, fails := range map[string]map[string]syscall.Errno{
		"rename":                     {},
		"link, old system":           {"rename exclusively": syscall.ENOSYS},
		"link, other file system":    {"rename exclusively": syscall.EINVAL},
		"link, a third one":          {"rename exclusively": syscall.ENOTSUP},
		"rename, where no links are": {"rename exclusively": syscall.EINVAL, "link": syscall.EPERM},
	} {
		t.Run(name, func(t *testing.T) {
			refuse(t, fails)
			folder := t.TempDir()
			path, from := filepath.Join(folder, "file"), filepath.Join(folder, "from")
			ok(t, os.WriteFile(from, []byte("a"), 0o600))
			ok(t, files.Move(from, path))
			content(t, path, 'a', 1)
			alone(t, path, 1)
			ok(t, os.WriteFile(from, []byte("b"), 0o600))
			if err := files.Move(from, path); !errors.Is(err, fs.ErrExist) {
				t.Errorf("a name that is taken: error %v", err)
			}
			content(t, path, 'a', 1)
			content(t, from, 'b', 1)
			below := filepath.Join(folder, "below")
			ok(t, os.Mkdir(below, 0o700))
			ok(t, files.Move(below, below+"2"))
			if info, err := os.Stat(below + "2"); err != nil || !info.IsDir() {
				t.Errorf("a folder: %v, error %v", info, err)
			}
		})
	}
	refuse(t, map[string]syscall.Errno{"rename exclusively": syscall.EIO})
	from := filepath.Join(t.TempDir(), "from")
	ok(t, os.WriteFile(from, []byte("a"), 0o600))
	if err := files.Move(from, from+"2"); !errors.Is(err, syscall.EIO) || !strings.Contains(err.Error(), "renaming "+from+" to "+from+"2") {
		t.Errorf("error %v", err)
	}
}

// TestOneOfManyCreates: of many that make one file one does, and no other one removes or
// changes it, also where names are links for a moment.
func TestOneOfManyCreates(t *testing.T) {
	for _, fails := range []map[string]syscall.Errno{{}, {"rename exclusively": syscall.EINVAL}} {
		refuse(t, fails)
		for round := range 30 {
			path := filepath.Join(t.TempDir(), "file")
			var wait sync.WaitGroup
			var made atomic.Int32
			for i := range 8 {
				wait.Add(1)
				go func() {
					defer wait.Done()
					m, err := files.Create(path, 5000, write(byte('a'+i)))
					if err != nil {
						return
					}
					made.Add(1)
					content(t, path, byte('a'+i), 5000)
					if err := m.Close(true); err != nil {
						t.Error(err)
					}
				}()
			}
			wait.Wait()
			if n := made.Load(); n != 1 {
				t.Fatalf("round %d: %d have made the file", round, n)
			}
			alone(t, path, 1)
		}
	}
}

// TestSyncFolder syncs, and returns its error but where the file system has no such thing.
func TestSyncFolder(t *testing.T) {
	folder := t.TempDir()
	for errno, want := range map[syscall.Errno]bool{0: false, syscall.EIO: true, syscall.ENOSPC: true, syscall.EINVAL: false, syscall.ENOTSUP: false} {
		synced := 0
		restore := files.Intercept(func(name, path string, do func() error) error {
			if name != "fsync" {
				return do()
			}
			synced++
			if errno != 0 {
				return &fs.PathError{Op: name, Path: path, Err: errno}
			}
			return nil
		})
		err := files.SyncFolder(folder)
		restore()
		if synced != 1 || err != nil != want || want && !errors.Is(err, errno) {
			t.Errorf("%v: %d fsyncs, error %v", errno, synced, err)
		}
	}
	ok(t, files.SyncFolder(folder))
	if err := files.SyncFolder(filepath.Join(folder, "missing")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("no folder: error %v", err)
	}
}

// TestLocks: a file system without locks is passed over, an error that is none of that is returned.
func TestLocks(t *testing.T) {
	for errno, want := range map[syscall.Errno]error{
		syscall.ENOSYS: nil, syscall.ENOTSUP: nil, syscall.ENOLCK: nil,
		syscall.EWOULDBLOCK: files.ErrLocked, syscall.EIO: syscall.EIO,
	} {
		restore := files.Intercept(func(name, path string, do func() error) error {
			if name == "flock" {
				return errno
			}
			return do()
		})
		release, err := files.LockFolder(t.TempDir())
		restore()
		if !errors.Is(err, want) || err == nil && want != nil {
			t.Errorf("%v: error %v, want %v", errno, err, want)
		}
		if err == nil {
			release()
		}
	}
}

// TestCreateFolder makes a folder whole or not at all.
func TestCreateFolder(t *testing.T) {
	path := filepath.Join(t.TempDir(), "folder")
	fill := func(text string, err error) func(string) error {
		return func(folder string) error {
			if _, err := os.Stat(path); !errors.Is(err, fs.ErrNotExist) {
				t.Errorf("the folder has its name before it is whole: %v", err)
			}
			ok(t, os.WriteFile(filepath.Join(folder, "file"), []byte(text), 0o600))
			return err
		}
	}
	broken := errors.New("broken")
	if err := files.CreateFolder(path, fill("half", broken)); !errors.Is(err, broken) {
		t.Errorf("error %v", err)
	}
	alone(t, path, 0)
	ok(t, os.MkdirAll(filepath.Join(path+".partial", "left"), 0o700))
	ok(t, files.CreateFolder(path, fill("a", nil)))
	alone(t, path, 1)
	alone(t, filepath.Join(path, "file"), 1)
	content(t, filepath.Join(path, "file"), 'a', 1)
	if err := files.CreateFolder(path, func(folder string) error { return os.WriteFile(filepath.Join(folder, "file"), nil, 0o600) }); err == nil {
		t.Error("a folder that is there is replaced")
	}
	content(t, filepath.Join(path, "file"), 'a', 1)
	alone(t, path, 1)
}
