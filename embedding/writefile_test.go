package embedding_test

import (
	"encoding/binary"
	"fmt"
	"io/fs"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"gorgonia.org/gather/dense"
	"gorgonia.org/gather/embedding"
	"gorgonia.org/tensor"
)

var allStorages = append([]embedding.Storage{embedding.Float64, embedding.Float32}, narrow...)

// TestWriteFile writes tables of all storages and opens them: the same rows in the same
// storage and shape.
func TestWriteFile(t *testing.T) {
	needsFiles(t)
	dir := t.TempDir()
	rng := rand.New(rand.NewPCG(4, 4))
	for _, shape := range []tensor.Shape{{5, 3}, {300, 64}, {7}, {4, 3, 2}, {0, 5}} {
		from, err := embedding.New(tensor.New(tensor.WithShape(shape...), tensor.Of(tensor.Float32)))
		if n := shape.TotalSize(); n > 0 {
			from, err = embedding.New(tensor.New(tensor.WithShape(shape...), tensor.WithBacking(draw[float32](rng, n))))
		}
		ok(t, err)
		for _, s := range allStorages {
			table, err := from.Quantize(s)
			ok(t, err)
			for _, ending := range []string{".safetensors", ".npy"} {
				what := fmt.Sprintf("%v of %v%s", s, shape, ending)
				path := filepath.Join(dir, what)
				err := table.WriteFile(path)
				if ending == ".npy" && (s == embedding.BFloat16 || s == embedding.Int8 || s == embedding.Int4) {
					refused(t, err, dense.ErrDtype, "WriteFile: a .npy file has no", ".safetensors")
					continue
				}
				ok(t, err)
				refused(t, table.WriteFile(path), fs.ErrExist, "WriteFile")
				opened, err := embedding.Open(path)
				ok(t, err)
				if opened.Storage() != s || !opened.Shape().Eq(table.Shape()) {
					t.Errorf("%s: %v, %v", what, opened.Storage(), opened.Shape())
				}
				if shape[0] > 0 {
					sameBits(t, what, bits(t, opened), bits(t, table))
				}
				ok(t, opened.Close())
			}
		}
	}
	table, err := embedding.New(matrix(1, 1, 1.0))
	ok(t, err)
	refused(t, table.WriteFile(filepath.Join(dir, "x.bin")), nil, "ends in .safetensors or .npy")
	refused(t, table.WriteFile(filepath.Join(dir, "no", "x.npy")), fs.ErrNotExist)
	ok(t, table.Close())
	refused(t, table.WriteFile(filepath.Join(dir, "x.npy")), nil, "closed")
}

func needsFiles(t *testing.T) {
	t.Helper()
	if runtime.GOOS != "linux" && runtime.GOOS != "darwin" {
		t.Skip("tables in files are for Linux and macOS")
	}
}

// tensors writes a .safetensors file of a header and data.
func tensors(t *testing.T, header string, data ...byte) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "model.safetensors")
	file := append(binary.LittleEndian.AppendUint64(nil, uint64(len(header))), header...)
	ok(t, os.WriteFile(path, append(file, data...), 0o666))
	return path
}

// TestTensorAnywhere opens the tensors of a file at any alignment: lookups and bags are
// those of a table in memory. Only aligned ones have Weights, and none can be trained.
func TestTensorAnywhere(t *testing.T) {
	needsFiles(t)
	rng := rand.New(rand.NewPCG(5, 5))
	const rows, dim = 9, 5
	plain := newPlainTable(draw[float64](rng, rows*dim), rows, dim, 0)
	ids := matrix(2, 4, 0, 8, -1, 3, 3, 3, 7, 2)
	for before := range 9 {
		for dtype, width := range map[string]int{"F64": 8, "F32": 4} {
			size := rows * dim * width
			header := fmt.Sprintf(`{"w": {"dtype": %q, "shape": [%d, %d], "data_offsets": [%d, %d]}, "v": {"dtype": "U8", "shape": [%d, 1], "data_offsets": [0, %d]}}`,
				dtype, rows, dim, before, before+size, before, before)
			for len(header)%8 != 0 {
				header += " "
			}
			data := make([]byte, before)
			var all []float32
			for _, x := range flat(plain.w) {
				if width == 8 {
					data = binary.LittleEndian.AppendUint64(data, math.Float64bits(x))
				} else {
					data = binary.LittleEndian.AppendUint32(data, math.Float32bits(float32(x)))
				}
				all = append(all, float32(x))
			}
			table, err := embedding.Open(tensors(t, header, data...), embedding.WithTensor("w"))
			ok(t, err)
			memory, err := embedding.New(matrix(rows, dim, all...))
			if width == 8 {
				memory, err = embedding.New(matrix(rows, dim, flat(plain.w)...))
			}
			ok(t, err)
			what := fmt.Sprint(dtype, " at ", before)
			sameBits(t, what+", Rows", bitsOf(must(table.Rows(ids))), bitsOf(must(memory.Rows(ids))))
			for mode := embedding.Sum; mode <= embedding.Max; mode++ {
				sameBits(t, fmt.Sprint(what, ", ", mode), bitsOf(must(table.Bags(ids, nil, nil, mode))), bitsOf(must(memory.Bags(ids, nil, nil, mode))))
			}
			if _, err := table.Weights(); before%width == 0 {
				ok(t, err)
			} else {
				refused(t, err, nil, "Weights: the rows begin at an address", "Rows")
			}
			grads := tensor.New(tensor.WithShape(1, dim), tensor.Of(table.Dtype()))
			refused(t, newAdam(t).Update(table, vector(0), grads), nil, "Update", "model.safetensors is for lookups only", "Quantize")
			ok(t, table.Close())
		}
	}
}

