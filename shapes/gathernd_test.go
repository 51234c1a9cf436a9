package shapes_test

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"gorgonia.org/gather/shapes"
)

// show is a shape as errors print it.
func show(dims ...int) string { return fmt.Sprint(shape(dims)) }

func TestGatherND(t *testing.T) {
	gatherND := func(data, indices shape, batchDims int) func() (shape, error) {
		return func() (shape, error) { return shapes.GatherND(data, indices, batchDims) }
	}
	run(t, []row{
		{name: "slices", got: gatherND(shape{1000, 256, 10, 15}, shape{25, 125, 3}, 0), want: shape{25, 125, 15}},                          // the first layer of OpenVINO GatherND-8
		{name: "two batch dims", got: gatherND(shape{30, 2, 100, 35}, shape{30, 2, 3, 1}, 2), want: shape{30, 2, 3, 35}},                   // its second
		{name: "elements of three batch dims", got: gatherND(shape{1, 64, 64, 320}, shape{1, 64, 64, 1, 1}, 3), want: shape{1, 64, 64, 1}}, // its third
		{name: "elements", got: gatherND(shape{3, 4, 5}, shape{6, 3}, 0), want: shape{6}},
		{name: "one tuple", got: gatherND(shape{3, 4, 5}, shape{2}, 0), want: shape{5}},
		{name: "one whole tuple", got: gatherND(shape{3, 4, 5}, shape{3}, 0), want: shape{}},
		{name: "one batch dim", got: gatherND(shape{3, 4, 5, 6}, shape{3, 7, 2}, 1), want: shape{3, 7, 6}},
		{name: "all but one axis are batch dims", got: gatherND(shape{3, 4, 5}, shape{3, 4, 1}, 2), want: shape{3, 4}},
		{name: "indices of higher rank than data", got: gatherND(shape{3}, shape{4, 5, 6, 1}, 0), want: shape{4, 5, 6}},
		{name: "no tuples", got: gatherND(shape{3, 4, 5}, shape{2, 0, 2}, 0), want: shape{2, 0, 5}},
		{name: "empty slices", got: gatherND(shape{3, 0}, shape{2, 1}, 0), want: shape{2, 0}},

		{name: "scalar data", got: gatherND(shape{}, shape{1}, 0), err: shapes.ErrShape,
			text: "GatherND: data is a scalar, rank 1 or more is needed; a backing of one element makes a scalar unless WithShape(1) is given"},
		{name: "scalar indices", got: gatherND(shape{3}, shape{}, 0), err: shapes.ErrShape,
			text: "GatherND: indices is a scalar, rank 1 or more is needed; a backing of one element makes a scalar unless WithShape(1) is given"},
		{name: "negative batch dims", got: gatherND(shape{3, 4}, shape{3, 1}, -1), err: shapes.ErrShape,
			text: "GatherND: batch_dims -1 is not in [0, 2) for data of rank 2 and indices of rank 2"},
		{name: "batch dims q", got: gatherND(shape{3, 4, 5}, shape{3}, 1), err: shapes.ErrShape,
			text: "GatherND: batch_dims 1 is not in [0, 1) for data of rank 3 and indices of rank 1"},
		{name: "batch dims r", got: gatherND(shape{3, 4}, shape{3, 4, 1}, 2), err: shapes.ErrShape,
			text: "GatherND: batch_dims 2 is not in [0, 2) for data of rank 2 and indices of rank 3"},
		{name: "k = 0", got: gatherND(shape{3, 4}, shape{5, 0}, 0), err: shapes.ErrShape,
			text: "GatherND: the last dim of indices (5, 0) is 0, allowed is 1 to 2 for data (3, 4) and batch_dims 0"},
		{name: "k above r", got: gatherND(shape{3, 4}, shape{5, 3}, 0), err: shapes.ErrShape,
			text: "GatherND: the last dim of indices (5, 3) is 3, allowed is 1 to 2 for data (3, 4) and batch_dims 0; use (5, 3, 1) for single indices"},
		{name: "k above r-b", got: gatherND(shape{3, 4}, shape{3, 2}, 1), err: shapes.ErrShape,
			text: "GatherND: the last dim of indices (3, 2) is 2, allowed is 1 to 1 for data (3, 4) and batch_dims 1; use (3, 2, 1) for single indices"},
		{name: "negative k", got: gatherND(shape{3, 4}, shape{5, -1}, 0), err: shapes.ErrShape,
			text: "GatherND: the last dim of indices (5, -1) is -1, allowed is 1 to 2 for data (3, 4) and batch_dims 0"},
		{name: "batch dims that differ", got: gatherND(shape{3, 4, 5}, shape{3, 6, 1}, 2), err: shapes.ErrShape,
			text: "GatherND: batch dim 1 is 4 in data (3, 4, 5) but 6 in indices (3, 6, 1)"},
		{name: "batch dims do not broadcast", got: gatherND(shape{3, 4}, shape{1, 1}, 1), err: shapes.ErrShape,
			text: "GatherND: batch dim 0 is 3 in data (3, 4) but 1 in indices (1, 1)"},
		{name: "negative dim of indices", got: gatherND(shape{3, 4}, shape{-5, 1}, 0), err: shapes.ErrShape,
			text: "GatherND: indices shape (-5, 1) has the negative dim -5 at axis 0"},
		{name: "too many indices", got: gatherND(shape{3, 4}, shape{math.MaxInt/2 + 1, 2}, 0), err: shapes.ErrShape,
			text: "GatherND: indices shape " + show(math.MaxInt/2+1, 2) + " has more elements than an int can count"},
		{name: "too many elements", got: gatherND(shape{0, math.MaxInt / 2}, shape{3, 1}, 0), err: shapes.ErrShape,
			text: "GatherND: result shape " + show(3, math.MaxInt/2) + " has more elements than an int can count"},
	})
}

