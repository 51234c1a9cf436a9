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

// scatterEdge is a call at the edge of what a scatter accepts, or an example
// that a specification prints. It gives a result, or an error of a kind, or an
// error about an index.
type scatterEdge struct {
	name                   string
	data, indices, updates *tensor.Dense
	axis                   int
	opts                   []dense.Option

	want []float64 // the result
	err  error     // in the chain of the error
	text string    // the whole error
	bad  *dense.IndexError
}

func runScatterEdges(t *testing.T, edges []scatterEdge, run func(e scatterEdge) (*tensor.Dense, error)) {
	for _, e := range edges {
		t.Run(e.name, func(t *testing.T) {
			before := slices.Clone(packed[float64](e.data))
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
			case !slices.Equal(got.Shape(), e.data.Shape()):
				t.Errorf("shape %v, want %v", got.Shape(), e.data.Shape())
			default:
				if err := elementsOfFloat64.different(packed[float64](got), e.want); err != nil {
					t.Error(err)
				}
			}
			if err != nil && got != nil {
				t.Error("a result beside the error")
			}
			if err := difference(packed[float64](e.data), before); err != nil {
				t.Errorf("data changed: %v", err)
			}
		})
	}
}

var elementsOfFloat64 = dtypeNamed("float64").(elements[float64])

// reducing is the options for a reduction, and for one without the initial
// value.
func reducing(r dense.Reduction) []dense.Option { return []dense.Option{dense.WithReduction(r)} }

func withoutInit(r dense.Reduction) []dense.Option {
	return []dense.Option{dense.WithReduction(r), dense.WithInitValue(false)}
}

