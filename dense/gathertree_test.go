package dense_test

import (
	"errors"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/x448/float16"
	"gorgonia.org/gather/dense"
	"gorgonia.org/tensor"
)

// TestGatherTree has beams that can be followed with a finger. Steps, parents
// and results are written step by step, each with its batches, each of those
// with its beams.
func TestGatherTree(t *testing.T) {
	const end = 10
	for _, c := range []struct {
		name           string
		shape          dims
		steps, parents []int32
		lengths        []int32
		want           []int32
	}{
		{"TensorFlow's example", dims{4, 1, 3},
			[]int32{1, 2, 3, 4, 5, 6, 7, 8, 9, -1, -1, -1},
			[]int32{0, 0, 0, 0, 1, 1, 2, 1, 2, -1, -1, -1}, []int32{3},
			[]int32{2, 2, 2, 6, 5, 6, 7, 8, 9, end, end, end}},
		{"two batches of different lengths", dims{3, 2, 2},
			[]int32{1, 2, 3, 4, 5, 6, 7, 8, 11, 12, 13, 14},
			[]int32{9, 9, 9, 9, 1, 0, 1, 1, 1, 0, 9, 9}, []int32{3, 2},
			// Batch 0, beam 0: 11 came from beam 1, whose 6 came from beam 0, whose 1 is the first.
			[]int32{1, 2, 4, 4, 6, 5, 7, 8, 11, 12, end, end}},
		{"all behind the first end", dims{4, 1, 2},
			[]int32{1, 2, end, 4, 5, end, 7, 8},
			[]int32{0, 0, 0, 1, 0, 1, 0, 1}, []int32{4},
			[]int32{1, 2, end, 4, end, end, end, end}},
		{"the end at the first step", dims{3, 1, 2},
			[]int32{end, 2, 3, 4, 5, 6},
			[]int32{0, 0, 0, 1, 0, 1}, []int32{3},
			[]int32{end, 2, end, 4, end, 6}},
		{"a length of one follows nobody", dims{2, 1, 2}, []int32{1, 2, 3, 4}, []int32{7, 7, 7, 7}, []int32{1}, []int32{1, 2, end, end}},
		{"a length of zero", dims{2, 1, 2}, []int32{1, 2, 3, 4}, []int32{7, 7, 7, 7}, []int32{0}, []int32{end, end, end, end}},
		{"a negative length", dims{2, 1, 2}, []int32{1, 2, 3, 4}, []int32{7, 7, 7, 7}, []int32{-3}, []int32{end, end, end, end}},
		{"a length beyond the last step", dims{2, 1, 2}, []int32{1, 2, 3, 4}, []int32{7, 7, 1, 0}, []int32{99}, []int32{2, 1, 3, 4}},
		{"no steps", dims{0, 1, 2}, nil, nil, []int32{5}, nil},
		{"no batches", dims{2, 0, 2}, nil, nil, nil, nil},
		{"no beams", dims{2, 1, 0}, nil, nil, []int32{5}, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := dense.GatherTree(values(c.shape, c.steps...), values(c.shape, c.parents...),
				values(dims{c.shape[1]}, c.lengths...), values(dims{}, int32(end)))
			if err != nil {
				t.Fatal(err)
			}
			if !slices.Equal(got.Shape(), c.shape) {
				t.Errorf("shape %v, want %v", got.Shape(), c.shape)
			}
			if err := difference(packed[int32](got), c.want); err != nil {
				t.Error(err)
			}
		})
	}
}

// TestGatherTreeComparesNumbers: the end token is compared as numbers are, also where ids
// are kept as bits: -0 is 0, and NaN is no end.
func TestGatherTreeComparesNumbers(t *testing.T) {
	endsInAll[float32](t)
	endsInAll[float64](t)
	endsInAll[float16.Float16](t)
	endsInAll[dense.BF16](t)
}

func endsInAll[T any](t *testing.T) {
	t.Helper()
	of := func(v float64) T {
		switch any(*new(T)).(type) {
		case float32:
			return any(float32(v)).(T)
		case float64:
			return any(v).(T)
		case float16.Float16:
			return any(float16.Fromfloat32(float32(v))).(T)
		default:
			return any(toBF16(float32(v))).(T)
		}
	}
	zero, minus, nan, five := of(0), of(math.Copysign(0, -1)), of(math.NaN()), of(5)
	for _, c := range []struct{ first, end, second T }{{minus, zero, zero}, {zero, minus, minus}, {nan, nan, five}, {minus, five, five}} {
		shape := dims{2, 1, 1}
		got, err := dense.GatherTree(values(shape, c.first, five), values(shape, zero, zero), values(dims{1}, of(2)), values(dims{}, c.end))
		if err != nil {
			t.Fatal(err)
		}
		if text, want := fmt.Sprint(packed[T](got)), fmt.Sprint([]T{c.first, c.second}); text != want {
			t.Errorf("%T: %v and %v with the end %v: %s, want %s", c.end, c.first, five, c.end, text, want)
		}
	}
}

