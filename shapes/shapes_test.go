package shapes_test

import (
	"errors"
	"math"
	"slices"
	"testing"

	"gorgonia.org/gather/shapes"
	"gorgonia.org/tensor"
)

type shape = tensor.Shape

// row is a call of a shape function, and its result or its whole error.
type row struct {
	name string
	got  func() (shape, error)
	want shape
	err  error
	text string
}

func run(t *testing.T, rows []row) {
	for _, r := range rows {
		t.Run(r.name, func(t *testing.T) {
			got, err := r.got()
			if r.err == nil {
				if err != nil || !slices.Equal(got, r.want) {
					t.Errorf("got %v, %v, want %v", got, err, r.want)
				}
				return
			}
			if !errors.Is(err, r.err) || err.Error() != r.text {
				t.Errorf("error\n%v, want\n%s", err, r.text)
			}
			if len(got) != 0 {
				t.Errorf("a shape beside the error: %v", got)
			}
		})
	}
}

func TestAxis(t *testing.T) {
	for _, c := range []struct{ axis, rank, want int }{
		{0, 3, 0}, {2, 3, 2}, {-1, 3, 2}, {-3, 3, 0}, {0, 1, 0}, {-1, 1, 0},
	} {
		if got, err := shapes.Axis(c.axis, c.rank); got != c.want || err != nil {
			t.Errorf("Axis(%d, %d) = %d, %v, want %d", c.axis, c.rank, got, err, c.want)
		}
	}
	for _, c := range []struct {
		axis, rank int
		text       string
	}{
		{3, 3, "axis 3 is not in [-3, 2] for rank 3"},
		{-4, 3, "axis -4 is not in [-3, 2] for rank 3"},
		{math.MinInt, 3, ""},
		{math.MaxInt, 3, ""},
		{0, 0, ""},
		{-1, 0, ""},
	} {
		if _, err := shapes.Axis(c.axis, c.rank); !errors.Is(err, shapes.ErrAxis) || c.text != "" && err.Error() != c.text {
			t.Errorf("Axis(%d, %d): error %v, want %q", c.axis, c.rank, err, c.text)
		}
	}
}

// TestColumnIsNoVector tells (3, 1) from (3), which are equal to the method Eq of
// tensor.Shape.
func TestColumnIsNoVector(t *testing.T) {
	for _, c := range []struct {
		indices, updates shape
		fits             bool
	}{
		{shape{3}, shape{3}, true},
		{shape{3, 1}, shape{3, 1}, true},
		{shape{}, nil, true},
		{shape{3, 1}, shape{3}, false},
		{shape{3}, shape{3, 1}, false},
		{shape{}, shape{1}, false},
	} {
		if _, err := shapes.ScatterUpdate(shape{5}, c.indices, c.updates, 0); (err == nil) != c.fits {
			t.Errorf("indices %v, updates %v: error %v", c.indices, c.updates, err)
		}
	}
}