// TestScatterElementsEdges has the examples of ONNX ScatterElements-18 and of
// OpenVINO ScatterElementsUpdate-12, and the cases in which implementations
// differ.
func TestScatterElementsEdges(t *testing.T) {
	outside := func(position []int, index int64, axis, size int) *dense.IndexError {
		return &dense.IndexError{Op: "ScatterElements", Position: position, Index: index, Axis: axis, Size: size}
	}
	four, six := values(dims{4}, 2.0, 3, 4, 6), values(dims{6}, 10.0, 20, 30, 40, 70, 60)
	at := index(1, 0, 0, 2, 3, 2)
	row, square := upTo(1, 1, 5), upTo(1, 3, 3)
	nan, inf := math.NaN(), math.Inf(1)
	runScatterEdges(t, []scatterEdge{
		{name: "ONNX, axis 0", data: values(dims{3, 3}, make([]float64, 9)...), indices: values(dims{2, 3}, 1, 0, 2, 0, 2, 1),
			updates: values(dims{2, 3}, 1.0, 1.1, 1.2, 2.0, 2.1, 2.2), want: []float64{2, 1.1, 0, 1, 0, 2.2, 0, 2.1, 1.2}},
		{name: "ONNX, axis 1", data: row, indices: values(dims{1, 2}, 1, 3), updates: values(dims{1, 2}, 1.1, 2.1), axis: 1, want: []float64{1, 1.1, 3, 2.1, 5}},
		{name: "ONNX, negative indices", data: row, indices: values(dims{1, 2}, 1, -3), updates: values(dims{1, 2}, 1.1, 2.1), axis: 1, want: []float64{1, 1.1, 2.1, 4, 5}},
		{name: "ONNX, add", data: row, indices: values(dims{1, 2}, 1, 1), updates: values(dims{1, 2}, 1.1, 2.1), axis: 1, opts: reducing(dense.Add), want: []float64{1, 5.2, 3, 4, 5}},
		{name: "ONNX, max", data: row, indices: values(dims{1, 2}, 1, 1), updates: values(dims{1, 2}, 1.1, 2.1), axis: 1, opts: reducing(dense.Max), want: []float64{1, 2.1, 3, 4, 5}},
		{name: "ONNX, min", data: row, indices: values(dims{1, 2}, 1, 1), updates: values(dims{1, 2}, 1.1, 2.1), axis: 1, opts: reducing(dense.Min), want: []float64{1, 1.1, 3, 4, 5}},
		{name: "OpenVINO, sum", data: four, indices: at, updates: six, opts: reducing(dense.Add), want: []float64{2 + 20 + 30, 3 + 10, 4 + 40 + 60, 6 + 70}},
		{name: "OpenVINO, sum without the initial value", data: four, indices: at, updates: six, opts: withoutInit(dense.Add), want: []float64{50, 10, 100, 70}},

		{name: "of several the last wins", data: upTo(1, 2), indices: index(0, -2, 0), updates: upTo(5, 3), want: []float64{7, 2}},
		{name: "without the initial value, none is none", data: upTo(1, 2), indices: index(0, 0), updates: upTo(5, 2), opts: withoutInit(dense.None), want: []float64{6, 2}},
		{name: "more indices than the axis", data: upTo(1, 2, 2), indices: values(dims{2, 3}, 0, 1, 0, 1, 1, 1), updates: upTo(5, 2, 3), axis: 1, want: []float64{7, 6, 3, 10}},
		{name: "fewer lines than data", data: square, indices: values(dims{2, 2}, 2, 0, 0, -1), updates: upTo(10, 2, 2), axis: 1, want: []float64{11, 2, 10, 12, 5, 13, 7, 8, 9}},
		{name: "more lines than data", data: square, indices: values(dims{4, 1}, 0, 0, 0, 0), updates: upTo(1, 4, 1), axis: 1, err: dense.ErrShape,
			text: "ScatterElements: indices (4, 1) has 4 at axis 0, at most 3 is allowed for data (3, 3) and axis 1"},
		{name: "larger updates", data: square, indices: values(dims{2, 2}, 0, 0, 0, 0), updates: upTo(1, 2, 3), axis: 1, err: dense.ErrShape,
			text: "ScatterElements: updates (2, 3) must have the shape of indices (2, 2)"},
		{name: "smaller updates", data: square, indices: values(dims{2, 2}, 0, 0, 0, 0), updates: upTo(1, 2, 1), axis: 1, err: dense.ErrShape,
			text: "ScatterElements: updates (2, 1) must have the shape of indices (2, 2)"},
		{name: "indices of another rank", data: square, indices: index(0, 1), updates: upTo(1, 2), err: dense.ErrShape,
			text: "ScatterElements: indices (2) has rank 1, data (3, 3) has rank 2: the ranks must be equal; use (n, 3), or ScatterUpdate for whole slices"},
		{name: "data of rank 0", data: values(dims{}, 1.0), indices: values(dims{}, 0), updates: values(dims{}, 2.0), err: dense.ErrShape,
			text: "ScatterElements: data is a scalar, rank 1 or more is needed; a backing of one element makes a scalar unless WithShape(1) is given"},
		{name: "axis behind the last", data: square, indices: values(dims{1, 1}, 0), updates: upTo(1, 1, 1), axis: 2, err: dense.ErrAxis,
			text: "ScatterElements: axis 2 is not in [-2, 1] for rank 2"},
		{name: "updates of another dtype", data: upTo(1, 2), indices: index(0), updates: values[float32](dims{1}, 3), err: dense.ErrDtype,
			text: "ScatterElements: updates have dtype float32, data has float64, they must be equal"},
		{name: "an unknown reduction", data: upTo(1, 2), indices: index(0), updates: upTo(3, 1), opts: reducing(7), err: dense.ErrOption,
			text: "ScatterElements: WithReduction(sqrtn), allowed are none, add, sub, mul, min, max and mean"},
		{name: "the size itself", data: upTo(1, 2), indices: index(1, 2), updates: upTo(3, 2), bad: outside([]int{1}, 2, 0, 2)},
		{name: "least int64", data: upTo(1, 2), indices: index(math.MinInt64), updates: upTo(3, 1), bad: outside([]int{0}, math.MinInt64, 0, 2)},
		{name: "the first of several", data: square, indices: values(dims{2, 2}, 0, 9, -9, 8), updates: upTo(1, 2, 2), axis: 1, bad: outside([]int{0, 1}, 9, 1, 3)},
		{name: "negative, refused", data: upTo(1, 2), indices: index(0, -1), updates: upTo(3, 2), opts: []dense.Option{dense.WithNonNegativeIndices()},
			bad: &dense.IndexError{Op: "ScatterElements", Position: []int{1}, Index: -1, Size: 2, NonNegative: true}},
		{name: "no indices", data: square, indices: none(0, 3), updates: empty(0, 3), want: packed[float64](square)},
		{name: "no indices, without the initial value", data: square, indices: none(3, 0), updates: empty(3, 0), axis: 1, opts: withoutInit(dense.Mean), want: packed[float64](square)},
		{name: "an index of no data", data: empty(0, 3), indices: values(dims{1, 3}, 0, 0, 0), updates: upTo(1, 1, 3), bad: outside([]int{0, 0}, 0, 0, 0)},

		{name: "max of NaN", data: values(dims{3}, nan, 3, 3), indices: index(0, 1), updates: values(dims{2}, 3, nan), opts: reducing(dense.Max), want: []float64{nan, nan, 3}},
		{name: "min of NaN", data: values(dims{3}, nan, 3, 3), indices: index(0, 1), updates: values(dims{2}, 3, nan), opts: reducing(dense.Min), want: []float64{nan, nan, 3}},
		{name: "NaN in data, without the initial value", data: values(dims{2}, nan, nan), indices: index(0), updates: upTo(3, 1), opts: withoutInit(dense.Max), want: []float64{3, nan}},
		{name: "max of -Inf alone", data: upTo(1, 2), indices: index(1, 1), updates: values(dims{2}, -inf, -inf), opts: withoutInit(dense.Max), want: []float64{1, -inf}},
		{name: "min of +Inf alone", data: upTo(1, 2), indices: index(1, 1), updates: values(dims{2}, inf, inf), opts: withoutInit(dense.Min), want: []float64{1, inf}},
		{name: "max, 0 is above -0", data: values(dims{2}, math.Copysign(0, -1), 0), indices: index(0, 1), updates: values(dims{2}, 0, math.Copysign(0, -1)), opts: reducing(dense.Max), want: []float64{0, 0}},
		{name: "sum of both infinities", data: upTo(1, 1), indices: index(0, 0), updates: values(dims{2}, inf, -inf), opts: reducing(dense.Add), want: []float64{nan}},
		{name: "mean", data: upTo(2, 1), indices: index(0, 0), updates: values(dims{2}, 1.1, 2.1), opts: reducing(dense.Mean), want: []float64{(2 + 1.1 + 2.1) / 3}},
		{name: "mean without the initial value", data: upTo(2, 1), indices: index(0, 0), updates: values(dims{2}, 1.1, 2.1), opts: withoutInit(dense.Mean), want: []float64{(1.1 + 2.1) / 2}},
		{name: "difference without the initial value", data: upTo(2, 2), indices: index(0, 0), updates: upTo(5, 2), opts: withoutInit(dense.Sub), want: []float64{-11, 3}},
		{name: "product without the initial value", data: upTo(2, 2), indices: index(0, 0), updates: upTo(5, 2), opts: withoutInit(dense.Mul), want: []float64{30, 3}},
		{name: "a sum from data on", data: upTo(1, 1), indices: index(0, 0), updates: values(dims{2}, 1, 0x1p53), opts: reducing(dense.Add), want: []float64{0x1p53 + 2}},
		{name: "a sum in the order of the indices", data: upTo(1, 1), indices: index(0, 0), updates: values(dims{2}, 0x1p53, 1), opts: reducing(dense.Add), want: []float64{0x1p53}},
	}, func(e scatterEdge) (*tensor.Dense, error) {
		return dense.ScatterElements(e.data, e.indices, e.updates, e.axis, e.opts...)
	})
}

