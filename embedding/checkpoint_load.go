package embedding

import (
	"fmt"
	"hash/crc32"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"github.com/pkg/errors"
	"gorgonia.org/gather/dense"
	"gorgonia.org/gather/internal/core"
	"gorgonia.org/gather/internal/fault"
	"gorgonia.org/gather/internal/files"
	"gorgonia.org/gather/internal/npy"
)

// Load reads a checkpoint of [Save]: the rows of the tables, and the states of the
// optimiser. Names, shapes and dtypes of the tables and the kind of the optimiser must be
// those that were saved. Training then continues with the same bits. Learning rate and
// other options of the optimiser are not saved: those of this one are used. The optimiser
// may be nil: then only rows are loaded, and files with states of an optimiser stay as
// they are.
//
// A lookup keeps the rows of its last Set: Set it again after Load.
//
// Everything is checked before anything changes: names, shapes, dtypes, the
// optimiser, and the checksum of each file. If the disk fails when a file is read the
// second time, tables are partly loaded, and the error says so: Load again.
//
// Errors: fs.ErrNotExist if nothing was saved there, [dense.ErrShape],
// [dense.ErrDtype], and those of the file system.
func Load(dir string, tables map[string]*Table, o Optimizer) (err error) {
	const op = "Load"
	defer core.Recover(op, &err)
	opt, err := ours(op, o)
	if err != nil {
		return err
	}
	if err := npy.CheckMachine(); err != nil {
		return errors.WithMessage(err, op)
	}
	unlock, err := lockAll(op, tables, opt, true)
	if err != nil {
		return err
	}
	defer unlock()
	for {
		m, err := readManifest(dir)
		if err != nil {
			return errors.WithMessage(err, op)
		}
		l := loading{dir: dir}
		err = l.plan(m, tables, opt)
		if err == nil {
			err = l.verify()
		}
		if err == nil {
			err = l.apply(op, tables, opt)
			l.close()
			return errors.WithMessage(err, op)
		}
		l.close()
		// A Save elsewhere may have removed the generation meanwhile.
		if newer, reading := readManifest(dir); reading != nil || newer.Generation == m.Generation {
			return errors.WithMessage(err, op)
		}
	}
}

// loading is what Load has found and what it will change.
type loading struct {
	dir    string
	arrays []*savedFile
	states []loadedState
}

// savedFile is a file and where its data go.
type savedFile struct {
	path   string
	header npy.Header // that it must have
	sum    uint32
	to     *memory // of a state: known after the check
	file   *files.File
	at     int64 // where the data begin
}

// loadedState is the state that an optimiser is to have for a table: what the files
// bring or, without any, what it begins with. What is not there yet is made when all
// has been checked: of a table in a file it is files.
type loadedState struct {
	table  *Table
	steps  int
	arrays [2]*savedFile
}

// plan compares a checkpoint with what is given, and finds its files.
func (l *loading) plan(m *manifest, tables map[string]*Table, o *optimizer) error {
	if o != nil && m.Optimizer != optimizerNames[o.rule] {
		if m.Optimizer == "" {
			return errors.Errorf("%s was saved without an optimiser, this is %s; nil loads only the rows", l.dir, optimizerNames[o.rule])
		}
		return errors.Errorf("%s was saved with the optimiser %s, this is %s", l.dir, fault.Name(m.Optimizer), optimizerNames[o.rule])
	}
	if saved, given := namesOf(m.Tables), namesOf(tables); !slices.Equal(saved, given) {
		return errors.Errorf("%s has the tables %s; given are %s", l.dir, list(saved), list(given))
	}
	for name, t := range tables {
		if err := l.planTable(m.Tables[name], t, o); err != nil {
			return errors.WithMessagef(err, "table %s", fault.Name(name))
		}
	}
	return nil
}

