package transformer

import (
	"cmp"
	"math"

	"github.com/pkg/errors"
	"github.com/x448/float16"
	"gorgonia.org/gather/dense"
	"gorgonia.org/tensor"
)

var clips = []version{
	{since: 1, inputs: []parameter{{name: "input", of: floats}}, least: 1, outputs: 1, apply: clipByAttributes, attributes: map[string]any{
		"consumed_inputs": nil, "min": float32(math.Inf(-1)), "max": float32(math.Inf(1))}},
	{since: 6, inputs: []parameter{{name: "input", of: floats}}, least: 1, outputs: 1, apply: clipByAttributes, attributes: map[string]any{
		"min": float32(-math.MaxFloat32), "max": float32(math.MaxFloat32)}},
	{since: 11, inputs: clipInputs(floats), least: 1, outputs: 1, apply: clip},
	{since: 12, inputs: clipInputs(numbers), least: 1, outputs: 1, apply: clip},
	{since: 13, inputs: clipInputs(numbers16), least: 1, outputs: 1, apply: clip},
}

func clipInputs(of []tensor.Dtype) []parameter {
	return []parameter{{name: "input", of: of}, {name: "min", same: true}, {name: "max", same: true}}
}

// clip bounds each element: min(max(x, low), high). So where low exceeds high,
// every element becomes high. NaN stays NaN. A bound that is left out is the least
// or greatest finite number, by which infinities are clipped.
func clip(_ call, in []*tensor.Dense) ([]*tensor.Dense, error) {
	for i, name := range []string{"min", "max"} {
		if bound := in[i+1]; bound != nil && bound.Dims() != 0 {
			return nil, errors.Wrapf(dense.ErrShape, "%s has shape %v, a scalar is allowed", name, bound.Shape())
		}
	}
	switch in[0].Dtype() {
	case tensor.Float32:
		return clipTo[float32](in, -math.MaxFloat32, math.MaxFloat32)
	case tensor.Float64:
		return clipTo[float64](in, -math.MaxFloat64, math.MaxFloat64)
	case tensor.Int8:
		return clipTo[int8](in, math.MinInt8, math.MaxInt8)
	case tensor.Int16:
		return clipTo[int16](in, math.MinInt16, math.MaxInt16)
	case tensor.Int32:
		return clipTo[int32](in, math.MinInt32, math.MaxInt32)
	case tensor.Int64:
		return clipTo[int64](in, math.MinInt64, math.MaxInt64)
	case tensor.Uint8:
		return clipTo[uint8](in, 0, math.MaxUint8)
	case tensor.Uint16:
		return clipTo[uint16](in, 0, math.MaxUint16)
	case tensor.Uint32:
		return clipTo[uint32](in, 0, math.MaxUint32)
	case tensor.Uint64:
		return clipTo[uint64](in, 0, math.MaxUint64)
	case dense.Float16:
		return clipHalves[float16.Float16](in, 65504)
	}
	return clipHalves[dense.BF16](in, 0x1.fep127)
}

// clipTo clips between what the inputs min and max hold, or the bounds given.
func clipTo[T cmp.Ordered](in []*tensor.Dense, low, high T) ([]*tensor.Dense, error) {
	if in[1] != nil {
		low = elements[T](in[1])[0]
	}
	if in[2] != nil {
		high = elements[T](in[2])[0]
	}
	return each(in[0], func(x T) T { return bounded(x, low, high) })
}

func clipHalves[T halfwidth](in []*tensor.Dense, greatest float32) ([]*tensor.Dense, error) {
	low, high := -greatest, greatest
	if in[1] != nil {
		low = widen(elements[T](in[1])[0])
	}
	if in[2] != nil {
		high = widen(elements[T](in[2])[0])
	}
	return each(in[0], func(x T) T { return narrow[T](bounded(widen(x), low, high)) })
}

// bounded is x between two bounds. Both comparisons are false of NaN.
func bounded[T cmp.Ordered](x, low, high T) T {
	if x < low {
		x = low
	}
	if x > high {
		x = high
	}
	return x
}

// clipByAttributes is clip before opset 11. Its attributes are float32 for every
// dtype.
func clipByAttributes(c call, in []*tensor.Dense) ([]*tensor.Dense, error) {
	low, high := c.float("min"), c.float("max")
	switch in[0].Dtype() {
	case tensor.Float32:
		return each(in[0], func(x float32) float32 { return bounded(x, low, high) })
	case tensor.Float64:
		return each(in[0], func(x float64) float64 { return bounded(x, float64(low), float64(high)) })
	}
	return each(in[0], func(x float16.Float16) float16.Float16 {
		return float16.Fromfloat32(bounded(x.Float32(), low, high))
	})
}

// each is a new tensor of f of each element.
func each[T any](in *tensor.Dense, f func(T) T) ([]*tensor.Dense, error) {
	from := elements[T](in)
	to := make([]T, len(from))
	for i, x := range from {
		to[i] = f(x)
	}
	return []*tensor.Dense{newDense(in.Shape().Clone(), to)}, nil
}