func TestGather(t *testing.T) {
	gather := func(data, indices shape, axis, batchDims int) func() (shape, error) {
		return func() (shape, error) { return shapes.Gather(data, indices, axis, batchDims) }
	}
	run(t, []row{
		{name: "axis 0", got: gather(shape{5, 4, 3, 2}, shape{3}, 0, 0), want: shape{3, 4, 3, 2}},
		{name: "an inner axis", got: gather(shape{5, 4, 3, 2}, shape{7}, 1, 0), want: shape{5, 7, 3, 2}},
		{name: "the last axis", got: gather(shape{5, 4, 3}, shape{7}, 2, 0), want: shape{5, 4, 7}},
		{name: "axis from the end", got: gather(shape{5, 4, 3, 2}, shape{7}, -3, 0), want: shape{5, 7, 3, 2}},
		{name: "indices of rank 2", got: gather(shape{5, 4, 3}, shape{7, 8}, 1, 0), want: shape{5, 7, 8, 3}},
		{name: "scalar indices", got: gather(shape{5, 4, 3}, shape{}, 1, 0), want: shape{5, 3}},
		{name: "scalar result", got: gather(shape{5}, shape{}, 0, 0), want: shape{}},
		{name: "one index keeps its axis", got: gather(shape{5, 4}, shape{1}, 0, 0), want: shape{1, 4}},
		{name: "one batch dim", got: gather(shape{2, 64, 128}, shape{2, 32, 21}, 1, 1), want: shape{2, 32, 21, 128}}, // the layer of OpenVINO Gather-8
		{name: "batch dims before the axis", got: gather(shape{3, 4, 5, 6}, shape{3, 7}, 2, 1), want: shape{3, 4, 7, 6}},
		{name: "two batch dims", got: gather(shape{3, 4, 5, 6}, shape{3, 4, 7}, 2, 2), want: shape{3, 4, 7, 6}},
		{name: "batch dims q", got: gather(shape{3, 4, 5}, shape{3, 4}, 2, 2), want: shape{3, 4}},
		{name: "batch dims from the end", got: gather(shape{3, 4, 5}, shape{3, 7}, 1, -1), want: shape{3, 7, 5}},
		{name: "batch dims -q are none", got: gather(shape{3, 4, 5}, shape{6, 7}, 1, -2), want: shape{3, 6, 7, 5}},
		{name: "empty axis", got: gather(shape{0, 3}, shape{4}, 0, 0), want: shape{4, 3}},
		{name: "no indices", got: gather(shape{5, 3}, shape{2, 0}, 1, 0), want: shape{5, 2, 0}},
		{name: "more dims than the stack buffer holds", got: gather(shape{2, 1, 1, 1, 3}, shape{4, 1, 1, 1, 5, 6}, 0, 0), want: shape{4, 1, 1, 1, 5, 6, 1, 1, 1, 3}},

		{name: "scalar data", got: gather(shape{}, shape{3}, 0, 0), err: shapes.ErrShape,
			text: "Gather: data is a scalar, rank 1 or more is needed; a backing of one element makes a scalar unless WithShape(1) is given"},
		{name: "axis r", got: gather(shape{5, 4}, shape{3}, 2, 0), err: shapes.ErrAxis,
			text: "Gather: axis 2 is not in [-2, 1] for rank 2"},
		{name: "axis -r-1", got: gather(shape{5, 4}, shape{3}, -3, 0), err: shapes.ErrAxis,
			text: "Gather: axis -3 is not in [-2, 1] for rank 2"},
		{name: "batch dims above q", got: gather(shape{3, 4, 5}, shape{3}, 2, 2), err: shapes.ErrShape,
			text: "Gather: batch_dims 2 is not in [-1, 1] for indices of rank 1"},
		{name: "batch dims below -q", got: gather(shape{3, 4, 5}, shape{3}, 2, -2), err: shapes.ErrShape,
			text: "Gather: batch_dims -2 is not in [-1, 1] for indices of rank 1"},
		{name: "batch dims of a scalar", got: gather(shape{3, 4}, shape{}, 1, 1), err: shapes.ErrShape,
			text: "Gather: batch_dims 1 is not in [0, 0] for indices of rank 0"},
		{name: "batch dims behind the axis", got: gather(shape{3, 4, 5}, shape{3, 4}, 1, 2), err: shapes.ErrShape,
			text: "Gather: batch_dims 2 exceeds axis 1, at most the axis is allowed"},
		{name: "batch dims from the end behind the axis", got: gather(shape{3, 4}, shape{3, 4}, -2, -1), err: shapes.ErrShape,
			text: "Gather: batch_dims 1 exceeds axis 0, at most the axis is allowed"},
		{name: "batch dims that differ", got: gather(shape{3, 4, 5}, shape{3, 6, 7}, 2, 2), err: shapes.ErrShape,
			text: "Gather: batch dim 1 is 4 in data (3, 4, 5) but 6 in indices (3, 6, 7)"},
		{name: "batch dims do not broadcast", got: gather(shape{3, 4}, shape{1, 6}, 1, 1), err: shapes.ErrShape,
			text: "Gather: batch dim 0 is 3 in data (3, 4) but 1 in indices (1, 6)"},
		{name: "negative dim of indices", got: gather(shape{3, 4}, shape{-2}, 0, 0), err: shapes.ErrShape,
			text: "Gather: result shape (-2, 4) has the negative dim -2 at axis 0"},
		{name: "negative dim of data at the axis", got: gather(shape{-3, 4}, shape{2}, 0, 0), err: shapes.ErrShape,
			text: "Gather: data shape (-3, 4) has the negative dim -3 at axis 0"},
		{name: "too many elements", got: gather(shape{3, math.MaxInt / 2}, shape{3}, 0, 0), err: shapes.ErrShape,
			text: "Gather: data shape " + show(3, math.MaxInt/2) + " has more elements than an int can count"},
	})
}

