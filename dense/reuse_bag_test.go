package dense_test

import (
	"errors"
	"testing"

	"gorgonia.org/gather/dense"
	"gorgonia.org/gather/internal/race"
	"gorgonia.org/tensor"
)

// TestBagsAllocateNothing runs operators of bags and their adjoints with all tensors
// given, in row-major order.
func TestBagsAllocateNothing(t *testing.T) {
	if race.Enabled {
		t.Skip("sync.Pool is not itself under the race detector")
	}
	table, dst := upTo(1, 5, 3), upTo(0, 5, 3)
	ids, wide := index(4, 0, 4, 2), values(dims{4}, int16(4), 0, 4, 2)
	offsets, segments := index(0, 1, 1), index(0, 2, 2, 2)
	weights, updates, out := upTo(1, 4), upTo(1, 3, 3), upTo(0, 3, 3)
	matrix, five := values(dims{3, 2}, int64(4), 0, 1, 1, 2, 3), index(0, 0, 1, 2, 2)
	reuse := dense.WithReuse(out)
	few, many, means := values(dims{5, 3}, make([]int64, 15)...), values(dims{50, 3}, make([]int64, 150)...), values(dims{3, 3}, make([]int64, 9)...)
	var err error
	for name, run := range map[string]func(){
		"EmbeddingBagOffsets":          func() { _, err = dense.EmbeddingBagOffsets(table, ids, offsets, weights, reuse) },
		"of int16":                     func() { _, err = dense.EmbeddingBagOffsets(table, wide, offsets, nil, reuse) },
		"EmbeddingBagOffsets, no ones": func() { _, err = dense.EmbeddingBagOffsets(table, ids, offsets, nil, reuse) },
		"EmbeddingBagPacked":           func() { _, err = dense.EmbeddingBagPacked(table, matrix, nil, reuse) },
		"means of int64": func() {
			_, err = dense.EmbeddingBagPacked(few, matrix, nil, dense.WithReduction(dense.Mean), dense.WithReuse(means))
		},
		"means of some of many rows of int64": func() {
			_, err = dense.EmbeddingBagPacked(many, matrix, nil, dense.WithReduction(dense.Mean), dense.WithReuse(means))
		},
		"EmbeddingSegments":      func() { _, err = dense.EmbeddingSegments(table, ids, segments, weights, 3, reuse) },
		"SegmentMax":             func() { _, err = dense.SegmentMax(table, five, 3, reuse) },
		"AddEmbeddingBagOffsets": func() { err = dense.AddEmbeddingBagOffsets(dst, updates, nil, ids, offsets, weights) },
		"AddEmbeddingBagPacked":  func() { err = dense.AddEmbeddingBagPacked(dst, updates, nil, matrix, nil) },
		"AddEmbeddingSegments":   func() { err = dense.AddEmbeddingSegments(dst, updates, nil, ids, segments, nil, 3) },
		"AddSegmentMax":          func() { err = dense.AddSegmentMax(dst, updates, table, five, 3) },
	} {
		if n := testing.AllocsPerRun(20, run); n != 0 || err != nil {
			t.Errorf("%s: %v allocations a run, error %v", name, n, err)
		}
	}
}

// TestPackedTablesAreReused: a table of rows at a pitch that is packed first is packed in memory of a pool.
func TestPackedTablesAreReused(t *testing.T) {
	if race.Enabled {
		t.Skip("sync.Pool is not itself under the race detector")
	}
	table := bent(upTo(0, 5, 4), []int{5, 3}, []int{4, 1})
	matrix, out := values(dims{6, 2}, int64(4), 0, 1, 1, 2, 3, 4, 4, 0, 0, 1, 2), upTo(0, 6, 3)
	for name, run := range map[string]func() error{
		"forward": func() error {
			return second(dense.EmbeddingBagPacked(table, matrix, nil, dense.WithReduction(dense.Mean), dense.WithReuse(out)))
		},
		"gradient": func() error { return dense.AddEmbeddingBagPacked(table, out, nil, matrix, nil) },
	} {
		if n := testing.AllocsPerRun(20, func() { must(run()) }); n > 1 { // for the list of what is to be returned
			t.Errorf("%s: %v allocations", name, n)
		}
	}
}

// TestBagsRefused has arguments that overlap, and others that package shapes does
// not see.
func TestBagsRefused(t *testing.T) {
	table, ids, offsets := upTo(1, 4, 2), index(0, 1), index(0, 1)
	part, err := table.Slice(tensor.S(0, 2))
	must(err)
	view := part.(*tensor.Dense)
	var none *tensor.Dense
	for name, c := range map[string]struct{ err, is error }{
		"the table as dst":         {second(dense.EmbeddingBagOffsets(table, ids, offsets, nil, dense.WithReuse(view))), dense.ErrLayout},
		"the table as gradient":    {dense.AddEmbeddingBagOffsets(table, upTo(1, 2, 2), table, ids, offsets, nil, dense.WithReduction(dense.Max)), dense.ErrLayout},
		"updates in dst":           {dense.AddEmbeddingBagOffsets(table, view, nil, ids, offsets, nil), dense.ErrLayout},
		"no table for a maximum":   {dense.AddEmbeddingBagOffsets(table, upTo(1, 2, 2), nil, ids, offsets, nil, dense.WithReduction(dense.Max)), dense.ErrLayout},
		"a mean of integers":       {dense.AddEmbeddingBagOffsets(index(1, 2, 3), index(1, 2), nil, ids, offsets, nil, dense.WithReduction(dense.Mean)), dense.ErrDtype},
		"updates of another shape": {dense.AddEmbeddingBagOffsets(table, upTo(1, 2, 3), nil, ids, offsets, nil), dense.ErrShape},
		"WithReuse of an adjoint":  {dense.AddEmbeddingBagOffsets(table, upTo(1, 2, 2), nil, ids, offsets, nil, dense.WithReuse(table)), dense.ErrOption},
		"weights of another dtype": {second(dense.EmbeddingBagOffsets(table, ids, offsets, index(1, 2))), dense.ErrDtype},
		"a nil table":              {second(dense.EmbeddingBagOffsets(none, ids, offsets, nil)), dense.ErrLayout},
	} {
		if !errors.Is(c.err, c.is) {
			t.Errorf("%s: error %v, want %v", name, c.err, c.is)
		}
	}
	// A nil *tensor.Dense for weights is none.
	if _, err := dense.EmbeddingBagOffsets(table, ids, offsets, none); err != nil {
		t.Error(err)
	}
}

func second(_ *tensor.Dense, err error) error { return err }
