package embedding_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gorgonia.org/gather/dense"
	"gorgonia.org/gather/embedding"
	G "gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

// saved is a folder of a checkpoint that Adam has trained.
func saved(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	p, o := newPair(t, 1), newAdam(t)
	p.train(t, o, 0, 5)
	ok(t, embedding.Save(dir, p, o))
	return dir
}

// TestLoadRefuses changes nothing where something does not fit.
func TestLoadRefuses(t *testing.T) {
	other := func(dt tensor.Dtype, rows, dim int) *embedding.Table {
		table, err := embedding.Make(dt, rows, dim, embedding.Zeros())
		ok(t, err)
		return table
	}
	edit := func(old, new string) func(dir string) {
		return func(dir string) {
			path := filepath.Join(dir, "manifest.json")
			text, err := os.ReadFile(path)
			ok(t, err)
			if !strings.Contains(string(text), old) {
				t.Fatalf("no %s in %s", old, text)
			}
			ok(t, os.WriteFile(path, []byte(strings.Replace(string(text), old, new, 1)), 0o666))
		}
	}
	items := filepath.Join("generation-000001", "items.npy")
	flip := func(name string) func(dir string) {
		return func(dir string) {
			path := filepath.Join(dir, name)
			file, err := os.ReadFile(path)
			ok(t, err)
			file[len(file)-1] ^= 1
			ok(t, os.WriteFile(path, file, 0o666))
		}
	}
	for _, c := range []struct {
		name   string
		change func(dir string)
		tables func(p pair)
		is     error
		text   string
	}{
		{"nothing saved", func(dir string) { ok(t, os.Remove(filepath.Join(dir, "manifest.json"))) }, nil, fs.ErrNotExist, "nothing has been saved in"},
		{"a table too many", nil, func(p pair) { p["more"] = other(tensor.Float32, 1, 1) }, nil, "given are items, more,"},
		{"a table too few", nil, func(p pair) { delete(p, "items") }, nil, "has the tables items,"},
		{"another name", nil, func(p pair) { p["item"] = p["items"]; delete(p, "items") }, nil, "given are item,"},
		{"another shape", nil, func(p pair) { p["items"] = other(tensor.Float32, 31, 5) }, dense.ErrShape, "table items: "},
		{"another dtype", nil, func(p pair) { p["items"] = other(tensor.Float64, 30, 5) }, dense.ErrDtype, "has the dtype float32, this table float64"},
		{"a nil table", nil, func(p pair) { p["items"] = nil }, nil, "table items: "},
		{"one table twice", nil, func(p pair) { p["items"] = p[odd] }, nil, "are the same one"},
		{"another optimiser", edit(`"Adam"`, `"Adagrad"`), nil, nil, "was saved with the optimiser Adagrad, this is Adam"},
		{"no manifest", func(dir string) { ok(t, os.WriteFile(filepath.Join(dir, "manifest.json"), []byte("items: 7"), 0o666)) }, nil, nil, "is no manifest"},
		{"another format", edit("embedding checkpoint", "something"), nil, nil, "is no manifest of this package"},
		{"another version", edit(`"version": 1`, `"version": 2`), nil, nil, "of version 2, 1 is allowed"},
		{"no generation", edit(`"generation": 1`, `"generation": 0`), nil, nil, "names generation 0"},
		{"a file elsewhere", edit(`generation-000001/items.npy`, `../items.npy`), nil, nil, "which is not in the folder"},
		{"an absolute file", edit(`generation-000001/items.npy`, `/etc/passwd`), nil, nil, "which is not in the folder"},
		{"a negative number of steps", edit(`"steps": 5`, `"steps": -5`), nil, nil, "-5 steps of a table"},
		{"a state too few", edit(`"m": {`, `"x": {`), nil, nil, "lacks the state m"},
		{"a state too many", edit(`"m": {`, `"s": {"file": "generation-000001/items.npy"}, "m": {`), nil, nil, "which are not those of Adam"},
		{"other rows", flip(items), nil, nil, "it has been changed since"},
		{"another state", flip(filepath.Join("generation-000001", "items.v.npy")), nil, nil, "it has been changed since"},
		{"a file missing", func(dir string) { ok(t, os.Remove(filepath.Join(dir, items))) }, nil, fs.ErrNotExist, "items.npy"},
		{"a file truncated", func(dir string) { ok(t, os.Truncate(filepath.Join(dir, items), 4200)) }, nil, nil, "truncated"},
		{"another file", func(dir string) { ok(t, os.WriteFile(filepath.Join(dir, items), []byte("hello"), 0o666)) }, nil, nil, "no .npy file"},
		{"files exchanged", edit("items.npy", "items.v.npy"), nil, nil, "it has been changed since"},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := saved(t)
			if c.change != nil {
				c.change(dir)
			}
			p, o := newPair(t, 7), newAdam(t)
			p.train(t, o, 3, 9)
			given := pair{}
			for name, table := range p {
				given[name] = table
			}
			if c.tables != nil {
				c.tables(given)
			}
			err := embedding.Load(dir, given, o)
			if err == nil || !strings.HasPrefix(err.Error(), "Load: ") && !strings.Contains(err.Error(), "table items: Load") ||
				!strings.Contains(err.Error(), c.text) || c.is != nil && !errors.Is(err, c.is) {
				t.Errorf("error %v, want %s", err, c.text)
			}
			want, ow := newPair(t, 7), newAdam(t)
			want.train(t, ow, 3, 9)
			p.same(t, "after the error", want)
			p.train(t, o, 9, 12)
			want.train(t, ow, 9, 12)
			p.same(t, "trained after the error", want)
		})
	}
}

