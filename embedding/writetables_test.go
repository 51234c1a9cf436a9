package embedding_test

import (
	"bytes"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gorgonia.org/gather/dense"
	"gorgonia.org/gather/embedding"
	"gorgonia.org/tensor"
)

// hostileNames are names that JSON escapes, that look like keys of the metadata, and that
// are long.
var hostileNames = []string{
	"", " ", "weight", "storage", "a", "a.storage", "a.columns", "a.storage.storage", "__metadata__ ", "__metadata__.storage", "format",
	"model.embed_tokens.weight", "ä€😀", "\"\\/\b\f\n\r\t", "\x00", "<>&", "\u2028", "\ufffd", "null", "../x", strings.Repeat("long", 5000),
}

// TestWriteTables writes tables of all storages and several shapes into one file, under
// hostile names, and opens each: the same rows in the same storage and shape. Numbers are
// aligned.
func TestWriteTables(t *testing.T) {
	needsFiles(t)
	rng := rand.New(rand.NewPCG(6, 6))
	shapes := []tensor.Shape{{5, 3}, {30, 64}, {7}, {4, 3, 2}, {0, 5}}
	tables := map[string]*embedding.Table{}
	for i, name := range hostileNames {
		shape := shapes[i%len(shapes)]
		from, err := embedding.New(tensor.New(tensor.WithShape(shape...), tensor.Of(tensor.Float32)))
		if n := shape.TotalSize(); n > 0 {
			from, err = embedding.New(tensor.New(tensor.WithShape(shape...), tensor.WithBacking(draw[float32](rng, n))))
		}
		ok(t, err)
		tables[name], err = from.Quantize(allStorages[i%len(allStorages)])
		ok(t, err)
	}
	tables["once more"] = tables["weight"]
	path := filepath.Join(t.TempDir(), "tables.safetensors")
	ok(t, embedding.WriteTables(path, tables))
	for name, want := range tables {
		what := fmt.Sprintf("%.40q", name)
		got, err := embedding.Open(path, embedding.WithTensor(name))
		ok(t, err)
		if got.Storage() != want.Storage() || !got.Shape().Eq(want.Shape()) {
			t.Errorf("%s: %v of %v, want %v of %v", what, got.Storage(), got.Shape(), want.Storage(), want.Shape())
		}
		if want.Shape()[0] > 0 {
			sameBits(t, what, bits(t, got), bits(t, want))
		}
		if s := got.Storage(); s == embedding.Float32 || s == embedding.Float64 {
			if _, err := got.Weights(); err != nil {
				t.Errorf("%s: %v", what, err)
			}
		}
		ok(t, got.Close())
	}
	again := filepath.Join(t.TempDir(), "again.safetensors")
	ok(t, embedding.WriteTables(again, tables))
	first, err := os.ReadFile(path)
	ok(t, err)
	other, err := os.ReadFile(again)
	ok(t, err)
	if !bytes.Equal(first, other) {
		t.Error("the same tables make another file")
	}
	refused(t, second(embedding.Open(path)), dense.ErrOption, "name one by WithTensor")
	refused(t, second(embedding.Open(path, embedding.WithTensor("b"))), nil, "no tensor has the name b")
}

// TestWriteOneTable opens a table that is alone in its file without a name.
func TestWriteOneTable(t *testing.T) {
	needsFiles(t)
	from, err := embedding.New(matrix(2, 3, float32(1), 2, 3, 4, 5, 6))
	ok(t, err)
	for _, s := range allStorages {
		table, err := from.Quantize(s)
		ok(t, err)
		path := filepath.Join(t.TempDir(), "one.safetensors")
		ok(t, embedding.WriteTables(path, map[string]*embedding.Table{"words": table}))
		got, err := embedding.Open(path)
		ok(t, err)
		sameBits(t, s.String(), bits(t, got), bits(t, table))
		ok(t, got.Close())
	}
}

// TestWriteTablesRefused has what no file can be made of; none is left behind.
func TestWriteTablesRefused(t *testing.T) {
	needsFiles(t)
	table, err := embedding.New(matrix(1, 1, 1.0))
	ok(t, err)
	closed, err := embedding.New(matrix(1, 1, 1.0))
	ok(t, err)
	ok(t, closed.Close())
	folder := t.TempDir()
	write := func(file string, tables map[string]*embedding.Table) error {
		return embedding.WriteTables(filepath.Join(folder, file), tables)
	}
	type list = map[string]*embedding.Table
	refused(t, write("x.safetensors", nil), dense.ErrOption, "WriteTables: there are no tables")
	refused(t, write("x.npy", list{"a": table}), dense.ErrOption, "x.npy, it ends in .safetensors")
	refused(t, write("x.safetensors", list{"a": table, "__metadata__": table}), dense.ErrOption, "WriteTables: no tensor can have the name __metadata__")
	refused(t, write("x.safetensors", list{"a\xff": table}), dense.ErrOption, "no valid UTF-8")
	refused(t, write("x.safetensors", list{"\xed\xa0\x80": table}), dense.ErrOption, "no valid UTF-8") // half of a surrogate pair
	refused(t, write("x.safetensors", list{"a": table, "b": nil}), nil, "b: WriteTables: the table is nil")
	refused(t, write("x.safetensors", list{"a": new(embedding.Table)}), nil, "a: WriteTables: the table is the zero Table")
	refused(t, write("x.safetensors", list{"a": table, "b": closed}), nil, "WriteTables: the table is closed")
	refused(t, write("no/x.safetensors", list{"a": table}), fs.ErrNotExist, "WriteTables")
	entries, err := os.ReadDir(folder)
	ok(t, err)
	if len(entries) != 0 {
		t.Errorf("%v is left behind", entries)
	}
	ok(t, write("x.safetensors", list{"a": table}))
	refused(t, write("x.safetensors", list{"a": table}), fs.ErrExist, "WriteTables")
}

// TestWriteTablesBesideSteps writes tables while they are stepped, one of them twice.
func TestWriteTablesBesideSteps(t *testing.T) {
	needsFiles(t)
	folder := t.TempDir()
	one, err := embedding.New(matrix(1, 1, 1.0))
	ok(t, err)
	two, err := embedding.New(matrix(1, 1, 1.0))
	ok(t, err)
	sgd, err := embedding.NewSGD()
	ok(t, err)
	done := make(chan error)
	go func() {
		for range 200 {
			for _, table := range []*embedding.Table{two, one} {
				if err := sgd.Update(table, vector(0), matrix(1, 1, 1.0)); err != nil {
					done <- err
					return
				}
			}
		}
		done <- nil
	}()
	for i := range 10 {
		ok(t, embedding.WriteTables(filepath.Join(folder, fmt.Sprint(i, ".safetensors")), map[string]*embedding.Table{"a": two, "b": one, "c": two}))
	}
	ok(t, <-done)
}
