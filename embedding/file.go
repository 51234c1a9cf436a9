package embedding

import (
	"bytes"
	"io/fs"
	"path/filepath"
	"runtime"
	"strings"
	"sync"

	"github.com/pkg/errors"
	"gorgonia.org/gather/dense"
	"gorgonia.org/gather/internal/core"
	"gorgonia.org/gather/internal/fault"
	"gorgonia.org/gather/internal/files"
	"gorgonia.org/gather/internal/npy"
	"gorgonia.org/gather/internal/num"
	"gorgonia.org/tensor"
)

// file is what a table in a file has beside its memory.
type file struct {
	path        string // absolute, without links: the process may go elsewhere before an optimiser makes files beside
	safetensors bool   // or .npy

	mu     sync.Mutex
	states []*memory // of optimisers, in files beside
}

// WithReadOnly is an option of [Open] that opens a table for lookups only: its file may be
// write-protected, or be trained by another process. Steps are errors. What is
// written to its Weights stays in this process.
func WithReadOnly() TableOption { return TableOption{kind: readOnlyOption} }

// Create makes a table of rows × dim numbers, float32 or float64, in a new .npy
// file, which NumPy reads with numpy.load(path, mmap_mode="r"). The system keeps the
// pages in use in memory, so the table may be larger than memory.
//
// All blocks of the file are reserved first, so that a full disk is an error here
// and does not end the process later. The file gets its name when it is complete and on
// the disk; a crash before that leaves path + ".partial", which the next Create
// overwrites. An existing file is an error, and so are optimiser states beside it.
//
// What steps change is on the disk after [Table.Sync] or [Table.Close]; before that it
// survives the end of the process but not a crash of the system, and a process that ends
// within a step leaves a part of the step. [Save] writes whole steps. Until Close
// other processes can open the table only with [WithReadOnly]. The states of optimisers
// are files in a folder beside it: Adam's m and v of items.npy are items.npy.adam/m.npy
// and items.npy.adam/v.npy. If you rename the file, rename the folder, too. A table that is
// open meanwhile keeps the states that it has; the first step of another optimiser is an error.
//
// On Linux lookups and steps ask the disk for all of their rows before they read the
// first; [Table.Prefetch] asks earlier.
//
// If a process truncates the file, or the disk cannot be read, the system ends all
// processes that use it by a signal that cannot be caught.
//
// It works on Linux and macOS; elsewhere it is an error. Other errors:
// [dense.ErrShape], [dense.ErrDtype], [dense.ErrOption], fs.ErrExist, and those of
// the file system.
func Create(path string, dt tensor.Dtype, rows, dim int, init Init, opts ...TableOption) (_ *Table, err error) {
	const op = "Create"
	defer core.Recover(op, &err)
	s, err := settings{}.with(op, opts)
	if err != nil {
		return nil, err
	}
	shape, kind, err := checkMade(op, dt, rows, dim, init)
	if err != nil {
		return nil, err
	}
	if err := npy.CheckMachine(); err != nil {
		return nil, errors.WithMessage(err, op)
	}
	resolved, err := createName(path)
	if err != nil {
		return nil, errors.WithMessage(err, op)
	}
	header := npy.Header{Kind: kind, Shape: shape}
	head, err := header.Encode(npy.Page)
	if err != nil {
		return nil, fault.Errorf(dense.ErrShape, "%s: %v", op, err)
	}
	bytes, err := header.Bytes()
	if err != nil {
		return nil, fault.Errorf(dense.ErrShape, "%s: %v", op, err)
	}
	t := newTable(shape, storageOf(kind), nil, s)
	mapped, err := files.Create(path, int64(len(head))+bytes, func(mem []byte) (err error) {
		defer core.Recover("init", &err) // FromRows calls a function of the user's
		copy(mem, head)
		t.memory = &memory{bytes: mem[len(head):]}
		init.fill(t)
		return nil
	})
	if err != nil {
		return nil, errors.WithMessage(err, op)
	}
	t.memory = fileMemory(mapped, len(head), len(mapped.Bytes()))
	t.file = &file{path: resolved}
	return t, nil
}

// Open opens a table in a .npy file of [Create] or of another program: float32, float64
// or, for lookups only, float16, little-endian, in C order, (rows, d...), of version 1.0
// or 2.0. Holes in a sparse file, which NumPy's open_memmap makes, get blocks first.
//
// In a file whose name ends in .safetensors it opens the tensor of [WithTensor], or the
// only one, for lookups only: of F64, F32, F16 or BF16, anywhere in the file, and
// of U8 if [Table.WriteFile] has written rows of Int8 or Int4 to it. Other processes may
// read the file at the same time, none may change it. If the numbers are not aligned,
// Weights is an error.
//
// Any other file is an error that says what it is, and so is one that is truncated, has
// bytes after its array, is write-protected, or is open as another table; see
// [WithReadOnly]. For the rest see [Create].
func Open(path string, opts ...TableOption) (_ *Table, err error) {
	const op = "Open"
	defer core.Recover(op, &err)
	s, err := settings{}.with(op, opts)
	if err != nil {
		return nil, err
	}
	if err := npy.CheckMachine(); err != nil {
		return nil, errors.WithMessage(err, op)
	}
	if path == "" {
		return nil, errors.Errorf("%s: the file's name is empty", op)
	}
	resolved, err := files.Resolve(path)
	if err != nil {
		return nil, errors.WithMessage(adviseMissing(err, path), op)
	}
	if isSafetensors(path) {
		t, err := openTensor(resolved, s)
		return t, errors.WithMessage(err, op)
	}
	if s.tensor != nil {
		return nil, fault.Errorf(dense.ErrOption, "%s: %s: WithTensor is for .safetensors files", op, path)
	}
	mapped, header, at, err := openArray(resolved, s.readOnly)
	if err != nil {
		for _, cause := range []error{files.ErrLocked, fs.ErrPermission, files.ErrReadOnly} {
			err = advise(err, cause, "WithReadOnly opens it for lookups only")
		}
		return nil, errors.WithMessage(err, op)
	}
	storage := storageOf(header.Kind)
	switch header.Kind {
	case num.Float32, num.Float64:
	case num.Float16:
		storage = Float16
	default:
		err = fault.Errorf(dense.ErrDtype, "%s: %s: elements are %s, allowed are float16, float32 and float64", op, path, npy.Name(header.Kind))
	}
	if err == nil && len(header.Shape) == 0 {
		err = fault.Errorf(dense.ErrShape, "%s: %s: it holds a scalar, rows are needed", op, path)
	}
	if err == nil {
		err = errors.WithMessagef(checkRow(header.Shape), "%s: %s", op, path)
	}
	if err != nil {
		_ = mapped.Release(true)
		return nil, err
	}
	t := newTable(tensor.Shape(header.Shape), storage, fileMemory(mapped, at, len(mapped.Bytes())), s)
	t.file = &file{path: resolved}
	return t, nil
}

