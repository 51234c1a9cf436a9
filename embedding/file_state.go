package embedding

import (
	"encoding/binary"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"github.com/pkg/errors"
	"gorgonia.org/gather/internal/fault"
	"gorgonia.org/gather/internal/files"
	"gorgonia.org/gather/internal/npy"
	"gorgonia.org/gather/internal/num"
	"gorgonia.org/gather/internal/update"
)

// The states of an optimiser for a table in a file are in a folder beside it:
// a .npy file for each state, and one with the number of steps. The folder gets its
// name when all of them are there, so that after a crash there are all or none.

// stepsFile is the number of steps, which Adam's rates and Adagrad's decay depend
// on.
const stepsFile = "steps"

// optimizerNames are those of the functions that make them.
var optimizerNames = [...]string{
	update.SGD:            "SGD",
	update.Adagrad:        "Adagrad",
	update.RowWiseAdagrad: "RowWiseAdagrad",
	update.Adam:           "Adam",
}

// stateFolder is where an optimiser keeps the state of a table in a file.
func stateFolder(path string, rule update.Optimizer) string {
	return path + "." + strings.ToLower(optimizerNames[rule])
}

// formerFolder is where it kept it when the names of folders were made without .npy, or
// "". The table users may be in a file users: then the folder is that one's.
func formerFolder(path string, rule update.Optimizer) (string, error) {
	former, has := strings.CutSuffix(path, ".npy")
	if !has {
		return "", nil
	}
	if taken, err := files.Exists(former); taken || err != nil {
		return "", err
	}
	return stateFolder(former, rule), nil
}

// noStates refuses a new table where states of an old one are.
func noStates(path string) error {
	for i := range optimizerNames {
		rule := update.Optimizer(i)
		if stateNames[rule][0] == "" {
			continue
		}
		former, err := formerFolder(path, rule)
		if err != nil {
			return err
		}
		for _, folder := range []string{stateFolder(path, rule), former} {
			if folder == "" {
				continue
			}
			if taken, err := files.Exists(folder); err != nil {
				return err
			} else if taken {
				return errors.Wrapf(fs.ErrExist, "%s: %s has the states of an optimiser for an older table; remove or rename it first", path, folder)
			}
		}
	}
	return nil
}

// stillNamed refuses a table whose name is not that of its file any more: what is beside
// the name belongs to the file that has it now.
func (t *Table) stillNamed() error {
	if named, err := t.memory.mapped.file.Has(t.file.path); named || err != nil {
		return err
	}
	return errors.Errorf("%s is not the table's file any more, which was renamed, replaced or removed while it was open, so an optimiser's states cannot be beside it; Close the table and Open it by its new name",
		t.file.path)
}

// findStates is the folder of a table's states, or "". An optimiser without a memory
// has none, and a .safetensors file neither.
func (o *optimizer) findStates(t *Table) (string, error) {
	if t.file == nil || t.file.safetensors || stateNames[o.rule][0] == "" {
		return "", nil
	}
	if err := t.stillNamed(); err != nil {
		return "", err
	}
	folder := stateFolder(t.file.path, o.rule)
	if taken, err := files.Exists(folder); taken || err != nil {
		return folder, err
	}
	folder, err := formerFolder(t.file.path, o.rule)
	if folder == "" || err != nil {
		return "", err
	}
	if taken, err := files.Exists(folder); !taken || err != nil {
		return "", err
	}
	return folder, nil
}

