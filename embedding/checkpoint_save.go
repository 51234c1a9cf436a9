package embedding

import (
	"cmp"
	"hash/crc32"
	"io"
	"io/fs"
	"math"
	"path"
	"path/filepath"
	"slices"
	"unicode/utf8"

	"github.com/pkg/errors"
	"gorgonia.org/gather/dense"
	"gorgonia.org/gather/internal/core"
	"gorgonia.org/gather/internal/fault"
	"gorgonia.org/gather/internal/files"
	"gorgonia.org/gather/internal/npy"
)

// Save writes a checkpoint of some tables to a folder, which it makes if it is missing:
// their rows, and the states of the optimiser. [Load] reads it. The optimiser may be
// nil: then only rows are saved.
//
// Each Save writes a new generation beside the old one, as .npy files, and then
// renames the manifest, which lists the files of the generation: tables that an earlier Save
// wrote and this one is not given are gone. Whenever the process or
// the system ends, the folder has a complete generation: the old one or the new one. The
// old one is removed after: folders of such a name, as generation-000012, belong to the
// checkpoint, with all that is in them. Steps wait until Save is done, and Saves of other processes
// to the same folder are errors.
//
// [New] makes a table of any tensor: so the weights of a layer, which a solver of
// Gorgonia's trains, are saved at the same moment.
func Save(dir string, tables map[string]*Table, o Optimizer) (err error) {
	const op = "Save"
	defer core.Recover(op, &err)
	if len(tables) == 0 {
		return fault.Errorf(dense.ErrOption, "%s: no tables, 1 or more are needed", op)
	}
	opt, err := ours(op, o)
	if err != nil {
		return err
	}
	unlock, err := lockAll(op, tables, opt, false)
	if err != nil {
		return err
	}
	defer unlock()
	return errors.WithMessage(save(dir, tables, opt), op)
}

func save(dir string, tables map[string]*Table, o *optimizer) error {
	if err := npy.CheckMachine(); err != nil {
		return err
	}
	if dir == "" {
		return errors.New("the folder's name is empty")
	}
	if err := files.MakeFolder(dir); err != nil {
		return err
	}
	release, err := files.LockFolder(dir)
	if err != nil {
		return err
	}
	defer release()

	// What no manifest can replace is found before everything is written.
	if manifest, err := files.OpenRegular(filepath.Join(dir, manifestName)); err == nil {
		_ = manifest.Close()
	} else if !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	old, err := generations(dir)
	if err != nil {
		return err
	}
	if err := tablesElsewhere(dir, old, tables); err != nil {
		return err
	}
	m := &manifest{Format: format, Version: formatVersion, Generation: 1, Tables: map[string]savedTable{}}
	if len(old) > 0 { // one that was never finished may be the newest
		newest := slices.Max(old)
		if newest == math.MaxInt {
			return errors.Errorf("%s has the number of the last generation that there can be; remove it", filepath.Join(dir, generationFolder(newest)))
		}
		m.Generation = newest + 1
	}
	folder := generationFolder(m.Generation)
	if err := files.Mkdir(filepath.Join(dir, folder)); err != nil {
		return err
	}
	if err := m.fill(dir, folder, tables, o); err != nil {
		_ = files.RemoveAll(filepath.Join(dir, folder)) // or the next Save does
		return err
	}
	if err := m.write(dir); err != nil {
		return m.afterError(dir, err)
	}
	for _, n := range old {
		// What cannot be removed now the next Save removes: the new one stands.
		_ = files.RemoveAll(filepath.Join(dir, generationFolder(n)))
	}
	return nil
}

// afterError removes a generation whose manifest could not be written, unless that
// may be the manifest now: a file system can fail after it has renamed, and then in the
// sync of the folder. No generation is removed then, for a crash of the system may bring back
// the old manifest.
func (m *manifest) afterError(dir string, err error) error {
	now, reading := readManifest(dir)
	switch {
	case errors.Is(reading, fs.ErrNotExist), reading == nil && now.Generation != m.Generation:
		_ = files.RemoveAll(filepath.Join(dir, generationFolder(m.Generation))) // or the next Save does
		return err
	case reading != nil:
		return errors.WithMessagef(err, "the old generation counts or the new one, %d, both of which are there; Save again", m.Generation)
	}
	return errors.WithMessagef(err, "the new generation, %d, counts, but after a crash of the system it may be the old one; Save again", m.Generation)
}

