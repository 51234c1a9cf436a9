//go:build linux || darwin

package embedding_test

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"gorgonia.org/gather/dense"
	"gorgonia.org/gather/embedding"
	"gorgonia.org/gather/internal/files"
	G "gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

// makers are the optimisers, each made anew as often as needed.
func makers(t *testing.T) map[string]func() embedding.Optimizer {
	t.Helper()
	make := func(o embedding.Optimizer, err error) embedding.Optimizer {
		t.Helper()
		ok(t, err)
		return o
	}
	return map[string]func() embedding.Optimizer{
		"SGD": func() embedding.Optimizer { return make(embedding.NewSGD()) },
		"Adagrad": func() embedding.Optimizer {
			return make(embedding.NewAdagrad(embedding.WithLearnRateDecay(0.1), embedding.WithInitialAccumulator(0.25)))
		},
		"RowWiseAdagrad": func() embedding.Optimizer {
			return make(embedding.NewRowWiseAdagrad(embedding.WithInitialAccumulator(0.25)))
		},
		"Adam": func() embedding.Optimizer { return make(embedding.NewAdam()) },
	}
}

// update makes step k of a training of a table: always the same one.
func update(t *testing.T, o embedding.Optimizer, table *embedding.Table, k int) {
	t.Helper()
	rng := rand.New(rand.NewPCG(uint64(k), 77))
	rows, dim := table.Shape()[0], table.Shape()[1]
	ids := make([]int64, 20)
	for i := range ids {
		ids[i] = rng.Int64N(int64(rows))
	}
	shape := tensor.WithShape(len(ids), dim)
	var grads *tensor.Dense
	if table.Dtype() == tensor.Float32 {
		grads = tensor.New(shape, tensor.WithBacking(draw[float32](rng, len(ids)*dim)))
	} else {
		grads = tensor.New(shape, tensor.WithBacking(draw[float64](rng, len(ids)*dim)))
	}
	ok(t, o.Update(table, tensor.New(tensor.WithBacking(ids)), grads))
}

// bits are the rows of a table, read by a lookup: Weights would keep the mapping.
func bits(t *testing.T, table *embedding.Table) []uint64 {
	t.Helper()
	rows := table.Shape()[0]
	l, err := table.Lookup(G.NewGraph(), "all", rows)
	ok(t, err)
	all := make([]int64, rows)
	for i := range all {
		all[i] = int64(i)
	}
	ok(t, l.Set(tensor.New(tensor.WithShape(rows), tensor.WithBacking(all))))
	return bitsOf(l.Node().Value().(*tensor.Dense))
}

func bitsOf(d *tensor.Dense) []uint64 {
	var all []uint64
	if d.Dtype() == tensor.Float32 {
		for _, x := range d.Float32s() {
			all = append(all, uint64(math.Float32bits(x)))
		}
		return all
	}
	for _, x := range d.Float64s() {
		all = append(all, math.Float64bits(x))
	}
	return all
}

func sameBits(t *testing.T, what string, got, want []uint64) {
	t.Helper()
	if !slices.Equal(got, want) {
		t.Errorf("%s: other bits", what)
	}
}

// TestFileTables trains tables in files beside tables in memory: the same bits,
// also when the table and its optimiser are closed and taken up now and then.
func TestFileTables(t *testing.T) {
	const rows, dim = 50, 7
	for name, newOptimizer := range makers(t) {
		for _, dt := range []tensor.Dtype{tensor.Float32, tensor.Float64} {
			t.Run(fmt.Sprint(name, " ", dt), func(t *testing.T) {
				path := filepath.Join(t.TempDir(), "items.npy")
				init := embedding.Normal(3, 0, 1)
				inMemory, err := embedding.Make(dt, rows, dim, init)
				ok(t, err)
				inFile, err := embedding.Create(path, dt, rows, dim, init)
				ok(t, err)
				sameBits(t, "the beginning", bits(t, inFile), bits(t, inMemory))
				o, of := newOptimizer(), newOptimizer()
				for k := range 30 {
					if k%7 == 5 {
						ok(t, inFile.Close())
						inFile, err = embedding.Open(path)
						ok(t, err)
						of = newOptimizer()
						// What it remembers is there before it steps.
						for state, want := range o.State(inMemory) {
							sameBits(t, state, bitsOf(of.State(inFile)[state]), bitsOf(want))
						}
					}
					update(t, o, inMemory, k)
					update(t, of, inFile, k)
				}
				sameBits(t, "the rows", bits(t, inFile), bits(t, inMemory))
				ok(t, inFile.Sync())
				ok(t, inFile.Close())
				file, err := os.ReadFile(path)
				ok(t, err)
				data := file[len(file)-rows*dim*int(dt.Size()):]
				want := bits(t, inMemory)
				for i := range want {
					got := uint64(0)
					if dt == tensor.Float32 {
						got = uint64(binary.LittleEndian.Uint32(data[4*i:]))
					} else {
						got = binary.LittleEndian.Uint64(data[8*i:])
					}
					if got != want[i] {
						t.Fatalf("number %d in the file is %x, want %x", i, got, want[i])
					}
				}
			})
		}
	}
}

