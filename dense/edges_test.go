package dense_test

import (
	"errors"
	"math"
	"reflect"
	"slices"
	"testing"

	"gorgonia.org/gather/dense"
	"gorgonia.org/tensor"
)

// edge is a call at the edge of what an operator accepts. It gives a result,
// or an error of a kind, or an error about an index.
type edge struct {
	name          string
	data, indices *tensor.Dense
	axis          int
	opts          []dense.Option

	shape dims      // of the result
	want  []float64 // its values
	err   error     // in the chain of the error
	text  string    // the whole error
	bad   *dense.IndexError
}

func runEdges(t *testing.T, edges []edge, run func(e edge) (*tensor.Dense, error)) {
	for _, e := range edges {
		t.Run(e.name, func(t *testing.T) {
			got, err := run(e)
			switch {
			case e.bad != nil:
				var bad *dense.IndexError
				if !errors.As(err, &bad) || !reflect.DeepEqual(bad, e.bad) {
					t.Errorf("error %v, want %v", err, e.bad)
				}
			case e.err != nil:
				if !errors.Is(err, e.err) || err.Error() != e.text {
					t.Errorf("error\n%v, want\n%v", err, e.text)
				}
			case err != nil:
				t.Error(err)
			case !slices.Equal(got.Shape(), e.shape):
				t.Errorf("shape %v, want %v", got.Shape(), e.shape)
			default:
				if err := difference(packed[float64](got), e.want); err != nil {
					t.Error(err)
				}
			}
			if err != nil && got != nil {
				t.Error("a result beside the error")
			}
		})
	}
}

// empty is a tensor without elements.
func empty(shape ...int) *tensor.Dense { return values[float64](shape) }

// none is an indices tensor without elements.
func none(shape ...int) *tensor.Dense { return values[int64](shape) }

func index(v ...int64) *tensor.Dense { return values(dims{len(v)}, v...) }

var zeroFill = []dense.Option{dense.WithOutOfRange(dense.ZeroFill)}

