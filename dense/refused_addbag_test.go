package dense_test

import (
	"errors"
	"slices"
	"testing"

	"gorgonia.org/gather/dense"
	"gorgonia.org/gather/shapes"
	"gorgonia.org/tensor"
)

// TestAddBagRefuses gives the gradients of bags updates and tables that do not fit, for each reduction.
func TestAddBagRefuses(t *testing.T) {
	float32s := func(shape ...int) *tensor.Dense { return values(shape, make([]float32, tensor.ProdInts(shape))...) }
	float64s := func(shape ...int) *tensor.Dense { return values(shape, make([]float64, tensor.ProdInts(shape))...) }
	for reduction, name := range map[dense.Reduction]string{dense.Add: "AddEmbeddingBagOffsets", dense.Mean: "AddEmbeddingBagOffsets", dense.Max: "AddEmbeddingBagOffsets", dense.None: "AddSegmentMax"} {
		for _, c := range []struct {
			updates, table *tensor.Dense
			is             error
			text           string // behind the operator's name
			most           bool   // for the greatest alone, others need no table
		}{
			{float32s(2, 4), float32s(3, 2), shapes.ErrShape, "updates (2, 4) must have the shape (2, 2) of the result", false},
			{float32s(1, 1), float32s(3, 2), shapes.ErrShape, "updates (1, 1) must have the shape (2, 2) of the result", false},
			{float64s(2, 2), float32s(3, 2), dense.ErrDtype, "updates must have the dtype float32 of dst, not float64", false},
			{float32s(2, 2), float32s(3, 4), shapes.ErrShape, " (3, 4) must have the shape (3, 2) of dst", true},
			{float32s(2, 2), float64s(3, 2), dense.ErrDtype, " must have the dtype float32 of dst, not float64", true},
		} {
			greatest := reduction == dense.Max || reduction == dense.None
			if c.most && !greatest {
				continue
			}
			backing := []float32{1, 2, 3, 4, 5, 6}
			dst := tensor.New(tensor.WithShape(3, 2), tensor.WithBacking(slices.Clone(backing)))
			positions, text := values(dims{3}, int64(0), 0, 1), c.text
			if c.most {
				text = map[bool]string{true: "data", false: "table"}[reduction == dense.None] + text
			}
			var err error
			if reduction == dense.None {
				err = dense.AddSegmentMax(dst, c.updates, c.table, positions, 2)
			} else {
				err = dense.AddEmbeddingBagOffsets(dst, c.updates, c.table, positions, values(dims{2}, int64(0), 2), nil, dense.WithReduction(reduction))
			}
			if want := name + ": " + text; !errors.Is(err, c.is) || err.Error() != want {
				t.Errorf("reduction %v: error %v, want %s", reduction, err, want)
			}
			if !slices.Equal(dst.Data().([]float32), backing) {
				t.Errorf("%s, reduction %v: dst has changed to %v", name, reduction, dst)
			}
		}
	}
}