// TestGatherTreeErrors gives GatherTree what it refuses.
func TestGatherTreeErrors(t *testing.T) {
	ids, lengths, end := upTo(0, 2, 3, 2), upTo(1, 3), values(dims{}, 9.0)
	memory := []float64{1, 1, 1}
	shared := func(shape ...int) *tensor.Dense {
		return tensor.New(tensor.WithShape(shape...), tensor.WithBacking(memory[:tensor.ProdInts(shape)]))
	}
	for _, c := range []struct {
		name                        string
		steps, parents, length, end *tensor.Dense
		opts                        []dense.Option
		err                         error
		text                        string
	}{
		{"ids of rank 2", upTo(0, 2, 3), upTo(0, 2, 3), lengths, end, nil, dense.ErrShape,
			"GatherTree: stepIDs (2, 3) has rank 2, (max_time, batch, beam) is needed"},
		{"parents of another shape", ids, upTo(0, 2, 2, 3), lengths, end, nil, dense.ErrShape,
			"GatherTree: parentIDs (2, 2, 3) must have the shape of stepIDs (2, 3, 2)"},
		{"a length for each beam", ids, ids, upTo(1, 2), end, nil, dense.ErrShape,
			"GatherTree: maxSeqLen (2) must have the shape (3), one length a batch of stepIDs (2, 3, 2)"},
		{"an end token with a dim", ids, ids, lengths, upTo(9, 1), nil, dense.ErrShape,
			"GatherTree: endToken (1) must be a scalar"},
		{"two dtypes", ids, values(dims{2, 3, 2}, make([]int32, 12)...), lengths, end, nil, dense.ErrDtype,
			"GatherTree: parentIDs has dtype int32, stepIDs has float64: they must be of one dtype"},
		{"lengths of another dtype", ids, ids, values(dims{3}, make([]int8, 3)...), end, nil, dense.ErrDtype,
			"GatherTree: maxSeqLen has dtype int8, stepIDs has float64: they must be of one dtype"},
		{"an end token of another dtype", ids, ids, lengths, values(dims{}, int64(9)), nil, dense.ErrDtype,
			"GatherTree: endToken has dtype int64, stepIDs has float64: they must be of one dtype"},
		{"an axis", ids, ids, lengths, end, []dense.Option{dense.WithNonNegativeIndices()}, dense.ErrOption,
			"GatherTree: WithNonNegativeIndices does not apply, the options are: WithReuse"},
		{"masked", ids, masked(), lengths, end, nil, dense.ErrLayout, "GatherTree: parentIDs is masked, a tensor without a mask is needed"},
		{"dst of another shape", ids, ids, lengths, end, []dense.Option{dense.WithReuse(upTo(0, 2, 2, 3))}, dense.ErrShape,
			"GatherTree: dst has shape (2, 2, 3), the result (2, 3, 2)"},
		{"the steps as dst", ids, upTo(0, 2, 3, 2), lengths, end, []dense.Option{dense.WithReuse(ids)}, dense.ErrLayout,
			"GatherTree: dst overlaps stepIDs in memory"},
		{"the parents as dst", upTo(0, 2, 3, 2), ids, lengths, end, []dense.Option{dense.WithReuse(ids)}, dense.ErrLayout,
			"GatherTree: dst overlaps parentIDs in memory"},
		{"the lengths as dst", upTo(0, 1, 3, 1), upTo(0, 1, 3, 1), shared(3), end, []dense.Option{dense.WithReuse(shared(1, 3, 1))}, dense.ErrLayout,
			"GatherTree: dst overlaps maxSeqLen in memory"},
		{"the end token as dst", upTo(0, 1, 1, 1), upTo(0, 1, 1, 1), upTo(1, 1), shared(), []dense.Option{dense.WithReuse(shared(1, 1, 1))}, dense.ErrLayout,
			"GatherTree: dst overlaps endToken in memory"},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := dense.GatherTree(c.steps, c.parents, c.length, c.end, c.opts...)
			if !errors.Is(err, c.err) || err.Error() != c.text || got != nil {
				t.Errorf("error\n%v, want\n%s", err, c.text)
			}
		})
	}
	for name, c := range map[string]struct{ ids, lengths, end *tensor.Dense }{
		"complex64": {values(dims{1, 1, 1}, complex64(0)), values(dims{1}, complex64(0)), values(dims{}, complex64(0))},
		"bool":      {values(dims{1, 1, 1}, false), values(dims{1}, false), values(dims{}, false)},
		"string":    {values(dims{1, 1, 1}, "0"), values(dims{1}, "0"), values(dims{}, "0")},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := dense.GatherTree(c.ids, c.ids, c.lengths, c.end)
			want := fmt.Sprintf("GatherTree: stepIDs has dtype %s, allowed are integers and real floats", name)
			if !errors.Is(err, dense.ErrDtype) || err.Error() != want {
				t.Errorf("error %v, want %s", err, want)
			}
		})
	}
}