// TestScatterNDEdges has the first examples of ONNX ScatterND-18, and the cases
// in which implementations differ.
func TestScatterNDEdges(t *testing.T) {
	outside := func(position []int, index int64, axis, size int) *dense.IndexError {
		return &dense.IndexError{Op: "ScatterND", Position: position, Index: index, Axis: axis, Size: size}
	}
	rows := []float64{1, 2, 3, 4, 5, 6, 7, 8, 8, 7, 6, 5, 4, 3, 2, 1}
	blocks := values(dims{2, 4, 4}, slices.Concat(rows, rows)...)
	fives := slices.Concat(slices.Repeat([]float64{5}, 4), slices.Repeat([]float64{6}, 4), slices.Repeat([]float64{7}, 4), slices.Repeat([]float64{8}, 4))
	matrix := upTo(1, 2, 3)
	runScatterEdges(t, []scatterEdge{
		{name: "ONNX, elements", data: upTo(1, 8), indices: values(dims{4, 1}, 4, 3, 1, 7), updates: upTo(9, 4), want: []float64{1, 11, 3, 10, 9, 6, 7, 12}},
		{name: "ONNX, blocks", data: blocks, indices: values(dims{1, 1}, 1), updates: values(dims{1, 4, 4}, fives...),
			want: slices.Concat(rows, fives)},
		{name: "of several the last wins", data: matrix, indices: values(dims{3, 1}, 1, 0, -1), updates: upTo(10, 3, 3), want: []float64{13, 14, 15, 16, 17, 18}},
		{name: "tuples of all axes", data: matrix, indices: values(dims{2, 2}, 1, -1, 0, 1), updates: upTo(10, 2), want: []float64{1, 11, 3, 4, 5, 10}},
		{name: "a long axis among axes of one, without init", data: upTo(1, 1, 20, 1), indices: values(dims{3, 3}, 0, 17, 0, 0, -1, -1, -1, 17, 0), updates: upTo(10, 3),
			opts: withoutInit(dense.Add), want: append(packed[float64](upTo(1, 17)), 10+12, 19, 11)},
		{name: "one tuple, a scalar update", data: matrix, indices: values(dims{2}, 1, 0), updates: values(dims{}, 10.0), opts: reducing(dense.Sub), want: []float64{1, 2, 3, 4 - 10, 5, 6}},
		{name: "one tuple of one, a row", data: matrix, indices: index(1), updates: upTo(10, 3), opts: reducing(dense.Add), want: []float64{1, 2, 3, 14, 16, 18}},
		{name: "int32", data: matrix, indices: values[int32](dims{1, 1}, -2), updates: upTo(10, 1, 3), want: []float64{10, 11, 12, 4, 5, 6}},
		{name: "no tuples", data: matrix, indices: none(0, 1), updates: empty(0, 3), opts: reducing(dense.Mul), want: packed[float64](matrix)},
		// As ONNX Runtime and TensorFlow have it: each empty tuple is for the whole of
		// data, one after the other.
		{name: "one empty tuple", data: matrix, indices: none(0), updates: upTo(10, 2, 3), want: []float64{10, 11, 12, 13, 14, 15}},
		{name: "two empty tuples, the last wins", data: matrix, indices: none(2, 0), updates: upTo(1, 2, 2, 3), want: []float64{7, 8, 9, 10, 11, 12}},
		{name: "two empty tuples, add", data: matrix, indices: none(2, 0), updates: upTo(1, 2, 2, 3), opts: reducing(dense.Add),
			want: []float64{1 + 1 + 7, 2 + 2 + 8, 3 + 3 + 9, 4 + 4 + 10, 5 + 5 + 11, 6 + 6 + 12}},
		{name: "two empty tuples, mul without init", data: matrix, indices: none(2, 0), updates: upTo(1, 2, 2, 3),
			opts: append(reducing(dense.Mul), dense.WithInitValue(false)), want: []float64{7, 16, 27, 40, 55, 72}},
		{name: "two empty tuples, mean", data: matrix, indices: none(2, 0), updates: upTo(1, 2, 2, 3), opts: reducing(dense.Mean),
			want: []float64{9. / 3, 12. / 3, 15. / 3, 18. / 3, 21. / 3, 24. / 3}},
		{name: "empty tuples of two axes", data: values(dims{1}, 5.0), indices: none(2, 2, 0), updates: upTo(1, 2, 2, 1), opts: reducing(dense.Sub), want: []float64{5 - 1 - 2 - 3 - 4}},
		{name: "no empty tuples", data: matrix, indices: none(0, 0), updates: empty(0, 2, 3), opts: reducing(dense.Min), want: packed[float64](matrix)},
		{name: "empty tuples of no data", data: empty(2, 0), indices: none(3, 0), updates: empty(3, 2, 0), want: []float64{}},
		{name: "more empty tuples of no data than there is memory", data: empty(0, 3), indices: none(1<<30, 0), updates: empty(1<<30, 0, 3), opts: reducing(dense.Max), want: []float64{}},
		{name: "tuples longer than the rank", data: matrix, indices: values(dims{1, 3}, 0, 0, 0), updates: upTo(1, 1), err: dense.ErrShape,
			text: "ScatterND: the last dim of indices (1, 3) is 3, allowed is 0 to 2 for data (2, 3) and batch_dims 0; use (1, 3, 1) for single indices"},
		{name: "a broadcast update", data: matrix, indices: values(dims{2, 1}, 0, 1), updates: upTo(1, 3), err: dense.ErrShape,
			text: "ScatterND: updates (3) must have the shape (2, 3) for data (2, 3) and indices (2, 1)"},
		{name: "a vector of one for a scalar", data: matrix, indices: values(dims{2}, 1, 0), updates: upTo(1, 1), err: dense.ErrShape,
			text: "ScatterND: updates (1) must have the shape () for data (2, 3) and indices (2)"},
		{name: "data of rank 0", data: values(dims{}, 1.0), indices: values(dims{1}, 0), updates: values(dims{}, 1.0), err: dense.ErrShape,
			text: "ScatterND: data is a scalar, rank 1 or more is needed; a backing of one element makes a scalar unless WithShape(1) is given"},
		{name: "scalar indices", data: matrix, indices: values(dims{}, 0), updates: upTo(1, 3), err: dense.ErrShape,
			text: "ScatterND: indices is a scalar, rank 1 or more is needed; a backing of one element makes a scalar unless WithShape(1) is given"},
		{name: "a component that the flat offset would hide", data: matrix, indices: values(dims{1, 2}, 0, 4), updates: upTo(1, 1), bad: outside([]int{0, 1}, 4, 1, 3)},
		{name: "a negative component that would be hidden", data: matrix, indices: values(dims{1, 2}, 1, -4), updates: upTo(1, 1), bad: outside([]int{0, 1}, -4, 1, 3)},
		{name: "the first component", data: matrix, indices: values(dims{2, 2}, 1, 1, 2, 9), updates: upTo(1, 2), bad: outside([]int{1, 0}, 2, 0, 2)},
		{name: "a bad index that writes nothing", data: empty(2, 0), indices: values(dims{1, 1}, 2), updates: empty(1, 0), bad: outside([]int{0, 0}, 2, 0, 2)},
	}, func(e scatterEdge) (*tensor.Dense, error) {
		return dense.ScatterND(e.data, e.indices, e.updates, e.opts...)
	})
}