// TestGatherBatchDims counts batch dims from either end of indices: the rank of the
// result tells how many there are.
func TestGatherBatchDims(t *testing.T) {
	data, indices := shape{2, 3, 5, 7}, shape{2, 3, 5}
	for _, c := range []struct{ b, q, want int }{{0, 0, 0}, {0, 3, 0}, {3, 3, 3}, {-1, 3, 2}, {-3, 3, 0}} {
		got, err := shapes.Gather(data, indices[:c.q], 3, c.b)
		if want := 3 + c.q - c.want; err != nil || len(got) != want {
			t.Errorf("%d batch dims of indices of rank %d: %v, %v, want rank %d", c.b, c.q, got, err, want)
		}
	}
	for _, b := range []int{4, -4, math.MaxInt, math.MinInt} {
		if got, err := shapes.Gather(data, indices, 3, b); !errors.Is(err, shapes.ErrShape) {
			t.Errorf("%d batch dims of indices of rank 3: %v, %v, want an error", b, got, err)
		}
	}
}

func TestGatherElements(t *testing.T) {
	gatherElements := func(data, indices shape, axis int) func() (shape, error) {
		return func() (shape, error) { return shapes.GatherElements(data, indices, axis) }
	}
	run(t, []row{
		{name: "more indices along the axis", got: gatherElements(shape{3, 7, 5}, shape{3, 10, 5}, 1), want: shape{3, 10, 5}}, // the layer of OpenVINO GatherElements-6
		{name: "fewer everywhere", got: gatherElements(shape{3, 7, 5}, shape{2, 4, 3}, 1), want: shape{2, 4, 3}},
		{name: "axis from the end", got: gatherElements(shape{3, 7, 5}, shape{3, 7, 9}, -1), want: shape{3, 7, 9}},
		{name: "rank 1", got: gatherElements(shape{3}, shape{8}, 0), want: shape{8}},
		{name: "no indices", got: gatherElements(shape{3, 4}, shape{0, 4}, 0), want: shape{0, 4}},
		{name: "no data, no indices", got: gatherElements(shape{0, 4}, shape{0, 4}, 1), want: shape{0, 4}},
		{name: "indices of an empty axis", got: gatherElements(shape{0, 4}, shape{2, 4}, 0), want: shape{2, 4}},

		{name: "scalars", got: gatherElements(shape{}, shape{}, 0), err: shapes.ErrShape,
			text: "GatherElements: data is a scalar, rank 1 or more is needed; a backing of one element makes a scalar unless WithShape(1) is given"},
		{name: "axis r", got: gatherElements(shape{3, 4}, shape{3, 4}, 2), err: shapes.ErrAxis,
			text: "GatherElements: axis 2 is not in [-2, 1] for rank 2"},
		{name: "lower rank", got: gatherElements(shape{3, 4}, shape{3}, 0), err: shapes.ErrShape,
			text: "GatherElements: indices (3) has rank 1, data (3, 4) has rank 2: the ranks must be equal; use (n, 4), or Gather for whole slices"},
		{name: "higher rank", got: gatherElements(shape{3, 4}, shape{3, 4, 1}, 0), err: shapes.ErrShape,
			text: "GatherElements: indices (3, 4, 1) has rank 3, data (3, 4) has rank 2: the ranks must be equal"},
		{name: "more than data beside the axis", got: gatherElements(shape{3, 4, 5}, shape{3, 4, 6}, 1), err: shapes.ErrShape,
			text: "GatherElements: indices (3, 4, 6) has 6 at axis 2, at most 5 is allowed for data (3, 4, 5) and axis 1"},
		{name: "no broadcast", got: gatherElements(shape{1, 4}, shape{3, 4}, 1), err: shapes.ErrShape,
			text: "GatherElements: indices (3, 4) has 3 at axis 0, at most 1 is allowed for data (1, 4) and axis 1"},
		{name: "more than data, but empty", got: gatherElements(shape{3, 3}, shape{0, 7}, 0), err: shapes.ErrShape,
			text: "GatherElements: indices (0, 7) has 7 at axis 1, at most 3 is allowed for data (3, 3) and axis 0"},
		{name: "negative dim", got: gatherElements(shape{3, 4}, shape{3, -1}, 0), err: shapes.ErrShape,
			text: "GatherElements: indices shape (3, -1) has the negative dim -1 at axis 1"},
		{name: "negative dim of data at the axis", got: gatherElements(shape{-3, 4}, shape{2, 4}, 0), err: shapes.ErrShape,
			text: "GatherElements: data shape (-3, 4) has the negative dim -3 at axis 0"},
		{name: "too many elements", got: gatherElements(shape{3, 4}, shape{math.MaxInt, 2}, 0), err: shapes.ErrShape,
			text: "GatherElements: indices shape " + show(math.MaxInt, 2) + " has more elements than an int can count"},
	})
}