// TestResultsAreNew changes a result, and finds the inputs as they were.
func TestResultsAreNew(t *testing.T) {
	data, indices := shape{3, 4, 5}, shape{3, 4, 1}
	for name, f := range map[string]func() (shape, error){
		"Gather":          func() (shape, error) { return shapes.Gather(data, indices, 1, 0) },
		"GatherElements":  func() (shape, error) { return shapes.GatherElements(data, indices, 2) },
		"GatherND":        func() (shape, error) { return shapes.GatherND(data, indices, 0) },
		"ScatterElements": func() (shape, error) { return shapes.ScatterElements(data, indices, shape{3, 4, 1}, 2) },
		"ScatterND":       func() (shape, error) { return shapes.ScatterND(data, indices, shape{3, 4, 4, 5}) },
		"ScatterUpdate":   func() (shape, error) { return shapes.ScatterUpdate(data, shape{7}, shape{3, 7, 5}, 1) },
	} {
		got, err := f()
		if err != nil {
			t.Fatal(name, err)
		}
		for i := range got {
			got[i] = -1
		}
		if !slices.Equal(data, shape{3, 4, 5}) || !slices.Equal(indices, shape{3, 4, 1}) {
			t.Fatalf("%s: a result shares memory with data %v or indices %v", name, data, indices)
		}
	}
}

// TestNoAllocations: a shape that the caller does not keep is made on its stack.
func TestNoAllocations(t *testing.T) {
	data, indices := shape{3, 4, 5}, shape{3, 4, 1}
	rank := 0
	note := func(n int, err error) {
		if rank += n; err != nil {
			t.Error(err)
		}
	}
	for name, f := range map[string]func(){
		"Gather":         func() { s, err := shapes.Gather(data, indices, 2, 2); note(len(s), err) },
		"GatherElements": func() { s, err := shapes.GatherElements(data, indices, 2); note(len(s), err) },
		"GatherND":       func() { s, err := shapes.GatherND(data, indices, 2); note(len(s), err) },
	} {
		rank = 0
		if n := testing.AllocsPerRun(100, f); n != 0 || rank == 0 {
			t.Errorf("%s: %v allocations, ranks %d", name, n, rank)
		}
	}
}