func TestGatherEdges(t *testing.T) {
	outside := func(position []int, index int64, axis, size int) *dense.IndexError {
		return &dense.IndexError{Op: "Gather", Position: position, Index: index, Axis: axis, Size: size}
	}
	matrix := upTo(1, 2, 5)
	runEdges(t, []edge{
		{name: "scalar index of a vector", data: upTo(1, 10), indices: values(dims{}, 7), shape: dims{}, want: []float64{8}},
		{name: "scalar index of the inner axis", data: matrix, indices: values(dims{}, -1), axis: 1, shape: dims{2}, want: []float64{5, 10}},
		{name: "index tensor of one element keeps its axis", data: matrix, indices: index(-1), axis: 1, shape: dims{2, 1}, want: []float64{5, 10}},
		{name: "no indices", data: matrix, indices: none(0), axis: 1, shape: dims{2, 0}},
		{name: "no indices in two axes", data: matrix, indices: none(2, 0), axis: 1, shape: dims{2, 2, 0}},
		{name: "no indices of no data", data: empty(0, 3), indices: none(0), shape: dims{0, 3}},
		{name: "an index of no data", data: empty(0, 3), indices: index(0), bad: outside([]int{0}, 0, 0, 0)},
		{name: "an index of no data, filled", data: empty(0, 3), indices: index(0), opts: zeroFill, shape: dims{1, 3}, want: []float64{0, 0, 0}},
		{name: "an index that reads nothing", data: empty(3, 0), indices: index(2, -3), shape: dims{2, 0}},
		{name: "a bad index that reads nothing", data: empty(3, 0), indices: index(2, 3), bad: outside([]int{1}, 3, 0, 3)},
		{name: "a bad index that reads nothing, filled", data: empty(3, 0), indices: index(2, 3), opts: zeroFill, shape: dims{2, 0}},
		{name: "axis from the end", data: matrix, indices: index(3), axis: -2 + 1, shape: dims{2, 1}, want: []float64{4, 9}},
		{name: "axis before the first", data: matrix, indices: index(0), axis: -3,
			err: dense.ErrAxis, text: "Gather: axis -3 is not in [-2, 1] for rank 2"},
		{name: "axis behind the last", data: matrix, indices: index(0), axis: 2,
			err: dense.ErrAxis, text: "Gather: axis 2 is not in [-2, 1] for rank 2"},
		{name: "the size itself", data: matrix, indices: index(4, 5), axis: 1, bad: outside([]int{1}, 5, 1, 5)},
		{name: "one before the first", data: matrix, indices: index(-5, -6), axis: 1, bad: outside([]int{1}, -6, 1, 5)},
		{name: "both, filled", data: matrix, indices: index(5, 4, -6), axis: 1, opts: zeroFill, shape: dims{2, 3}, want: []float64{0, 5, 0, 0, 10, 0}},
		{name: "the first of several", data: matrix, indices: values(dims{2, 2}, 0, 0, 9, 8), bad: outside([]int{1, 0}, 9, 0, 2)},
		{name: "scalar", data: matrix, indices: values(dims{}, 2), bad: outside([]int{}, 2, 0, 2)},
		{name: "negative", data: matrix, indices: index(-1, -2), shape: dims{2, 5}, want: []float64{6, 7, 8, 9, 10, 1, 2, 3, 4, 5}},
		{name: "negative, refused", data: matrix, indices: index(1, -1), opts: []dense.Option{dense.WithNonNegativeIndices()},
			bad: &dense.IndexError{Op: "Gather", Position: []int{1}, Index: -1, Size: 2, NonNegative: true}},
		{name: "negative, refused, filled", data: matrix, indices: index(1, -1), opts: append(zeroFill, dense.WithNonNegativeIndices()),
			shape: dims{2, 5}, want: []float64{6, 7, 8, 9, 10, 0, 0, 0, 0, 0}},
		{name: "least int64", data: matrix, indices: index(math.MinInt64), bad: outside([]int{0}, math.MinInt64, 0, 2)},
		{name: "int8", data: matrix, indices: values[int8](dims{1}, -2), shape: dims{1, 5}, want: []float64{1, 2, 3, 4, 5}},
		{name: "data of rank 0", data: values(dims{}, 1.0), indices: index(0),
			err: dense.ErrShape, text: "Gather: data is a scalar, rank 1 or more is needed; a backing of one element makes a scalar unless WithShape(1) is given"},
		{name: "repeated", data: matrix, indices: index(1, 1, 1), axis: 1, shape: dims{2, 3}, want: []float64{2, 2, 2, 7, 7, 7}},
		{name: "batch dims -1 are q-1", data: matrix, indices: values(dims{2, 1}, 4, 0), axis: 1, opts: batches(-1), shape: dims{2, 1}, want: []float64{5, 6}},
		{name: "batch dims q: one slice each", data: upTo(1, 2, 3), indices: index(2, 0), axis: 1, opts: batches(1), shape: dims{2}, want: []float64{3, 4}},
		{name: "batch dims behind the axis", data: matrix, indices: index(0, 0), opts: batches(1),
			err: dense.ErrShape, text: "Gather: batch_dims 1 exceeds axis 0, at most the axis is allowed"},
		{name: "batch dims above q", data: upTo(1, 2, 3, 4), indices: index(0, 0), axis: 2, opts: batches(2),
			err: dense.ErrShape, text: "Gather: batch_dims 2 is not in [-1, 1] for indices of rank 1"},
		{name: "batch dims that differ", data: matrix, indices: index(0, 0, 0), axis: 1, opts: batches(1),
			err: dense.ErrShape, text: "Gather: batch dim 0 is 2 in data (2, 5) but 3 in indices (3)"},
	}, func(e edge) (*tensor.Dense, error) { return dense.Gather(e.data, e.indices, e.axis, e.opts...) })
}