// stranger is an optimiser of somebody else's.
type stranger struct{ embedding.Optimizer }

// TestSaveRefuses leaves the old generation as it is.
func TestSaveRefuses(t *testing.T) {
	dir := saved(t)
	p, o := newPair(t, 9), newAdam(t)
	file := filepath.Join(t.TempDir(), "file")
	ok(t, os.WriteFile(file, nil, 0o666))
	blocked := saved(t)
	ok(t, os.WriteFile(filepath.Join(blocked, "generation-000002"), []byte("mine"), 0o666))
	for name, c := range map[string]struct {
		dir    string
		tables pair
		o      embedding.Optimizer
		text   string
	}{
		"no name":          {"", p, o, "the folder's name is empty"},
		"below a file":     {filepath.Join(file, "below"), p, o, "not a directory"},
		"no tables":        {dir, pair{}, o, "Save: no tables, 1 or more are needed"},
		"a nil table":      {dir, pair{"items": nil}, o, "table items: "},
		"a zero table":     {dir, pair{"items": {}}, o, "table items: "},
		"a table twice":    {dir, pair{"a": p["items"], "b": p["items"]}, o, "the tables a and b are the same one"},
		"a name of bytes":  {dir, pair{"a\xff": p["items"]}, o, "is not valid UTF-8"},
		"a stranger":       {dir, p, stranger{o}, "embedding_test.stranger, those that this package makes can be saved"},
		"something in way": {blocked, p, o, "exists"},
	} {
		if err := embedding.Save(c.dir, c.tables, c.o); err == nil || !strings.Contains(err.Error(), c.text) {
			t.Errorf("%s: error %v, want %s", name, err, c.text)
		}
	}
	if err := embedding.Load("", p, o); err == nil || !strings.Contains(err.Error(), "Load: the folder's name is empty") {
		t.Errorf("Load of no name: error %v", err)
	}
	if got, err := os.ReadFile(filepath.Join(blocked, "generation-000002")); err != nil || string(got) != "mine" {
		t.Errorf("what was in the way is %q, error %v", got, err)
	}
	want := newPair(t, 1)
	want.train(t, newAdam(t), 0, 5)
	for _, dir := range []string{dir, blocked} {
		q := newPair(t, 2)
		ok(t, embedding.Load(dir, q, newAdam(t)))
		q.same(t, "the old generation", want)
	}
}

// TestLoadThatFailsKeepsTheStep: after a Load that fails, gradients of weights are those of
// rows that nobody has changed; after one that does not, they are refused.
func TestLoadThatFailsKeepsTheStep(t *testing.T) {
	table, err := embedding.Make(tensor.Float64, 4, 2, embedding.Normal(1, 0, 1))
	ok(t, err)
	folder := filepath.Join(t.TempDir(), "checkpoint")
	tables := map[string]*embedding.Table{"items": table}
	ok(t, embedding.Save(folder, tables, nil))
	g := G.NewGraph()
	bag, err := table.Bag(g, "bag", 1, embedding.Sum)
	ok(t, err)
	_, err = G.Grad(G.Must(G.Sum(bag.Node())), bag.Node())
	ok(t, err)
	m := G.NewTapeMachine(g)
	defer m.Close()
	ok(t, bag.SetBags(matrix(1, 2, int64(0), 1), nil, matrix(1, 2, 1.0, 2.0)))
	ok(t, m.RunAll())
	path := filepath.Join(folder, "generation-000001", "items.npy")
	saved, err := os.ReadFile(path)
	ok(t, err)
	saved[len(saved)-1] ^= 1
	ok(t, os.WriteFile(path, saved, 0o666))
	if err := embedding.Load(folder, tables, nil); err == nil {
		t.Fatal("a damaged checkpoint is loaded")
	}
	_, err = bag.WeightGradients()
	ok(t, err)
	saved[len(saved)-1] ^= 1
	ok(t, os.WriteFile(path, saved, 0o666))
	ok(t, embedding.Load(folder, tables, nil))
	if _, err = bag.WeightGradients(); err == nil {
		t.Error("gradients of rows that Load has replaced")
	}
}

// TestSaveOfItsOwnGeneration: a table that is a file of the checkpoint would be removed by
// the Save that replaces it, under the steps that follow.
func TestSaveOfItsOwnGeneration(t *testing.T) {
	needsFiles(t)
	folder := filepath.Join(t.TempDir(), "checkpoint")
	table, err := embedding.Make(tensor.Float32, 30, 5, embedding.Zeros())
	ok(t, err)
	ok(t, embedding.Save(folder, map[string]*embedding.Table{"items": table}, nil))
	path := filepath.Join(folder, "generation-000001", "items.npy")
	saved, err := embedding.Open(path)
	ok(t, err)
	defer saved.Close()
	err = embedding.Save(folder, map[string]*embedding.Table{"items": saved}, nil)
	if err == nil || !strings.Contains(err.Error(), "which Save replaces") {
		t.Error(err)
	}
	_, err = os.Lstat(path)
	ok(t, err)
	ok(t, embedding.Save(folder+"2", map[string]*embedding.Table{"items": saved}, nil))
}