// Sync waits until all changes of steps are on the disk, those of the optimisers' states,
// too. For a table in memory it does nothing.
//
// After it the first step that changes a page of 4 KiB is slower than others.
func (t *Table) Sync() error {
	const op = "Sync"
	if err := t.made(op); err != nil {
		return err
	}
	t.mu.RLock() // a step waits
	defer t.mu.RUnlock()
	if t.closed {
		return errClosed(op)
	}
	if t.file == nil {
		return nil
	}
	err := t.memory.mapped.file.Sync()
	t.file.mu.Lock()
	defer t.file.mu.Unlock()
	for _, m := range t.file.states {
		if state := m.mapped.file.Sync(); err == nil {
			err = state
		}
	}
	return errors.WithMessage(err, op)
}

// closeStates gives back the memory of optimisers.
func (f *file) closeStates() (err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, m := range f.states {
		if closing := m.free(); err == nil {
			err = closing
		}
	}
	f.states = nil
	return err
}

// createName is the name of a new table's file, absolute and without links, if Create
// takes it.
func createName(path string) (string, error) {
	switch {
	case path == "":
		return "", errors.New("the file's name is empty")
	case isSafetensors(path):
		return "", errors.Errorf("%s: it writes a .npy file; WriteFile writes a .safetensors file, for lookups only", path)
	case strings.HasSuffix(path, files.Partial):
		return "", errors.Errorf("%s: names that end in %s are those of files that are being written", path, files.Partial)
	}
	resolved, err := newName(path)
	if err != nil {
		return "", err
	}
	return resolved, noStates(resolved)
}

// newName is the name of a new file, absolute and without links, if nothing has it.
func newName(path string) (string, error) {
	folder, err := files.Resolve(filepath.Dir(path))
	if err != nil {
		return "", err
	}
	path = filepath.Join(folder, filepath.Base(path))
	taken, err := files.Exists(path)
	if !taken {
		return path, err
	}
	remedy := ""
	switch _, err := files.StatRegular(path); {
	case err == nil:
		remedy = ", Open opens this one"
	case errors.Is(err, fs.ErrNotExist):
		remedy = ", this one is a symbolic link that leads nowhere"
	}
	return "", errors.Wrapf(fs.ErrExist, "%s: a new table needs another name%s", path, remedy)
}

// adviseMissing ends an error about a table's file that is missing with what to do about it,
// which nothing must then refuse.
func adviseMissing(err error, path string) error {
	if link, _ := files.Exists(path); link {
		return advise(err, fs.ErrNotExist, path+" is a symbolic link that leads nowhere")
	}
	if _, refused := createName(path); refused != nil {
		return err
	}
	return advise(err, fs.ErrNotExist, "Create makes a new table")
}

// advise ends an error of this cause with what to do about it.
func advise(err, cause error, remedy string) error {
	if !errors.Is(err, cause) {
		return err
	}
	return fault.Reword(err, err.Error()+"; "+remedy)
}

// openArray maps an array, which begins at so many bytes.
func openArray(path string, readOnly bool) (*files.Mapped, npy.Header, int, error) {
	mapped, err := files.Open(path, readOnly)
	if err != nil {
		return nil, npy.Header{}, 0, err
	}
	header, at, err := npy.Read(bytes.NewReader(mapped.Bytes()))
	if err == nil {
		err = header.CheckSize(at, int64(len(mapped.Bytes())))
	}
	if width := int64(header.Kind.Width()); err == nil && at%width != 0 {
		err = errors.Errorf("the data begin at byte %d, a multiple of %d is needed; numpy.save makes it so", at, width)
	}
	if err != nil {
		_ = mapped.Release(true)
		return nil, npy.Header{}, 0, errors.WithMessage(err, path)
	}
	return mapped, header, int(at), nil
}

// fileMemory is the memory of a file from a byte on, up to another.
func fileMemory(f *files.Mapped, from, to int) *memory {
	m := &memory{bytes: f.Bytes()[from:to:to], mapped: &mapping{file: f, at: from}}
	runtime.AddCleanup(m, func(m *mapping) { m.release() }, m.mapped)
	return m
}
