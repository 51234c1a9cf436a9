//go:build linux || darwin

package files

import (
	"io/fs"
	"math"
	"os"
	"path/filepath"

	"github.com/pkg/errors"
	"golang.org/x/sys/unix"
)

// Mapped is a file whose content is memory.
//
// Of memory outside of Go's heap the garbage collector knows nothing: who holds a
// view of it holds no Mapped. So the owner says at Close whether it may be unmapped.
type Mapped struct {
	mem      []byte
	file     *os.File // nil once closed
	readOnly bool
}

// partial is behind the name of a file that is being made.
const partial = ".partial"

// Create makes a file of so many bytes, which fill writes, and keeps it mapped. It
// has no name but a temporary one before it is whole and on the disk: what a crash
// leaves is not mistaken for it, and is written over by the next Create of that
// name. A file that is there already is an error.
func Create(path string, size int64, fill func(mem []byte) error) (*Mapped, error) {
	if size <= 0 || size > math.MaxInt {
		return nil, errors.Errorf("%s: a file of %d bytes cannot be mapped; this system allows %d", path, size, math.MaxInt)
	}
	if err := vacant(path); err != nil {
		return nil, err
	}
	file, err := lockedPartial(path + partial)
	if err != nil {
		return nil, err
	}
	m := &Mapped{file: file}
	whole := false
	defer func() {
		if !whole { // fill may panic, too
			m.abandon(path + partial)
		}
	}()
	if err := m.make(path, size, fill); err != nil {
		return nil, err
	}
	whole = true
	return m, nil
}

// vacant refuses a name that is taken.
func vacant(path string) error {
	if _, err := os.Lstat(path); err == nil {
		return errors.Wrapf(fs.ErrExist, "%s", path)
	} else if !errors.Is(err, fs.ErrNotExist) {
		return errors.WithStack(err)
	}
	return nil
}

// lockedPartial opens the file that is being made. Between its opening and its
// locking another process may have finished it and given it its name: then it is
// no longer the one of that name.
func lockedPartial(path string) (*os.File, error) {
	for {
		file, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o666)
		if err != nil {
			return nil, errors.WithStack(err)
		}
		if err := lock(file); err != nil {
			file.Close()
			return nil, errors.WithMessage(err, "the file is being made already")
		}
		mine, err := file.Stat()
		if err == nil {
			var named fs.FileInfo
			if named, err = os.Stat(path); err == nil && os.SameFile(mine, named) {
				return file, nil
			}
		}
		file.Close()
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, errors.WithStack(err)
		}
	}
}

// make gives the file its size, its content and at last its name.
func (m *Mapped) make(path string, size int64, fill func(mem []byte) error) error {
	if err := m.file.Truncate(0); err != nil {
		return errors.WithStack(err)
	}
	if err := reserve(m.file, size); err != nil {
		return errors.Wrapf(err, "%s: reserving %d bytes", path, size)
	}
	if err := m.mapAll(size, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_SHARED); err != nil {
		return err
	}
	if err := fill(m.mem); err != nil {
		return err
	}
	if err := m.Sync(); err != nil {
		return err
	}
	if err := name(path+partial, path); err != nil {
		return err
	}
	return SyncFolder(filepath.Dir(path))
}

// name gives a file its name, unless that is taken: a link fails then, where a
// rename would replace. Some file systems have no links.
func name(from, to string) error {
	err := os.Link(from, to)
	switch {
	case err == nil:
		return errors.WithStack(os.Remove(from))
	case errors.Is(err, fs.ErrExist):
		return errors.WithStack(err)
	}
	if err := vacant(to); err != nil {
		return err
	}
	return errors.WithStack(os.Rename(from, to))
}

// abandon undoes a Create that failed.
func (m *Mapped) abandon(path string) {
	if m.mem != nil {
		unix.Munmap(m.mem)
		m.mem = nil
	}
	os.Remove(path)
	m.file.Close()
	m.file = nil
}

