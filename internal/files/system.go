package files

import (
	"io/fs"
	"os"
	"path/filepath"
	"sync/atomic"
	"syscall"

	"github.com/pkg/errors"
)

// All calls into the file system are made here and in the files of one system, and
// all by way of call: so a test can make each of them fail.

var interceptor atomic.Pointer[func(name, path string, do func() error) error]

// Intercept puts a function in the place of every call that follows, until restore.
// It gets the name and the path of the call; do makes it. For tests.
func Intercept(f func(name, path string, do func() error) error) (restore func()) {
	old := interceptor.Swap(&f)
	return func() { interceptor.Store(old) }
}

// call makes a call, again if a signal has interrupted it.
func call(name, path string, do func() error) error {
	for {
		var err error
		if f := interceptor.Load(); f != nil {
			err = (*f)(name, path, do)
		} else {
			err = do()
		}
		if !errors.Is(err, syscall.EINTR) {
			return err
		}
	}
}

// File is an os.File.
type File struct {
	file *os.File
	path string // that it has now
}

func openFile(path string, flag int) (*File, error) {
	f := &File{path: path}
	err := call("open", path, func() (err error) {
		f.file, err = os.OpenFile(path, flag, 0o666)
		return err
	})
	if err != nil {
		return nil, errors.WithStack(err)
	}
	return f, nil
}

// OpenRegular opens a file to read it. A pipe would wait for its writer, so nothing
// else is opened.
func OpenRegular(path string) (*File, error) {
	if _, err := StatRegular(path); err != nil {
		return nil, err
	}
	return openFile(path, os.O_RDONLY)
}

// StatRegular is os.Stat of a regular file; what is none is an error.
func StatRegular(path string) (fs.FileInfo, error) {
	info, err := stat(path)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, errors.Errorf("%s is no regular file (%v)", path, info.Mode())
	}
	return info, nil
}

// Read is that of an os.File, as are the methods that follow.
func (f *File) Read(p []byte) (n int, err error) {
	err = call("read", f.path, func() (err error) { n, err = f.file.Read(p); return err })
	return n, err
}

func (f *File) Write(p []byte) (n int, err error) {
	err = call("write", f.path, func() (err error) { n, err = f.file.Write(p); return err })
	return n, errors.WithStack(err)
}

// Seek is that of an os.File.
func (f *File) Seek(offset int64, whence int) (at int64, err error) {
	err = call("seek", f.path, func() (err error) { at, err = f.file.Seek(offset, whence); return err })
	return at, errors.WithStack(err)
}

// Stat is that of an os.File.
func (f *File) Stat() (info fs.FileInfo, err error) {
	err = call("fstat", f.path, func() (err error) { info, err = f.file.Stat(); return err })
	return info, errors.WithStack(err)
}

// Close is that of an os.File.
func (f *File) Close() error {
	err := call("close", f.path, f.file.Close)
	if errors.Is(err, fs.ErrClosed) { // by the call that a signal has interrupted
		return nil
	}
	return errors.WithStack(err)
}

func (f *File) truncate(size int64) error {
	return errors.WithStack(call("truncate", f.path, func() error { return f.file.Truncate(size) }))
}

func (f *File) sync() error {
	return errors.WithStack(call("fsync", f.path, f.file.Sync))
}

func stat(path string) (info fs.FileInfo, err error) {
	err = call("stat", path, func() (err error) { info, err = os.Stat(path); return err })
	return info, errors.WithStack(err)
}

func lstat(path string) (info fs.FileInfo, err error) {
	err = call("lstat", path, func() (err error) { info, err = os.Lstat(path); return err })
	return info, errors.WithStack(err)
}

// ErrReadOnly is the cause of an error of a file system that takes no changes.
const ErrReadOnly = syscall.EROFS

// Exists tells whether a name is taken, if only by a link that leads nowhere.
func Exists(path string) (bool, error) {
	_, err := lstat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	return err == nil, err
}

// Resolve is the name of a file, absolute and without symbolic links.
func Resolve(path string) (resolved string, err error) {
	err = call("readlink", path, func() (err error) {
		if resolved, err = filepath.Abs(path); err == nil {
			resolved, err = filepath.EvalSymlinks(resolved)
		}
		return err
	})
	return resolved, errors.WithStack(err)
}

// ReadDir is os.ReadDir.
func ReadDir(path string) (entries []fs.DirEntry, err error) {
	err = call("readdir", path, func() (err error) { entries, err = os.ReadDir(path); return err })
	return entries, errors.WithStack(err)
}

// Mkdir is os.Mkdir.
func Mkdir(path string) error {
	return errors.WithStack(call("mkdir", path, func() error { return os.Mkdir(path, 0o777) }))
}

// RemoveAll is os.RemoveAll.
func RemoveAll(path string) error {
	return errors.WithStack(call("removeall", path, func() error { return os.RemoveAll(path) }))
}

func remove(path string) error {
	return errors.WithStack(call("remove", path, func() error { return os.Remove(path) }))
}

func rename(from, to string) error {
	return errors.WithStack(call("rename", to, func() error { return os.Rename(from, to) }))
}

func link(from, to string) error {
	return errors.WithStack(call("link", to, func() error { return os.Link(from, to) }))
}