// fill writes the files of a generation.
func (m *manifest) fill(dir, folder string, tables map[string]*Table, o *optimizer) error {
	if o != nil {
		m.Optimizer = optimizerNames[o.rule]
	}
	array := func(name string, header npy.Header, mem *memory) (savedArray, error) {
		a := savedArray{File: path.Join(folder, name+".npy")}
		var err error
		a.CRC, err = writeArray(filepath.Join(dir, filepath.FromSlash(a.File)), header, mem)
		return a, err
	}
	for name, t := range tables {
		header, storage := t.array()
		saved := savedTable{Dtype: storage, Shape: t.shape, State: map[string]savedArray{}}
		var err error
		if saved.Weights, err = array(tableFile(name), header, t.memory); err != nil {
			return err
		}
		if s := o.stateToSave(t); s != nil {
			saved.Steps = s.steps
			for i, state := range stateNames[o.rule] {
				if s.memories[i] == nil {
					continue
				}
				if saved.State[state], err = array(tableFile(name)+"."+state, npy.Header{Kind: t.kind, Shape: s.shape}, s.memories[i]); err != nil {
					return err
				}
			}
		}
		m.Tables[name] = saved
	}
	if err := files.SyncFolder(filepath.Join(dir, folder)); err != nil {
		return err
	}
	return files.SyncFolder(dir) // the generation's own name
}

// stateToSave is the state of a table, or nil.
func (o *optimizer) stateToSave(t *Table) *state {
	if o == nil {
		return nil
	}
	return t.states[o.self]
}

// blockBytes is how much is read or written before the checksum takes it in.
const blockBytes = 1 << 20

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// writeArray writes a file and returns the checksum of its data.
func writeArray(path string, header npy.Header, data *memory) (sum uint32, err error) {
	head, err := header.Encode(npy.Page)
	if err != nil {
		return 0, err
	}
	err = files.Write(path, func(w io.Writer) error {
		if _, err := w.Write(head); err != nil {
			return errors.WithStack(err)
		}
		for block := range data.blocks {
			sum = crc32.Update(sum, castagnoli, block)
			if _, err := w.Write(block); err != nil {
				return errors.WithStack(err)
			}
		}
		return nil
	})
	return sum, err
}

// ours is the optimiser behind an Optimizer, nil for nil.
func ours(op string, o Optimizer) (*optimizer, error) {
	switch o := o.(type) {
	case nil:
		return nil, nil
	case *optimizer:
		if o == nil || o.self.Value() != o {
			return nil, errors.Errorf("%s: the optimiser is empty, NewSGD and its like make one", op)
		}
		return o, nil
	}
	return nil, errors.Errorf("%s: the optimiser is a %T, those that this package makes can be saved", op, o)
}

// lockAll keeps steps and Close away from the optimiser and all tables, in the
// order that locks.go has, and unless they are to change not the lookups.
func lockAll(op string, tables map[string]*Table, o *optimizer, change bool) (unlock func(), err error) {
	order, names, err := inOrder(op, tables)
	if err != nil {
		return nil, err
	}
	var locked []*Table
	unlock = func() {
		for _, t := range locked {
			if change {
				t.mu.Unlock()
			} else {
				t.mu.RUnlock()
			}
		}
		if o != nil {
			o.mu.Unlock()
		}
	}
	if o != nil {
		o.mu.Lock()
	}
	for _, t := range order {
		if err := o.lookBeside(op, t); err != nil {
			unlock()
			return nil, errors.WithMessagef(err, "table %s", fault.Name(names[t]))
		}
	}
	for _, t := range order {
		if change {
			t.mu.Lock()
		} else {
			t.mu.RLock()
		}
		locked = append(locked, t)
		if t.closed {
			unlock()
			return nil, errors.WithMessagef(errClosed(op), "table %s", fault.Name(names[t]))
		}
	}
	return unlock, nil
}

// inOrder are the tables in the order in which they are locked.
func inOrder(op string, tables map[string]*Table) (order []*Table, names map[*Table]string, err error) {
	names = map[*Table]string{}
	for _, name := range namesOf(tables) {
		t := tables[name]
		if !utf8.ValidString(name) { // the manifest could not say it
			return nil, nil, errors.Errorf("%s: the name %q of a table is not valid UTF-8", op, fault.Cut(name))
		}
		if err := t.made(op); err != nil {
			return nil, nil, errors.WithMessagef(err, "table %s", fault.Name(name))
		}
		if other, twice := names[t]; twice {
			return nil, nil, errors.Errorf("%s: the tables %s and %s are the same one", op, fault.Name(other), fault.Name(name))
		}
		names[t] = name
		order = append(order, t)
	}
	slices.SortFunc(order, func(a, b *Table) int { return cmp.Compare(a.number, b.number) })
	return order, names, nil
}

// lookBeside reads the states that a table in a file has from an earlier process.
func (o *optimizer) lookBeside(op string, t *Table) error {
	if o == nil {
		return nil
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.closed {
		return errClosed(op)
	}
	if t.readOnly {
		if folder, err := o.findStates(t); folder == "" || err != nil {
			return errors.WithMessage(err, op)
		}
		return errors.Errorf("%s: %s was opened with WithReadOnly, so the states that %s has for it cannot be used; nil instead of the optimiser saves only the rows",
			op, t.file.path, optimizerNames[o.rule])
	}
	_, err := o.known(op, t)
	return err
}
