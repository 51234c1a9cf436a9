//go:build linux || darwin

package embedding_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gorgonia.org/gather/embedding"
	"gorgonia.org/tensor"
)

// TestRenamedWhileOpen: what is beside a name that a table's file has no more belongs to the
// table that has it now. The states that were opened before stay.
func TestRenamedWhileOpen(t *testing.T) {
	rename := func(t *testing.T, path string) { ok(t, os.Rename(path, path+".old")) }
	for name, change := range map[string]func(t *testing.T, path string){
		"renamed": rename,
		"removed": func(t *testing.T, path string) { ok(t, os.Remove(path)) },
		"a new table": func(t *testing.T, path string) {
			rename(t, path)
			ok(t, create(t, path).Close())
		},
		"a new table with states": func(t *testing.T, path string) {
			rename(t, path)
			table := create(t, path)
			update(t, newAdam(t), table, 0)
			ok(t, table.Close())
		},
		"a new table with former states": func(t *testing.T, path string) {
			rename(t, path)
			table := create(t, path)
			update(t, newAdam(t), table, 0)
			ok(t, table.Close())
			ok(t, os.Rename(path+".adam", strings.TrimSuffix(path, ".npy")+".adam"))
		},
		"a link to where it is": func(t *testing.T, path string) {
			rename(t, path)
			ok(t, os.Symlink(path+".old", path))
		},
	} {
		t.Run(name, func(t *testing.T) {
			folder := t.TempDir()
			path := filepath.Join(folder, "items.npy")
			table := create(t, path)
			change(t, path)
			before, err := os.ReadDir(folder)
			ok(t, err)
			for what, err := range map[string]error{
				"a step": step(t, newAdam(t), table, 0),
				"Save":   embedding.Save(t.TempDir(), pair{"items": table}, newAdam(t)),
			} {
				if err == nil || !strings.Contains(err.Error(), path+" is not the table's file any more") {
					t.Errorf("%s: error %v", what, err)
				}
			}
			if state := newAdam(t).State(table); len(state) > 0 {
				t.Errorf("State: %v", state)
			}
			sameBits(t, "the table", bits(t, table), afterSteps(t, 0))
			ok(t, embedding.Save(t.TempDir(), pair{"items": table}, nil))
			update(t, newSGD(t), table, 0)
			ok(t, table.Close())
			if after, err := os.ReadDir(folder); err != nil || len(after) != len(before) {
				t.Errorf("the folder has %v, error %v", after, err)
			}
		})
	}

	t.Run("after a step", func(t *testing.T) {
		path, o := filepath.Join(t.TempDir(), "items.npy"), newAdam(t)
		table := create(t, path)
		update(t, o, table, 0)
		ok(t, os.Rename(path, path+".old"))
		ok(t, os.Rename(path+".adam", path+".old.adam"))
		second := create(t, path)
		update(t, o, table, 1)
		sameBits(t, "the first", bits(t, table), afterSteps(t, 2))
		ok(t, table.Close())
		update(t, newAdam(t), second, 0)
		sameBits(t, "the second", bits(t, second), afterSteps(t, 1))
		ok(t, second.Close())
		table = open(t, path+".old")
		defer table.Close()
		update(t, newAdam(t), table, 2)
		sameBits(t, "the first, opened by its new name", bits(t, table), afterSteps(t, 3))
	})
}

// TestRenamedForLookups: a table that an optimiser cannot step needs its name for nothing.
func TestRenamedForLookups(t *testing.T) {
	path := filepath.Join(t.TempDir(), "items.safetensors")
	made, err := embedding.Make(tensor.Float32, 30, 5, embedding.Zeros())
	ok(t, err)
	ok(t, made.WriteFile(path))
	table := open(t, path)
	ok(t, os.Remove(path))
	ok(t, embedding.Save(t.TempDir(), pair{"items": table}, newAdam(t)))
	ok(t, table.Close())

	path = filepath.Join(t.TempDir(), "items.npy")
	ok(t, made.WriteFile(path))
	reader, err := embedding.Open(path, embedding.WithReadOnly())
	ok(t, err)
	ok(t, reader.Close())
	if err := embedding.Save(t.TempDir(), pair{"items": reader}, newAdam(t)); err == nil || !strings.Contains(err.Error(), "closed") {
		t.Errorf("Save of a closed one: %v", err)
	}
}