// TestRefusedTensors: files and names that are no tables.
func TestRefusedTensors(t *testing.T) {
	needsFiles(t)
	const several = `{"embed": {"dtype": "F32", "shape": [1, 1], "data_offsets": [0, 4]}, "bias": {"dtype": "F32", "shape": [1], "data_offsets": [4, 8]},
		"scalar": {"dtype": "F32", "shape": [], "data_offsets": [8, 12]}, "ints": {"dtype": "I32", "shape": [1, 1], "data_offsets": [12, 16]}}`
	open := func(header string, data int, opts ...embedding.TableOption) error {
		return second(embedding.Open(tensors(t, header, make([]byte, data)...), opts...))
	}
	refused(t, open(several, 16), dense.ErrOption, "Open: ", "4 tensors", "WithTensor", "rank 2 are embed, ints")
	refused(t, open(several, 16, embedding.WithTensor("x")), nil, "no tensor has the name x", "embed, ints")
	refused(t, open(several, 16, embedding.WithTensor("scalar")), dense.ErrShape, "tensor scalar: it is a scalar")
	refused(t, open(several, 16, embedding.WithTensor("ints")), dense.ErrDtype, "elements are I32, allowed are F64")
	refused(t, open(several, 15, embedding.WithTensor("embed")), nil, "tensor ints: it has the offsets")
	u8 := func(metadata string) string {
		return `{"__metadata__": ` + metadata + `, "w": {"dtype": "U8", "shape": [2, 12], "data_offsets": [0, 24]}}`
	}
	ok(t, open(u8(`{"storage": "int8", "columns": "4"}`), 24))
	ok(t, open(u8(`{"storage": "int4", "columns": "2,8"}`), 24))
	refused(t, open(u8(`{}`), 24), dense.ErrDtype, "storage int8 or int4")
	refused(t, open(u8(`{"storage": "int8"}`), 24), dense.ErrShape, "columns")
	refused(t, open(u8(`{"storage": "int8", "columns": "5"}`), 24), dense.ErrShape, "have 13 bytes")
	refused(t, open(u8(`{"storage": "int8", "columns": "-4"}`), 24), dense.ErrShape, "-4")
	refused(t, open(u8(`{"storage": "int8", "columns": "2147483647,2147483647"}`), 24), dense.ErrShape, "larger than any memory")
	path := filepath.Join(t.TempDir(), "x.npy")
	table, err := embedding.New(matrix(1, 1, 1.0))
	ok(t, err)
	ok(t, table.WriteFile(path))
	refused(t, second(embedding.Open(path, embedding.WithTensor("w"))), dense.ErrOption, "WithTensor is for .safetensors")
	refused(t, second(embedding.New(matrix(1, 1, 1.0), embedding.WithTensor("w"))), dense.ErrOption, "WithTensor is for Open")
}

// TestRankOneInFewerBits: a tensor of rank 1 is one again in a file, in all storages.
func TestRankOneInFewerBits(t *testing.T) {
	needsFiles(t)
	table, err := embedding.New(vector[float32](1, 2, 3, 4))
	ok(t, err)
	for s := embedding.Float64; s <= embedding.Int4; s++ {
		fewer, err := table.Quantize(s)
		ok(t, err)
		path := filepath.Join(t.TempDir(), "items.safetensors")
		ok(t, fewer.WriteFile(path))
		opened, err := embedding.Open(path)
		ok(t, err)
		defer opened.Close()
		if got := opened.Shape(); len(got) != 1 || got[0] != 4 {
			t.Errorf("%v: shape %v", s, got)
		}
		rows, err := opened.Rows(vector(1, 2))
		ok(t, err)
		if got := rows.Shape(); len(got) != 1 {
			t.Errorf("%v: two rows of shape %v", s, got)
		}
	}
}
