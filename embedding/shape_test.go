package embedding_test

import (
	"math"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"gorgonia.org/gather/dense"
	"gorgonia.org/gather/embedding"
	"gorgonia.org/tensor"
)

// TestRowsWithoutColumns: rows of no numbers take no time, however many there are.
func TestRowsWithoutColumns(t *testing.T) {
	table, err := embedding.Make(tensor.Float32, math.MaxInt/4, 0, embedding.Zeros())
	ok(t, err)
	for s := embedding.Float64; s <= embedding.BFloat16; s++ {
		fewer, err := table.Quantize(s)
		ok(t, err)
		if got := fewer.Shape(); got[0] != math.MaxInt/4 || got[1] != 0 {
			t.Errorf("%v: shape %v", s, got)
		}
	}
	_, err = table.Quantize(embedding.Int8) // which has 8 bytes a row
	refused(t, err, dense.ErrShape, "of such are allowed")
}

// TestEndlessRows: rows that no memory holds can be none, but no file can have them.
func TestEndlessRows(t *testing.T) {
	if strconv.IntSize == 32 {
		t.Skip("files can have any row")
	}
	table, err := embedding.Make(tensor.Float32, 0, math.MaxInt, embedding.Zeros())
	ok(t, err)
	_, err = table.Quantize(embedding.Int8)
	refused(t, err, dense.ErrShape, "larger than any memory")
	folder := t.TempDir()
	for name, err := range map[string]error{
		"items.npy":         table.WriteFile(filepath.Join(folder, "items.npy")),
		"items.safetensors": table.WriteFile(filepath.Join(folder, "items.safetensors")),
		"checkpoint":        embedding.Save(filepath.Join(folder, "checkpoint"), map[string]*embedding.Table{"items": table}, nil),
	} {
		if err == nil || !strings.Contains(err.Error(), "larger than any memory") {
			t.Errorf("%s: %v", name, err)
		}
	}
}