// npyFile writes a file with this header and so many bytes of data.
func npyFile(t *testing.T, version byte, header string, data int) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "items.npy")
	file := "\x93NUMPY" + string([]byte{version, 0})
	if version == 1 {
		file += string(binary.LittleEndian.AppendUint16(nil, uint16(len(header))))
	} else {
		file += string(binary.LittleEndian.AppendUint32(nil, uint32(len(header))))
	}
	file += header + strings.Repeat("\x00", data)
	ok(t, os.WriteFile(path, []byte(file), 0o666))
	return path
}

// padded is a header that NumPy could have written, of a length at which the data
// are aligned.
func padded(text string, version byte) string {
	lead := 10
	if version == 2 {
		lead = 12
	}
	for (lead+len(text)+1)%64 != 0 {
		text += " "
	}
	return text + "\n"
}

// TestOpenForeignFiles opens what others have written: what fits is a table, and what does
// not is an error that says why.
func TestOpenForeignFiles(t *testing.T) {
	for _, version := range []byte{1, 2} {
		path := npyFile(t, version, padded("{'descr': '<f8', 'fortran_order': False, 'shape': (3, 2, 2), }", version), 96)
		table, err := embedding.Open(path)
		ok(t, err)
		if !table.Shape().Eq(tensor.Shape{3, 2, 2}) || table.Dtype() != tensor.Float64 {
			t.Errorf("shape %v, dtype %v", table.Shape(), table.Dtype())
		}
		ok(t, table.Close())
	}
	empty := npyFile(t, 1, padded("{'descr': '<f4', 'fortran_order': False, 'shape': (0, 2), }", 1), 0)
	table, err := embedding.Open(empty)
	ok(t, err)
	ok(t, table.Close())

	text := filepath.Join(t.TempDir(), "ratings.csv")
	ok(t, os.WriteFile(text, []byte("userId,movieId,rating\n"), 0o666))
	readOnly := npyFile(t, 1, padded("{'descr': '<f4', 'fortran_order': False, 'shape': (3, 2), }", 1), 24)
	ok(t, os.Chmod(readOnly, 0o444))
	for name, c := range map[string]struct{ path, text string }{
		"missing":         {filepath.Join(t.TempDir(), "no.npy"), "no such file"},
		"no name":         {"", "no such file"},
		"a folder":        {t.TempDir(), "no regular file"},
		"text":            {text, "no .npy file"},
		"truncated":       {npyFile(t, 1, padded("{'descr': '<f4', 'fortran_order': False, 'shape': (3, 2), }", 1), 23), "promises 24 bytes of data, it has 23"},
		"longer":          {npyFile(t, 1, padded("{'descr': '<f4', 'fortran_order': False, 'shape': (3, 2), }", 1), 25), "goes on for 1 bytes"},
		"big-endian":      {npyFile(t, 1, padded("{'descr': '>f4', 'fortran_order': False, 'shape': (3, 2), }", 1), 24), "big-endian float32"},
		"Fortran's order": {npyFile(t, 1, padded("{'descr': '<f4', 'fortran_order': True, 'shape': (3, 2), }", 1), 24), "Fortran's order"},
		"integers":        {npyFile(t, 1, padded("{'descr': '<i4', 'fortran_order': False, 'shape': (3, 2), }", 1), 24), "elements are int32, allowed are float32 and float64"},
		"half precision":  {npyFile(t, 1, padded("{'descr': '<f2', 'fortran_order': False, 'shape': (3, 2), }", 1), 12), "<f2"},
		"a scalar":        {npyFile(t, 1, padded("{'descr': '<f4', 'fortran_order': False, 'shape': (), }", 1), 4), "holds a scalar"},
		"version 3.0":     {npyFile(t, 3, padded("{'descr': '<f4', 'fortran_order': False, 'shape': (), }", 2), 4), "version 3.0"},
		"not aligned":     {npyFile(t, 1, "{'descr': '<f4', 'fortran_order': False, 'shape': (3, 2)} \n", 24), "a multiple of 4 is needed"},
		"huge":            {npyFile(t, 1, padded("{'descr': '<f4', 'fortran_order': False, 'shape': (9000000000000000000, 9), }", 1), 24), "memory"},
		"read-only":       {readOnly, "is read-only"},
	} {
		table, err := embedding.Open(c.path)
		if table != nil || err == nil || !strings.HasPrefix(err.Error(), "Open: ") || !strings.Contains(err.Error(), c.text) {
			t.Errorf("%s: error %v, want %s", name, err, c.text)
		}
	}
	if _, err := embedding.Open(npyFile(t, 1, padded("{'descr': '<i8', 'fortran_order': False, 'shape': (3, 2), }", 1), 48)); !errors.Is(err, dense.ErrDtype) {
		t.Errorf("integers: error %v", err)
	}
	if _, err := embedding.Open(readOnly); !errors.Is(err, fs.ErrPermission) {
		t.Errorf("read-only: error %v", err)
	}
}