// TestScatterUpdateEdges is the same for ScatterUpdate.
func TestScatterUpdateEdges(t *testing.T) {
	outside := func(position []int, index int64, axis, size int) *dense.IndexError {
		return &dense.IndexError{Op: "ScatterUpdate", Position: position, Index: index, Axis: axis, Size: size}
	}
	matrix := upTo(1, 2, 3)
	runScatterEdges(t, []scatterEdge{
		{name: "rows", data: matrix, indices: index(1), updates: upTo(10, 1, 3), want: []float64{1, 2, 3, 10, 11, 12}},
		{name: "columns, of several the last wins", data: matrix, indices: index(2, 0, -1), updates: upTo(10, 2, 3), axis: 1, want: []float64{11, 2, 12, 14, 5, 15}},
		{name: "a scalar index drops the axis", data: matrix, indices: values(dims{}, -1), updates: upTo(10, 2), axis: -1, want: []float64{1, 2, 10, 4, 5, 11}},
		{name: "columns, added", data: matrix, indices: index(2, 0, -1), updates: upTo(10, 2, 3), axis: 1, opts: []dense.Option{dense.WithReduction(dense.Add)},
			want: []float64{12, 2, 25, 18, 5, 34}},
		{name: "the mean of columns without the old", data: matrix, indices: index(2, 0, -1), updates: upTo(10, 2, 3), axis: 1,
			opts: []dense.Option{dense.WithReduction(dense.Mean), dense.WithInitValue(false)}, want: []float64{11, 2, 11, 14, 5, 14}},
		{name: "a row in one product with itself", data: matrix, indices: values(dims{2, 1}, 1, 1), updates: upTo(2, 2, 1, 3), opts: []dense.Option{dense.WithReduction(dense.Mul)},
			want: []float64{1, 2, 3, 4 * 2 * 5, 5 * 3 * 6, 6 * 4 * 7}},
		{name: "indices of two axes", data: matrix, indices: values(dims{2, 1}, 0, 2), updates: upTo(10, 2, 2, 1), axis: 1, want: []float64{10, 2, 11, 12, 5, 13}},
		{name: "no indices", data: matrix, indices: none(0), updates: empty(0, 3), want: packed[float64](matrix)},
		{name: "updates of another shape", data: matrix, indices: index(0, 1), updates: upTo(10, 2, 3), axis: 1, err: dense.ErrShape,
			text: "ScatterUpdate: updates (2, 3) must have the shape (2, 2) for data (2, 3), indices (2) and axis 1"},
		{name: "data of rank 0", data: values(dims{}, 1.0), indices: index(0), updates: upTo(1, 1), err: dense.ErrShape,
			text: "ScatterUpdate: data is a scalar, rank 1 or more is needed; a backing of one element makes a scalar unless WithShape(1) is given"},
		{name: "out of range", data: matrix, indices: index(0, 3), updates: upTo(10, 2, 2), axis: 1, bad: outside([]int{1}, 3, 1, 3)},
		{name: "out of range, scalar", data: matrix, indices: values(dims{}, -3), updates: upTo(10, 3), bad: outside([]int{}, -3, 0, 2)},
	}, func(e scatterEdge) (*tensor.Dense, error) {
		return dense.ScatterUpdate(e.data, e.indices, e.updates, e.axis, e.opts...)
	})
}