func TestGatherElementsEdges(t *testing.T) {
	outside := func(position []int, index int64, axis, size int) *dense.IndexError {
		return &dense.IndexError{Op: "GatherElements", Position: position, Index: index, Axis: axis, Size: size}
	}
	square := upTo(1, 3, 3)
	runEdges(t, []edge{
		{name: "more indices than the axis", data: upTo(1, 2, 2), indices: values(dims{2, 4}, 1, 1, 0, 1, 0, 0, 0, 1), axis: 1,
			shape: dims{2, 4}, want: []float64{2, 2, 1, 2, 3, 3, 3, 4}},
		{name: "fewer lines than data, in front", data: square, indices: values(dims{1, 3}, 2, 0, 2), axis: 1, shape: dims{1, 3}, want: []float64{3, 1, 3}},
		{name: "fewer lines than data, behind", data: square, indices: values(dims{3, 2}, 2, 0, 0, 1, 1, 2), axis: 0,
			shape: dims{3, 2}, want: []float64{7, 2, 1, 5, 4, 8}},
		{name: "more lines than data", data: square, indices: values(dims{3, 4}, slices.Repeat([]int{0}, 12)...), axis: 0, err: dense.ErrShape,
			text: "GatherElements: indices (3, 4) has 4 at axis 1, at most 3 is allowed for data (3, 3) and axis 0"},
		{name: "no broadcast", data: upTo(1, 3, 1), indices: values(dims{3, 2}, slices.Repeat([]int{0}, 6)...), axis: 0, err: dense.ErrShape,
			text: "GatherElements: indices (3, 2) has 2 at axis 1, at most 1 is allowed for data (3, 1) and axis 0"},
		{name: "no indices", data: square, indices: none(0, 3), axis: 0, shape: dims{0, 3}},
		{name: "no indices, but too many lines", data: square, indices: none(0, 7), axis: 0, err: dense.ErrShape,
			text: "GatherElements: indices (0, 7) has 7 at axis 1, at most 3 is allowed for data (3, 3) and axis 0"},
		{name: "another rank", data: square, indices: index(0, 1, 2), axis: 0, err: dense.ErrShape,
			text: "GatherElements: indices (3) has rank 1, data (3, 3) has rank 2: the ranks must be equal; use (1, 3), or Gather for whole slices"},
		{name: "rank 0", data: values(dims{}, 1.0), indices: values(dims{}, 0), axis: 0, err: dense.ErrShape,
			text: "GatherElements: data is a scalar, rank 1 or more is needed; a backing of one element makes a scalar unless WithShape(1) is given"},
		{name: "negative", data: square, indices: values(dims{1, 3}, -1, -3, -2), axis: 0, shape: dims{1, 3}, want: []float64{7, 2, 6}},
		{name: "out of range", data: square, indices: values(dims{2, 3}, 0, 1, 2, 0, 3, -4), axis: 0, bad: outside([]int{1, 1}, 3, 0, 3)},
		{name: "out of range, filled", data: square, indices: values(dims{2, 3}, 0, 1, 2, 0, 3, -4), axis: 0, opts: zeroFill,
			shape: dims{2, 3}, want: []float64{1, 5, 9, 1, 0, 0}},
		{name: "least int64", data: square, indices: values[int64](dims{1, 1}, math.MinInt64), axis: 1, bad: outside([]int{0, 0}, math.MinInt64, 1, 3)},
		{name: "axis -1 with another number of indices", data: square, indices: values(dims{3, 1}, 2, 1, 0), axis: -1, shape: dims{3, 1}, want: []float64{3, 5, 7}},
		{name: "a long axis 0", data: upTo(1, 40, 2), indices: values(dims{1, 2}, 39, 33), axis: 0, shape: dims{1, 2}, want: []float64{79, 68}},
		{name: "int32", data: square, indices: values[int32](dims{1, 3}, 2, 1, 0), axis: 0, shape: dims{1, 3}, want: []float64{7, 5, 3}},
		{name: "axis behind the last", data: square, indices: values(dims{1, 3}, 2, 1, 0), axis: 2,
			err: dense.ErrAxis, text: "GatherElements: axis 2 is not in [-2, 1] for rank 2"},
	}, func(e edge) (*tensor.Dense, error) {
		return dense.GatherElements(e.data, e.indices, e.axis, e.opts...)
	})
}

