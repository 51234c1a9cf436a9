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

// Mapped is a file whose content is memory. A page of it is read when it is touched, and
// no other with it: see WillNeed.
//
// Of memory outside of Go's heap the garbage collector knows nothing: who holds a
// view of it holds no Mapped. So the owner says at Close whether it may be unmapped.
type Mapped struct {
	mem      []byte
	file     *File // nil once closed
	readOnly bool
}

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
	file, err := lockedPartial(path + Partial)
	if err != nil {
		return nil, err
	}
	m := &Mapped{file: file}
	named, whole := false, false
	defer func() {
		if !named { // fill may panic, too
			if mine, _ := file.has(path + Partial); mine {
				_ = remove(path + Partial)
			}
		}
		if !whole {
			_ = m.Release(true)
		}
	}()
	if err := m.make(size, fill); err != nil {
		return nil, err
	}
	if err := m.name(path); err != nil {
		return nil, err
	}
	named = true
	if err := SyncFolder(filepath.Dir(path)); err != nil {
		return nil, errors.WithMessagef(err, "%s is whole and can be opened, but its name may not outlive a crash of the system", path)
	}
	whole = true
	return m, nil
}

// make gives the file its size and its content.
func (m *Mapped) make(size int64, fill func(mem []byte) error) error {
	if err := m.file.truncate(0); err != nil {
		return err
	}
	if err := m.file.reserve(size); err != nil {
		return errors.Wrapf(err, "%s: reserving %d bytes", m.file.path, size)
	}
	if err := m.mapAll(size, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_SHARED); err != nil {
		return err
	}
	m.random() // first: pages read in large units would be written so, whatever of them changes
	if err := fill(m.mem); err != nil {
		return err
	}
	return m.Sync()
}

// name gives the file its name, if it is still the one that has the temporary name.
func (m *Mapped) name(path string) error {
	if mine, err := m.file.has(path + Partial); err != nil {
		return err
	} else if !mine {
		return errors.Errorf("%s was replaced while it was written; is %s made elsewhere, too?", path+Partial, path)
	}
	err := name(path+Partial, path)
	if err == nil {
		m.file.path = path
	}
	return err
}

// Open maps a file that is there. Unless it is for reading only, it belongs to
// this Mapped alone until Close, and its holes, which a full disk could not fill
// later, get blocks.
func Open(path string, readOnly bool) (*Mapped, error) {
	info, err := StatRegular(path) // before it is opened: a pipe would wait for its writer
	if err != nil {
		return nil, err
	}
	flag := os.O_RDONLY
	if !readOnly {
		if info.Mode().Perm()&0o222 == 0 { // whatever root may do
			return nil, errors.Wrapf(fs.ErrPermission, "%s is read-only (%v)", path, info.Mode())
		}
		flag = os.O_RDWR
	}
	file, err := openFile(path, flag)
	if err != nil {
		return nil, err
	}
	m := &Mapped{file: file, readOnly: readOnly}
	if err := m.open(); err != nil {
		file.Close()
		return nil, err
	}
	m.random()
	return m, nil
}

func (m *Mapped) open() error {
	if !m.readOnly {
		if err := m.file.lock(); err != nil {
			return err
		}
	}
	info, err := m.file.Stat()
	if err != nil {
		return err
	}
	size := info.Size()
	if size == 0 || size > math.MaxInt {
		return errors.Errorf("%s: a file of %d bytes cannot be mapped", m.file.path, size)
	}
	if m.readOnly {
		// Private: what a user writes to a view of it goes to copies of pages, where
		// it would end the process otherwise; see Writable.
		return m.mapAll(size, unix.PROT_READ, unix.MAP_PRIVATE|unix.MAP_NORESERVE)
	}
	if err := m.file.fillHoles(size); err != nil {
		return errors.Wrapf(err, "%s: reserving %d bytes", m.file.path, size)
	}
	return m.mapAll(size, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_SHARED)
}

func (m *Mapped) mapAll(size int64, prot, flags int) error {
	path := m.file.path
	err := call("mmap", path, func() (err error) {
		m.mem, err = unix.Mmap(int(m.file.file.Fd()), 0, int(size), prot, flags)
		return err
	})
	return errors.Wrapf(err, "%s: mapping %d bytes", path, size)
}

// Bytes is the whole file.
func (m *Mapped) Bytes() []byte { return m.mem }

// Size is the size of the file as it is now: it can have been truncated since, and
// whoever touches memory behind its end is ended by the system.
func (m *Mapped) Size() (int64, error) {
	info, err := m.file.Stat()
	if err != nil {
		return 0, err
	}
	return info.Size(), nil
}

// Has tells whether the file has a name: one that it had can be another file's since.
func (m *Mapped) Has(path string) (bool, error) { return m.file.has(path) }

// Writable makes the memory of a file opened for reading only such that writing to
// it ends no process. The file does not change by it.
func (m *Mapped) Writable() error {
	if !m.readOnly {
		return nil
	}
	path := m.file.path
	err := call("mprotect", path, func() error { return unix.Mprotect(m.mem, unix.PROT_READ|unix.PROT_WRITE) })
	return errors.Wrapf(err, "%s: memory of its own", path)
}

// Sync waits until all that was written is on the disk.
func (m *Mapped) Sync() error {
	if m.readOnly {
		return nil
	}
	path := m.file.path
	if err := call("msync", path, func() error { return unix.Msync(m.mem, unix.MS_SYNC) }); err != nil {
		return errors.Wrapf(err, "%s: msync", path)
	}
	return m.file.sync() // the file's size and times, and the disk's own cache
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
	if unmap && m.mem != nil {
		path := m.file.path
		err = errors.Wrapf(call("munmap", path, func() error { return unix.Munmap(m.mem) }), "%s: munmap", path)
		m.mem = nil
	}
	m.file.unlock() // a mapping that stays would keep the lock
	if closing := m.file.Close(); err == nil {
		err = closing
	}
	m.file = nil
	return err
}