// Open maps a file that is there. Unless it is for reading only, it belongs to
// this Mapped alone until Close, and its holes, which a full disk could not fill
// later, get blocks.
func Open(path string, readOnly bool) (*Mapped, error) {
	info, err := os.Stat(path) // before it is opened: a pipe would wait for its writer
	if err != nil {
		return nil, errors.WithStack(err)
	}
	if !info.Mode().IsRegular() {
		return nil, errors.Errorf("%s is no regular file (%v)", path, info.Mode())
	}
	flag := os.O_RDONLY
	if !readOnly {
		if info.Mode().Perm()&0o222 == 0 { // whatever root may do
			return nil, errors.Wrapf(fs.ErrPermission, "%s is read-only (%v)", path, info.Mode())
		}
		flag = os.O_RDWR
	}
	file, err := os.OpenFile(path, flag, 0)
	if err != nil {
		return nil, errors.WithStack(err)
	}
	m := &Mapped{file: file, readOnly: readOnly}
	if err := m.open(); err != nil {
		file.Close()
		return nil, err
	}
	return m, nil
}

func (m *Mapped) open() error {
	if !m.readOnly {
		if err := lock(m.file); err != nil {
			return err
		}
	}
	info, err := m.file.Stat()
	if err != nil {
		return errors.WithStack(err)
	}
	size := info.Size()
	if size == 0 || size > math.MaxInt {
		return errors.Errorf("%s: a file of %d bytes cannot be mapped", m.file.Name(), size)
	}
	if m.readOnly {
		// Private: what a user writes to a view of it goes to copies of pages, where
		// it would end the process otherwise; see Writable.
		return m.mapAll(size, unix.PROT_READ, unix.MAP_PRIVATE|unix.MAP_NORESERVE)
	}
	if err := fillHoles(m.file, size); err != nil {
		return errors.Wrapf(err, "%s: reserving %d bytes", m.file.Name(), size)
	}
	return m.mapAll(size, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_SHARED)
}

func (m *Mapped) mapAll(size int64, prot, flags int) error {
	mem, err := unix.Mmap(int(m.file.Fd()), 0, int(size), prot, flags)
	if err != nil {
		return errors.Wrapf(err, "%s: mapping %d bytes", m.file.Name(), size)
	}
	m.mem = mem
	return nil
}

// Bytes is the whole file.
func (m *Mapped) Bytes() []byte { return m.mem }

// Size is the size of the file as it is now: it can have been truncated since, and
// whoever touches memory behind its end is ended by the system.
func (m *Mapped) Size() (int64, error) {
	info, err := m.file.Stat()
	if err != nil {
		return 0, errors.WithStack(err)
	}
	return info.Size(), nil
}

// Writable makes the memory of a file opened for reading only such that writing to
// it ends no process. The file does not change by it.
func (m *Mapped) Writable() error {
	if !m.readOnly {
		return nil
	}
	return errors.Wrapf(unix.Mprotect(m.mem, unix.PROT_READ|unix.PROT_WRITE), "%s: memory of its own", m.file.Name())
}

// Sync waits until all that was written is on the disk.
func (m *Mapped) Sync() error {
	if m.readOnly {
		return nil
	}
	if err := unix.Msync(m.mem, unix.MS_SYNC); err != nil {
		return errors.Wrapf(err, "%s: msync", m.file.Name())
	}
	return errors.WithStack(m.file.Sync()) // the file's size and times, and the disk's own cache
}

// Close syncs and lets the file go, and its memory, too, if unmap. Otherwise that
// stays to the end of the process.
func (m *Mapped) Close(unmap bool) error {
	if m.file == nil {
		return nil
	}
	err := m.Sync()
	if release := m.Release(unmap); err == nil {
		err = release
	}
	return err
}

// Release is Close without waiting for the disk. What was written is not lost by
// it: the system writes it later.
func (m *Mapped) Release(unmap bool) (err error) {
	if m.file == nil {
		return nil
	}
	if unmap {
		if unmapping := unix.Munmap(m.mem); err == nil {
			err = errors.Wrapf(unmapping, "%s: munmap", m.file.Name())
		}
		m.mem = nil
	}
	unlock(m.file) // a mapping that stays would keep the lock
	if closing := m.file.Close(); err == nil {
		err = errors.WithStack(closing)
	}
	m.file = nil
	return err
}