// treeOf runs a tree of one batch with two beams and three steps, of which the
// last has the given parents.
func treeOf[T any](parents, others []T, length, end T) (*tensor.Dense, error) {
	p := slices.Concat(others, others, parents)
	return dense.GatherTree(values(dims{3, 1, 2}, slices.Repeat(others, 3)...), values(dims{3, 1, 2}, p...), values(dims{1}, length), values(dims{}, end))
}

// TestGatherTreeBadParents gives parents that are no beams; those that nobody
// follows may be anything.
func TestGatherTreeBadParents(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(1)
	half := float16.Fromfloat32
	for _, c := range []struct {
		name string
		run  func() (*tensor.Dense, error)
		want int64 // the parent in the error
	}{
		{"the number of beams", func() (*tensor.Dense, error) { return treeOf([]int64{2, 0}, []int64{0, 1}, 3, 9) }, 2},
		{"negative", func() (*tensor.Dense, error) { return treeOf([]int64{-1, 0}, []int64{0, 1}, 3, 9) }, -1},
		{"least int64", func() (*tensor.Dense, error) { return treeOf([]int64{math.MinInt64, 0}, []int64{0, 1}, 3, 9) }, math.MinInt64},
		{"above 53 bits", func() (*tensor.Dense, error) { return treeOf([]int64{math.MaxInt64 - 1, 0}, []int64{0, 1}, 3, 9) }, math.MaxInt64 - 1},
		{"greatest uint64", func() (*tensor.Dense, error) { return treeOf([]uint64{math.MaxUint64, 0}, []uint64{0, 1}, 3, 9) }, math.MaxInt64},
		{"int8", func() (*tensor.Dense, error) { return treeOf([]int8{-128, 0}, []int8{0, 1}, 3, 9) }, -128},
		{"a float", func() (*tensor.Dense, error) { return treeOf([]float64{2.5, 0}, []float64{0, 1}, 3, 9) }, 2},
		{"NaN", func() (*tensor.Dense, error) { return treeOf([]float32{float32(nan), 0}, []float32{0, 1}, 3, 9) }, math.MinInt64},
		{"2^63", func() (*tensor.Dense, error) { return treeOf([]float64{1 << 63, 0}, []float64{0, 1}, 3, 9) }, math.MaxInt64},
		{"+Inf", func() (*tensor.Dense, error) { return treeOf([]float64{inf, 0}, []float64{0, 1}, 3, 9) }, math.MaxInt64},
		{"float16", func() (*tensor.Dense, error) {
			return treeOf([]float16.Float16{half(-1), half(0)}, []float16.Float16{half(0), half(1)}, half(3), half(9))
		}, -1},
		{"bfloat16", func() (*tensor.Dense, error) {
			return treeOf([]dense.BF16{toBF16(2), toBF16(0)}, []dense.BF16{toBF16(0), toBF16(1)}, toBF16(3), toBF16(9))
		}, 2},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := c.run()
			want := &dense.IndexError{Op: "GatherTree", Argument: "parentIDs", Position: []int{2, 0, 0}, Index: c.want, Axis: 2, Size: 2, NonNegative: true}
			var bad *dense.IndexError
			if !errors.As(err, &bad) || !reflect.DeepEqual(bad, want) || got != nil {
				t.Errorf("error %+v, want %v", err, want)
			}
			if err != nil && !strings.HasPrefix(err.Error(), "GatherTree: parentIDs[2 0 0]: ") {
				t.Errorf("error %q does not name parentIDs[2 0 0]", err)
			}
		})
	}
	t.Run("the first that can be followed", func(t *testing.T) {
		one := dims{2, 1, 1}
		_, err := dense.GatherTree(values(one, 5, 6), values(one, 0, 1), values(dims{1}, 2), values(dims{}, 9))
		want := &dense.IndexError{Op: "GatherTree", Argument: "parentIDs", Position: []int{1, 0, 0}, Index: 1, Axis: 2, Size: 1, NonNegative: true}
		var bad *dense.IndexError
		if !errors.As(err, &bad) || !reflect.DeepEqual(bad, want) {
			t.Errorf("error %+v, want %v", err, want)
		}
	})
	t.Run("the very first, which leads nowhere", func(t *testing.T) {
		one := dims{2, 1, 1}
		got, err := dense.GatherTree(values(one, 5, 6), values(one, -1, 0), values(dims{1}, 2), values(dims{}, 9))
		if err != nil {
			t.Fatal(err)
		}
		if err := difference(packed[int](got), []int{5, 6}); err != nil {
			t.Error(err)
		}
	})
	t.Run("not followed", func(t *testing.T) {
		got, err := treeOf([]int64{5, -7}, []int64{0, 1}, 2, 9)
		if err != nil {
			t.Fatal(err)
		}
		if err := difference(packed[int64](got), []int64{0, 1, 0, 1, 9, 9}); err != nil {
			t.Error(err)
		}
	})
	t.Run("a fraction is cut off", func(t *testing.T) {
		got, err := treeOf([]float64{1.75, -0.75}, []float64{0, 1}, 3.5, 9)
		if err != nil {
			t.Fatal(err)
		}
		if err := difference(packed[float64](got), []float64{1, 0, 1, 0, 0, 1}); err != nil {
			t.Error(err)
		}
	})
}