func (l *loading) planTable(saved savedTable, t *Table, o *optimizer) error {
	header, storage := t.array()
	switch {
	case t.readOnly:
		return errors.Errorf("%s %s", t.file.path, t.whyReadOnly())
	case saved.Dtype != storage:
		return fault.Errorf(dense.ErrDtype, "%s has the dtype %s, this table %s", l.dir, fault.Name(saved.Dtype), storage)
	case !slices.Equal(saved.Shape, t.shape):
		return fault.Errorf(dense.ErrShape, "%s has the shape %s, this table %s", l.dir, fault.Shape(saved.Shape), fault.Shape(t.shape))
	}
	if err := checkSteps(l.dir, saved.Steps); err != nil {
		return err
	}
	l.add(saved.Weights, header).to = t.memory
	if o == nil {
		return nil
	}
	s := loadedState{table: t, steps: saved.Steps}
	if len(saved.State) == 0 {
		if t.states[o.self] != nil {
			l.states = append(l.states, s)
		}
		return nil
	}
	n := 0
	for i, state := range stateNames[o.rule] {
		if state == "" {
			continue
		}
		a, ok := saved.State[state]
		if !ok {
			return errors.Errorf("%s lacks the state %s of %s", l.dir, state, optimizerNames[o.rule])
		}
		s.arrays[i] = l.add(a, npy.Header{Kind: t.kind, Shape: o.stateShape(t)})
		n++
	}
	if n != len(saved.State) {
		return errors.Errorf("%s has the states %s, which are not those of %s", l.dir, list(namesOf(saved.State)), optimizerNames[o.rule])
	}
	l.states = append(l.states, s)
	return nil
}

func (l *loading) add(a savedArray, header npy.Header) *savedFile {
	f := &savedFile{path: filepath.Join(l.dir, filepath.FromSlash(a.File)), header: header, sum: a.CRC}
	l.arrays = append(l.arrays, f)
	return f
}

// verify reads all files, and changes nothing.
func (l *loading) verify() error {
	block := make([]byte, blockBytes)
	for _, f := range l.arrays {
		if err := f.verify(block); err != nil {
			return errors.WithMessage(err, f.path)
		}
	}
	return nil
}

func (f *savedFile) verify(block []byte) (err error) {
	if f.file, err = files.OpenRegular(f.path); err != nil {
		return err
	}
	info, err := f.file.Stat()
	if err != nil {
		return err
	}
	header, at, err := npy.Read(f.file)
	if err != nil {
		return err
	}
	if header.Kind != f.header.Kind || !slices.Equal(header.Shape, f.header.Shape) {
		return errors.Errorf("it holds %s of shape %s, the manifest promises %s of shape %s", npy.Name(header.Kind),
			fault.Shape(header.Shape), npy.Name(f.header.Kind), fault.Shape(f.header.Shape))
	}
	if err := header.CheckSize(at, info.Size()); err != nil {
		return err
	}
	f.at = at
	var sum uint32
	for left := info.Size() - at; left > 0; left -= int64(len(block)) {
		block = block[:min(int64(len(block)), left)]
		if err := npy.ReadData(f.file, block); err != nil {
			return err
		}
		sum = crc32.Update(sum, castagnoli, block)
	}
	if sum != f.sum {
		return errors.Errorf("its checksum is %08x, the manifest has %08x: it has been changed since", sum, f.sum)
	}
	return nil
}

// apply makes the states that are missing and changes the tables.
func (l *loading) apply(op string, tables map[string]*Table, o *optimizer) error {
	states := make([]*state, len(l.states))
	for i, loaded := range l.states {
		s, err := o.stateOf(op, loaded.table)
		if err != nil {
			return err
		}
		for j, f := range loaded.arrays {
			if f != nil {
				f.to = s.memories[j]
			}
		}
		states[i] = s
	}
	for _, t := range tables {
		t.changes++
	}
	for _, f := range l.arrays {
		if err := f.read(); err != nil {
			return errors.WithMessagef(err, "%s could be read once, and not again: the tables are loaded in part; Load again", f.path)
		}
	}
	for i, loaded := range l.states {
		if loaded.arrays == [2]*savedFile{} {
			states[i].reset()
		}
		states[i].setSteps(loaded.steps)
	}
	return nil
}

func (f *savedFile) read() error {
	if _, err := f.file.Seek(f.at, io.SeekStart); err != nil {
		return err
	}
	for block := range f.to.blocks {
		if err := npy.ReadData(f.file, block); err != nil {
			return err
		}
	}
	return nil
}

func (l *loading) close() {
	for _, f := range l.arrays {
		if f.file != nil {
			f.file.Close()
		}
	}
}

// namesOf are the keys in order.
func namesOf[T any](m map[string]T) []string {
	names := make([]string, 0, len(m))
	for name := range m {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// list is names as a message quotes them, the first of them.
func list(names []string) string {
	const most = 10
	if len(names) == 0 {
		return "none"
	}
	quoted := make([]string, 0, most)
	for _, name := range names[:min(most, len(names))] {
		quoted = append(quoted, fault.Name(name))
	}
	if len(names) > most {
		quoted = append(quoted, fmt.Sprintf("… of %d", len(names)))
	}
	return strings.Join(quoted, ", ")
}