// openStates opens the states that are beside a table, whose lock the caller
// has, or makes them.
func (o *optimizer) openStates(op string, s *state) (err error) {
	t := s.table
	if stateNames[o.rule][0] == "" {
		return nil
	}
	if t.closed { // another process may have it now
		return errClosed(op)
	}
	if err := t.freeUnused(); err != nil {
		return errors.WithMessage(err, op)
	}
	folder := stateFolder(t.file.path, o.rule)
	switch found, err := o.findStates(t); {
	case err != nil:
		return errors.WithMessage(err, op)
	case found == "":
		if err := o.createStates(s, folder); err != nil {
			return errors.WithMessagef(err, "%s: making %s", op, folder)
		}
	case found != folder:
		if err := files.Move(found, folder); err != nil {
			return errors.WithMessage(err, op)
		}
	}
	defer func() {
		if err != nil {
			_ = s.free() // the error says more
		}
	}()
	for i, name := range stateNames[o.rule] {
		if name == "" {
			continue
		}
		if s.memories[i], err = openState(folder, name, npy.Header{Kind: t.kind, Shape: s.shape}); err != nil {
			err = advise(err, files.ErrLocked, fmt.Sprintf("a table in a file has one %s at a time", optimizerNames[o.rule]))
			return errors.WithMessage(err, op)
		}
	}
	if s.count, err = openState(folder, stepsFile, npy.Header{Kind: num.Int64, Shape: []int{1}}); err != nil {
		return errors.WithMessage(err, op)
	}
	n := binary.LittleEndian.Uint64(s.count.bytes)
	if n > maxSteps {
		return errors.Errorf("%s: %s has %d steps, allowed are 0 to %d", op, filepath.Join(folder, stepsFile+".npy"), int64(n), maxSteps)
	}
	s.steps = int(n)
	t.file.mu.Lock()
	defer t.file.mu.Unlock()
	for _, m := range append(s.memories[:], s.count) {
		if m != nil {
			t.file.states = append(t.file.states, m)
		}
	}
	return nil
}

// freeUnused frees the states of optimisers that are garbage, so that the next optimiser
// can open their files. It is not done when they become garbage: a file may wait for the
// disk, and its errors are those of a caller. The caller has the table's lock.
func (t *Table) freeUnused() (err error) {
	used := map[*memory]bool{}
	for o, s := range t.states {
		if o.Value() == nil {
			delete(t.states, o) // as its cleanup will: Prefetch must not find what is freed
			continue
		}
		for _, m := range append(s.memories[:], s.count) {
			used[m] = true
		}
	}
	t.file.mu.Lock()
	defer t.file.mu.Unlock()
	t.file.states = slices.DeleteFunc(t.file.states, func(m *memory) bool {
		if used[m] {
			return false
		}
		if freeing := m.free(); err == nil {
			err = freeing
		}
		return true
	})
	return err
}

// createStates makes a folder with the states that a table without steps has.
func (o *optimizer) createStates(s *state, folder string) error {
	return files.CreateFolder(folder, func(partial string) error {
		for _, name := range stateNames[o.rule] {
			if name == "" {
				continue
			}
			if err := createState(partial, name, npy.Header{Kind: s.table.kind, Shape: s.shape}, s.fill); err != nil {
				return err
			}
		}
		if err := createState(partial, stepsFile, npy.Header{Kind: num.Int64, Shape: []int{1}}, func([]byte) {}); err != nil {
			return err
		}
		return s.table.stillNamed() // large states take a while
	})
}

func createState(folder, name string, header npy.Header, fill func(mem []byte)) error {
	head, err := header.Encode(npy.Page)
	if err != nil {
		return err
	}
	bytes, err := header.Bytes()
	if err != nil {
		return err
	}
	mapped, err := files.Create(filepath.Join(folder, name+".npy"), int64(len(head))+bytes, func(mem []byte) error {
		copy(mem, head)
		fill(mem[len(head):])
		return nil
	})
	if err != nil {
		return err
	}
	return mapped.Close(true)
}

func openState(folder, name string, want npy.Header) (*memory, error) {
	path := filepath.Join(folder, name+".npy")
	mapped, got, at, err := openArray(path, false)
	if err != nil {
		return nil, err
	}
	if got.Kind != want.Kind || !slices.Equal(got.Shape, want.Shape) {
		_ = mapped.Release(true)
		return nil, errors.Errorf("%s holds %s of shape %s, the table needs %s of shape %s", path,
			npy.Name(got.Kind), fault.Shape(got.Shape), npy.Name(want.Kind), fault.Shape(want.Shape))
	}
	return fileMemory(mapped, at, len(mapped.Bytes())), nil
}

// stepped counts a step.
func (s *state) stepped() { s.setSteps(s.steps + 1) }

func (s *state) setSteps(n int) {
	s.steps = n
	if s.count != nil {
		binary.LittleEndian.PutUint64(s.count.bytes, uint64(n))
	}
}

// reset makes the state that of a table without steps.
func (s *state) reset() {
	for _, m := range s.memories {
		if m != nil {
			for block := range m.blocks {
				fillWith(s.table.kind, block, s.initial)
			}
		}
	}
}

// free gives memory back.
func (s *state) free() (err error) {
	for _, m := range append(s.memories[:], s.count) {
		if m != nil {
			if freeing := m.free(); err == nil {
				err = freeing
			}
		}
	}
	return err
}