func TestGatherNDEdges(t *testing.T) {
	outside := func(position []int, index int64, axis, size int) *dense.IndexError {
		return &dense.IndexError{Op: "GatherND", Position: position, Index: index, Axis: axis, Size: size}
	}
	cube := upTo(1, 2, 3, 4)
	runEdges(t, []edge{
		{name: "k = 0", data: cube, indices: none(2, 0), err: dense.ErrShape,
			text: "GatherND: the last dim of indices (2, 0) is 0, allowed is 1 to 3 for data (2, 3, 4) and batch_dims 0"},
		{name: "k = 0 with batch dims", data: cube, indices: none(2, 3, 0), opts: batches(1), err: dense.ErrShape,
			text: "GatherND: the last dim of indices (2, 3, 0) is 0, allowed is 1 to 2 for data (2, 3, 4) and batch_dims 1"},
		{name: "k above r", data: cube, indices: index(0, 0, 0, 0), err: dense.ErrShape,
			text: "GatherND: the last dim of indices (4) is 4, allowed is 1 to 3 for data (2, 3, 4) and batch_dims 0; use (4, 1) for single indices"},
		// OpenVINO's text allows this one; there is no axis for the third component.
		{name: "k above r-b", data: cube, indices: values(dims{2, 3}, 0, 0, 0, 0, 0, 0), opts: batches(1), err: dense.ErrShape,
			text: "GatherND: the last dim of indices (2, 3) is 3, allowed is 1 to 2 for data (2, 3, 4) and batch_dims 1; use (2, 3, 1) for single indices"},
		{name: "negative batch dims", data: cube, indices: values(dims{2, 1}, 0, 0), opts: batches(-1), err: dense.ErrShape,
			text: "GatherND: batch_dims -1 is not in [0, 2) for data of rank 3 and indices of rank 2"},
		{name: "batch dims q", data: cube, indices: index(0, 0), opts: batches(1), err: dense.ErrShape,
			text: "GatherND: batch_dims 1 is not in [0, 1) for data of rank 3 and indices of rank 1"},
		{name: "batch dims r", data: cube, indices: values(dims{2, 3, 4, 1}, slices.Repeat([]int{0}, 24)...), opts: batches(3), err: dense.ErrShape,
			text: "GatherND: batch_dims 3 is not in [0, 3) for data of rank 3 and indices of rank 4"},
		{name: "batch dims that differ", data: cube, indices: values(dims{3, 1}, 0, 0, 0), opts: batches(1), err: dense.ErrShape,
			text: "GatherND: batch dim 0 is 2 in data (2, 3, 4) but 3 in indices (3, 1)"},
		{name: "no broadcast of batch dims", data: upTo(1, 1, 3), indices: values(dims{2, 1}, 0, 0), opts: batches(1), err: dense.ErrShape,
			text: "GatherND: batch dim 0 is 1 in data (1, 3) but 2 in indices (2, 1)"},
		{name: "scalar indices", data: cube, indices: values(dims{}, 0), err: dense.ErrShape,
			text: "GatherND: indices is a scalar, rank 1 or more is needed; a backing of one element makes a scalar unless WithShape(1) is given"},
		{name: "data of rank 0", data: values(dims{}, 1.0), indices: index(0), err: dense.ErrShape,
			text: "GatherND: data is a scalar, rank 1 or more is needed; a backing of one element makes a scalar unless WithShape(1) is given"},
		{name: "one whole tuple gives a scalar", data: cube, indices: index(1, 2, 3), shape: dims{}, want: []float64{24}},
		{name: "no tuples", data: cube, indices: none(0, 2), shape: dims{0, 4}},
		{name: "no tuples in two axes", data: cube, indices: none(2, 0, 2), shape: dims{2, 0, 4}},
		{name: "empty slices", data: empty(2, 0), indices: values(dims{1, 1}, 1), shape: dims{1, 0}},
		{name: "empty slices, bad index", data: empty(2, 0), indices: values(dims{1, 1}, 2), bad: outside([]int{0, 0}, 2, 0, 2)},
		{name: "an axis without elements", data: empty(0, 3), indices: values(dims{1, 1}, 0), bad: outside([]int{0, 0}, 0, 0, 0)},
		{name: "negative", data: cube, indices: values(dims{1, 2}, -1, -3), shape: dims{1, 4}, want: []float64{13, 14, 15, 16}},
		// Flattened, 0·3+5 = 5 would be the tuple (1, 2).
		{name: "a component beyond its axis, but within data", data: cube, indices: values(dims{2, 2}, 1, 2, 0, 5), bad: outside([]int{1, 1}, 5, 1, 3)},
		{name: "a component before its axis, but within data", data: cube, indices: values(dims{1, 2}, 1, -4), bad: outside([]int{0, 1}, -4, 1, 3)},
		{name: "one bad component fills the slice", data: cube, indices: values(dims{2, 2}, 0, 5, 1, 0), opts: zeroFill,
			shape: dims{2, 4}, want: []float64{0, 0, 0, 0, 13, 14, 15, 16}},
		{name: "the axis counts from the batch dims", data: cube, indices: values(dims{2, 1, 2}, 0, 0, 0, 4), opts: batches(1), bad: outside([]int{1, 0, 1}, 4, 2, 4)},
		{name: "least int64", data: cube, indices: index(0, math.MinInt64), bad: outside([]int{1}, math.MinInt64, 1, 3)},
		{name: "int32", data: cube, indices: values[int32](dims{3}, 0, 0, 1), shape: dims{}, want: []float64{2}},
	}, func(e edge) (*tensor.Dense, error) { return dense.GatherND(e.data, e.indices, e.opts...) })
}

// TestIndexErrorText is the text of the errors that a user sees.
func TestIndexErrorText(t *testing.T) {
	for _, c := range []struct {
		err  dense.IndexError
		want string
	}{
		{dense.IndexError{Op: "GatherND", Position: []int{2, 1}, Index: 7, Axis: 1, Size: 3}, "GatherND: indices[2 1]: 7 out of range [-3, 3) for data axis 1; see WithOutOfRange"},
		{dense.IndexError{Op: "Gather", Position: []int{4}, Index: -1, Size: 3, NonNegative: true}, "Gather: indices[4]: -1 out of range [0, 3) for data axis 0; see WithOutOfRange"},
		{dense.IndexError{Op: "Gather", Position: []int{}, Index: 3, Size: 3}, "Gather: indices: 3 out of range [-3, 3) for data axis 0; see WithOutOfRange"},
	} {
		if got := c.err.Error(); got != c.want {
			t.Errorf("got %s, want %s", got, c.want)
		}
	}
}