// TestCreateRefuses leaves no file where it is an error.
func TestCreateRefuses(t *testing.T) {
	folder := t.TempDir()
	path := filepath.Join(folder, "items.npy")
	zeros := embedding.Zeros()
	most := math.MaxInt >> 8 // times 16 bytes: more than any disk has
	if math.MaxInt == math.MaxInt32 {
		most = math.MaxInt >> 3 // more than can be mapped
	}
	for name, c := range map[string]struct {
		err error
		is  error
	}{
		"dtype":         {second(embedding.Create(path, tensor.Int64, 3, 2, zeros)), dense.ErrDtype},
		"no dtype":      {second(embedding.Create(path, tensor.Dtype{}, 3, 2, zeros)), dense.ErrDtype},
		"rows":          {second(embedding.Create(path, tensor.Float32, -1, 2, zeros)), dense.ErrShape},
		"dim":           {second(embedding.Create(path, tensor.Float32, 3, -2, zeros)), dense.ErrShape},
		"size":          {second(embedding.Create(path, tensor.Float32, math.MaxInt, math.MaxInt, zeros)), dense.ErrShape},
		"init":          {second(embedding.Create(path, tensor.Float32, 3, 2, embedding.FromRows(nil))), dense.ErrOption},
		"option":        {second(embedding.Create(path, tensor.Float32, 3, 2, zeros, embedding.ReadOnly())), dense.ErrOption},
		"make readonly": {second(embedding.Make(tensor.Float32, 3, 2, zeros, embedding.ReadOnly())), dense.ErrOption},
		"no folder":     {second(embedding.Create(filepath.Join(folder, "no", "items.npy"), tensor.Float32, 3, 2, zeros)), fs.ErrNotExist},
		"no name":       {second(embedding.Create("", tensor.Float32, 3, 2, zeros)), nil},
		"no disk":       {second(embedding.Create(path, tensor.Float32, most, 4, zeros)), nil},
		"panic": {second(embedding.Create(path, tensor.Float32, 3, 2, embedding.FromRows(func(int, []float64) { panic("sorry") }))),
			nil},
	} {
		if c.err == nil || c.is != nil && !errors.Is(c.err, c.is) {
			t.Errorf("%s: error %v, want %v", name, c.err, c.is)
		}
	}
	entries, err := os.ReadDir(folder)
	ok(t, err)
	if len(entries) > 0 {
		t.Errorf("there are %v", entries)
	}
	table, err := embedding.Create(path, tensor.Float32, 3, 2, zeros)
	ok(t, err)
	ok(t, newAdam(t).Update(table, vector(int64(1)), matrix(1, 2, float32(10), 20)))
	if _, err := embedding.Create(path, tensor.Float32, 3, 2, zeros); !errors.Is(err, fs.ErrExist) {
		t.Errorf("a file that is there: error %v", err)
	}
	if _, err := embedding.Open(path); !errors.Is(err, files.ErrLocked) {
		t.Errorf("a table that is open: error %v", err)
	}
	ok(t, table.Close())
	ok(t, os.Remove(path))
	_, err = embedding.Create(path, tensor.Float32, 3, 2, zeros)
	if !errors.Is(err, fs.ErrExist) || !strings.Contains(err.Error(), "items.adam has what an optimiser remembers of an older table") {
		t.Errorf("states of an older table: error %v", err)
	}
}

