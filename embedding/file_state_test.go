//go:build linux || darwin

package embedding_test

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"gorgonia.org/gather/embedding"
	"gorgonia.org/gather/internal/files"
	"gorgonia.org/tensor"
)

// TestChangedFolder: an optimiser's files are beside the table's, wherever the process
// has gone meanwhile.
func TestChangedFolder(t *testing.T) {
	folder := t.TempDir()
	t.Chdir(folder)
	table, err := embedding.Create("items.npy", tensor.Float32, 4, 2, embedding.Zeros())
	ok(t, err)
	t.Chdir(t.TempDir())
	update(t, newAdam(t), table, 1)
	ok(t, table.Close())
	if _, err := os.Stat(filepath.Join(folder, "items.npy.adam", "m.npy")); err != nil {
		t.Error(err)
	}
}

// TestStatesBeside: states in files that do not fit are errors, and what a crash
// leaves while they are made is made anew.
func TestStatesBeside(t *testing.T) {
	folder := t.TempDir()
	path := filepath.Join(folder, "items.npy")
	table, err := embedding.Create(path, tensor.Float32, 4, 2, embedding.Uniform(1, 0, 1))
	ok(t, err)
	ok(t, os.Mkdir(filepath.Join(folder, "items.npy.adam.partial"), 0o777))
	ok(t, os.WriteFile(filepath.Join(folder, "items.npy.adam.partial", "m.npy"), nil, 0o666))
	o := newAdam(t)
	update(t, o, table, 1)
	before := bits(t, table)
	if err := newAdam(t).Update(table, vector(int64(1)), matrix(1, 2, float32(10), 20)); !errors.Is(err, files.ErrLocked) {
		t.Errorf("a second optimiser of the kind: error %v", err)
	}
	runtime.KeepAlive(o) // garbage, it would have left its files to the second
	ok(t, table.Close())
	states := filepath.Join(folder, "items.npy.adam")
	for name, c := range map[string]struct {
		change func(t *testing.T)
		text   string
	}{
		"another shape": {func(t *testing.T) {
			ok(t, os.Remove(filepath.Join(states, "m.npy")))
			m, err := embedding.Create(filepath.Join(states, "m.npy"), tensor.Float32, 5, 2, embedding.Zeros())
			ok(t, err)
			ok(t, m.Close())
		}, "holds float32 of shape (5, 2), the table needs float32 of shape (4, 2)"},
		"another dtype": {func(t *testing.T) {
			ok(t, os.Remove(filepath.Join(states, "v.npy")))
			v, err := embedding.Create(filepath.Join(states, "v.npy"), tensor.Float64, 4, 2, embedding.Zeros())
			ok(t, err)
			ok(t, v.Close())
		}, "holds float64 of shape (4, 2)"},
		"missing":   {func(t *testing.T) { ok(t, os.Remove(filepath.Join(states, "v.npy"))) }, "no such file"},
		"truncated": {func(t *testing.T) { ok(t, os.Truncate(filepath.Join(states, "m.npy"), 4100)) }, "truncated"},
		"no count":  {func(t *testing.T) { ok(t, os.Remove(filepath.Join(states, "steps.npy"))) }, "no such file"},
		"a negative count": {func(t *testing.T) {
			f, err := os.OpenFile(filepath.Join(states, "steps.npy"), os.O_RDWR, 0)
			ok(t, err)
			_, err = f.WriteAt([]byte{255, 255, 255, 255, 255, 255, 255, 255}, 4096)
			ok(t, err)
			ok(t, f.Close())
		}, "has -1 steps, allowed are 0 to"},
	} {
		t.Run(name, func(t *testing.T) {
			ok(t, os.CopyFS(filepath.Join(t.TempDir(), "copy"), os.DirFS(states)))
			backup := filepath.Join(t.TempDir(), "backup")
			ok(t, os.CopyFS(backup, os.DirFS(states)))
			defer func() {
				ok(t, os.RemoveAll(states))
				ok(t, os.CopyFS(states, os.DirFS(backup)))
			}()
			c.change(t)
			table, err := embedding.Open(path)
			ok(t, err)
			err = newAdam(t).Update(table, vector(int64(1)), matrix(1, 2, float32(10), 20))
			if err == nil || !strings.Contains(err.Error(), c.text) {
				t.Errorf("error %v, want %s", err, c.text)
			}
			sameBits(t, "the table", bits(t, table), before)
			ok(t, table.Close())
		})
	}
	table, err = embedding.Open(path)
	ok(t, err)
	update(t, newAdam(t), table, 2)
	ok(t, table.Close())
}

// TestNextOptimizerOfAFile: an optimiser that is garbage leaves the files of its states to
// the next one, and one that is in use is named as what holds them.
func TestNextOptimizerOfAFile(t *testing.T) {
	table, err := embedding.Create(filepath.Join(t.TempDir(), "items.npy"), tensor.Float32, 30, 5, embedding.Zeros())
	ok(t, err)
	defer table.Close()
	twin, err := embedding.Make(tensor.Float32, 30, 5, embedding.Zeros())
	ok(t, err)
	first, second, both := makers(t)["Adam"](), makers(t)["Adam"](), makers(t)["Adam"]()
	update(t, first, table, 1)
	update(t, both, twin, 1)
	if err := step(t, second, table, 2); err == nil || !strings.Contains(err.Error(), "one Adam at a time") {
		t.Errorf("two Adams at once: %v", err)
	}
	runtime.KeepAlive(first)
	first = nil
	deadline := time.Now().Add(20 * time.Second)
	for err = step(t, second, table, 2); err != nil && time.Now().Before(deadline); err = step(t, second, table, 2) {
		runtime.GC()
		time.Sleep(time.Millisecond)
	}
	ok(t, err)
	ok(t, table.Prefetch(vector(0, 7, 29)))
	update(t, both, twin, 2)
	sameBits(t, "two steps, by two Adams and by one", bits(t, table), bits(t, twin))
}
