package transformer

import (
	"github.com/pkg/errors"
	"github.com/x448/float16"
	"gorgonia.org/gather/dense"
	"gorgonia.org/tensor"
)

// reducibles are what sums are of.
var reducibles = append(append([]tensor.Dtype{}, wideInts...), floats...)

var reduceSums = []version{
	{since: 1, inputs: []parameter{{name: "data", of: reducibles}}, least: 1, outputs: 1, apply: reduceSumByAttribute(false),
		attributes: map[string]any{"axes": []int64(nil), "keepdims": int64(1)}},
	// Negative axes came with opset 11.
	{since: 11, inputs: []parameter{{name: "data", of: reducibles}}, least: 1, outputs: 1, apply: reduceSumByAttribute(true),
		attributes: map[string]any{"axes": []int64(nil), "keepdims": int64(1)}},
	{since: 13, inputs: []parameter{{name: "data", of: append(reducibles[:len(reducibles):len(reducibles)], dense.BFloat16)}, {name: "axes", of: int64s}},
		least: 1, outputs: 1, apply: reduceSum, attributes: map[string]any{"keepdims": int64(1), "noop_with_empty_axes": int64(0)}},
}

func reduceSumByAttribute(negative bool) func(c call, in []*tensor.Dense) ([]*tensor.Dense, error) {
	return func(c call, in []*tensor.Dense) ([]*tensor.Dense, error) {
		axes := c.ints("axes")
		for i, a := range axes {
			if a < 0 && !negative {
				return nil, errors.Wrapf(dense.ErrAxis, "axes[%d] is %d, axes count from the end since opset 11 only", i, a)
			}
		}
		return sumOver(c, in[0], axes)
	}
}

// reduceSum takes its axes as an input. None, or an empty list of them, means all,
// unless the attribute noop_with_empty_axes says that nothing is summed.
func reduceSum(c call, in []*tensor.Dense) ([]*tensor.Dense, error) {
	var axes []int64
	if in[1] != nil {
		if in[1].Dims() != 1 {
			return nil, errors.Wrapf(dense.ErrShape, "axes is a tensor of shape %v, a list is allowed", in[1].Shape())
		}
		axes = elements[int64](in[1])
	}
	if len(axes) == 0 && c.int("noop_with_empty_axes") != 0 {
		return identity(c, in)
	}
	return sumOver(c, in[0], axes)
}

// sumOver adds up along the axes, which become 1 or vanish; no axes are all axes.
// An empty sum is 0.
func sumOver(c call, in *tensor.Dense, axes []int64) ([]*tensor.Dense, error) {
	rank := in.Dims()
	summed := make([]bool, rank)
	for i, a := range axes {
		at := a
		if a < 0 {
			at += int64(rank)
		}
		if at < 0 || at >= int64(rank) {
			return nil, errors.Wrapf(dense.ErrAxis, "axes[%d] is %d, not in [%d, %d] for data of rank %d", i, a, -rank, rank-1, rank)
		}
		if summed[at] {
			return nil, errors.Wrapf(dense.ErrAxis, "axes %v name axis %d twice", axes, at)
		}
		summed[at] = true
	}
	kept, out := make(tensor.Shape, rank), tensor.Shape{}
	for i, n := range in.Shape() {
		kept[i] = n
		gone := summed[i] || len(axes) == 0
		if gone {
			kept[i] = 1
		}
		if !gone || c.int("keepdims") != 0 {
			out = append(out, kept[i])
		}
	}
	strides := stridesTo(kept, in.Shape())
	switch in.Dtype() {
	case tensor.Float32:
		return sums[float32, float64](in, kept, out, strides, widened[float32], narrowed[float32])
	case tensor.Float64:
		return sums[float64, float64](in, kept, out, strides, same[float64], same[float64])
	case tensor.Int32:
		return sums[int32, int32](in, kept, out, strides, same[int32], same[int32])
	case tensor.Int64:
		return sums[int64, int64](in, kept, out, strides, same[int64], same[int64])
	case tensor.Uint32:
		return sums[uint32, uint32](in, kept, out, strides, same[uint32], same[uint32])
	case tensor.Uint64:
		return sums[uint64, uint64](in, kept, out, strides, same[uint64], same[uint64])
	case dense.Float16:
		return sums[float16.Float16, float32](in, kept, out, strides, widen[float16.Float16], narrow[float16.Float16])
	}
	return sums[dense.BF16, float32](in, kept, out, strides, widen[dense.BF16], narrow[dense.BF16])
}

func same[T any](x T) T               { return x }
func widened[T float32](x T) float64  { return float64(x) }
func narrowed[T float32](x float64) T { return T(x) }

// sums adds up in the wider type A, in row-major order.
func sums[T any, A int32 | int64 | uint32 | uint64 | float32 | float64](in *tensor.Dense, kept, out tensor.Shape, strides []int, wide func(T) A, round func(A) T) ([]*tensor.Dense, error) {
	totals := make([]A, size(kept))
	from, at := elements[T](in), 0
	eachRow(in.Shape(), [][]int{strides}, func(n int, offsets, steps []int) {
		row := from[at : at+n]
		at += n
		if steps[0] != 0 {
			for i, x := range row {
				totals[offsets[0]+i] += wide(x)
			}
			return
		}
		total := totals[offsets[0]]
		for _, x := range row {
			total += wide(x)
		}
		totals[offsets[0]] = total
	})
	to := make([]T, len(totals))
	for i, x := range totals {
		to[i] = round(x)
	}
	return []*tensor.Dense{newDense(out, to)}, nil
}