func second[T any](_ T, err error) error { return err }

func newAdam(t *testing.T) embedding.Optimizer { return makers(t)["Adam"]() }

// TestReadOnly looks up and refuses to learn.
func TestReadOnly(t *testing.T) {
	path := filepath.Join(t.TempDir(), "items.npy")
	table, err := embedding.Create(path, tensor.Float32, 4, 2, embedding.Uniform(1, 0, 1))
	ok(t, err)
	reader, err := embedding.Open(path, embedding.ReadOnly())
	ok(t, err)
	o := newAdam(t)
	update(t, o, table, 1)
	sameBits(t, "what another table learns", bits(t, reader), bits(t, table))

	before := bits(t, table)
	ids, grads := vector(int64(1)), matrix(1, 2, float32(10), 20)
	if err := o.Update(reader, ids, grads); err == nil || !strings.Contains(err.Error(), "opened with ReadOnly") {
		t.Errorf("Update: error %v", err)
	}
	if err := embedding.Save(t.TempDir(), map[string]*embedding.Table{"items": reader}, o); err == nil || !strings.Contains(err.Error(), "ReadOnly") {
		t.Errorf("Save with an optimiser whose states are locked: error %v", err)
	}
	if len(o.State(reader)) != 0 {
		t.Error("an optimiser remembers something of a table it cannot step")
	}
	weights, err := reader.Weights()
	ok(t, err)
	weights.Float32s()[0] = 99 // ends no process
	ok(t, reader.Sync())
	sameBits(t, "the table", bits(t, table), before)
	ok(t, reader.Close())
	ok(t, table.Close())
	table, err = embedding.Open(path, embedding.ReadOnly())
	ok(t, err)
	sameBits(t, "the file", bits(t, table), before)
	ok(t, table.Close())
}

// TestClose: nothing works on a closed table, and tensors of it stay readable.
func TestCloseOfFiles(t *testing.T) {
	path := filepath.Join(t.TempDir(), "items.npy")
	table, err := embedding.Create(path, tensor.Float32, 4, 2, embedding.Uniform(1, 0, 1))
	ok(t, err)
	l, err := table.Lookup(G.NewGraph(), "ids", 1)
	ok(t, err)
	o := newAdam(t)
	ids, grads := vector(int64(1)), matrix(1, 2, float32(10), 20)
	ok(t, o.Update(table, ids, grads))
	weights, err := table.Weights()
	ok(t, err)
	state := o.State(table)["m"]
	want := [][]uint64{bitsOf(weights), bitsOf(state)}
	ok(t, table.Close())
	ok(t, table.Close())
	sameBits(t, "weights", bitsOf(weights), want[0])
	sameBits(t, "state", bitsOf(state), want[1])
	if len(o.State(table)) != 0 {
		t.Error("there is state of a closed table")
	}
	for name, err := range map[string]error{
		"Set": l.Set(ids), "Update": o.Update(table, ids, grads), "Weights": second(table.Weights()), "Sync": table.Sync(),
		"Update of another": newAdam(t).Update(table, ids, grads),
		"Save":              embedding.Save(t.TempDir(), map[string]*embedding.Table{"items": table}, nil),
	} {
		if err == nil || !strings.Contains(err.Error(), "closed") {
			t.Errorf("%s: error %v", name, err)
		}
	}
	table, err = embedding.Open(path) // although the tensors stay
	ok(t, err)
	sameBits(t, "the file", bits(t, table), want[0])
	ok(t, newAdam(t).Update(table, ids, grads))
	ok(t, table.Close())
}

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
	if _, err := os.Stat(filepath.Join(folder, "items.adam", "m.npy")); err != nil {
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
	ok(t, os.Mkdir(filepath.Join(folder, "items.adam.partial"), 0o777))
	ok(t, os.WriteFile(filepath.Join(folder, "items.adam.partial", "m.npy"), nil, 0o666))
	o := newAdam(t)
	update(t, o, table, 1)
	before := bits(t, table)
	if err := newAdam(t).Update(table, vector(int64(1)), matrix(1, 2, float32(10), 20)); !errors.Is(err, files.ErrLocked) {
		t.Errorf("a second optimiser of the kind: error %v", err)
	}
	ok(t, table.Close())
	states := filepath.Join(folder, "items.adam")
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
		}, "says that there were -1 steps"},
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
