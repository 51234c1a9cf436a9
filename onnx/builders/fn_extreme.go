package builders

import (
	"fmt"
	"math"
	"slices"

	"gorgonia.org/gather/dense"
	"gorgonia.org/gather/internal/fault"
	"gorgonia.org/tensor"
)

// extreme reduces the elements of part that have the same place to the largest
// or smallest of them.
type extreme struct {
	places
	largest bool
}

func (f extreme) String() string {
	if f.largest {
		return "maxima of " + f.places.String()
	}
	return "minima of " + f.places.String()
}

func (f extreme) result(in []operand) (operand, error) {
	if !slices.Equal(in[0].shape, f.part) {
		return operand{}, fault.Errorf(dense.ErrShape, "an input of shape %v", in[0].shape)
	}
	if extremes[in[0].dtype] == nil {
		return operand{}, fault.Errorf(dense.ErrDtype, "an input of type %v is not supported, float, double, integers and bool are", typeName(in[0].dtype))
	}
	return operand{in[0].dtype, f.whole}, nil
}

func (f extreme) run(out *tensor.Dense, in []*tensor.Dense) error {
	extremes[out.Dtype()](f, out, in[0])
	return nil
}

// extremes are the loops, by dtype. A bool is a byte of 0 or 1.
var extremes = map[tensor.Dtype]func(f extreme, out, in *tensor.Dense){
	tensor.Float32: extremesBetween(float32(math.Inf(-1)), float32(math.Inf(1))),
	tensor.Float64: extremesBetween(math.Inf(-1), math.Inf(1)),
	tensor.Bool:    extremesBetween[uint8](0, 1),
	tensor.Int8:    extremesBetween[int8](math.MinInt8, math.MaxInt8),
	tensor.Int16:   extremesBetween[int16](math.MinInt16, math.MaxInt16),
	tensor.Int32:   extremesBetween[int32](math.MinInt32, math.MaxInt32),
	tensor.Int64:   extremesBetween[int64](math.MinInt64, math.MaxInt64),
	tensor.Uint8:   extremesBetween[uint8](0, math.MaxUint8),
	tensor.Uint16:  extremesBetween[uint16](0, math.MaxUint16),
	tensor.Uint32:  extremesBetween[uint32](0, math.MaxUint32),
	tensor.Uint64:  extremesBetween[uint64](0, math.MaxUint64),
}

// extremesBetween starts from the least and the greatest value of a type.
func extremesBetween[T number](least, greatest T) func(f extreme, out, in *tensor.Dense) {
	return func(f extreme, out, in *tensor.Dense) {
		dst, src := elements[T](out), elements[T](in)
		start, better := greatest, func(x, y T) T { return min(x, y) }
		if f.largest {
			start, better = least, func(x, y T) T { return max(x, y) }
		}
		for i := range dst {
			dst[i] = start
		}
		if len(src) == 0 {
			return
		}
		f.each(func(at, to, n, step int) {
			for i, x := range src[at : at+n] {
				dst[to+i*step] = better(dst[to+i*step], x)
			}
		})
	}
}

func (f extreme) gradients([]operand, operand) []*term {
	return []*term{of(winners{f.places}, grad(), out(), input(0))}
}

// winners divides the gradient of an extreme evenly among the elements that are
// equal to it.
type winners struct{ places }

func (f winners) String() string { return fmt.Sprint("gradient of extremes of ", f.places) }

func (f winners) result(in []operand) (operand, error) { return in[2], nil }

func (f winners) run(out *tensor.Dense, in []*tensor.Dense) error {
	if count(f.part) == 0 {
		return nil
	}
	if out.Dtype() == tensor.Float32 {
		shareAmong[float32](f, out, in)
	} else {
		shareAmong[float64](f, out, in)
	}
	return nil
}

func shareAmong[T float](f winners, out *tensor.Dense, in []*tensor.Dense) {
	dst, g, y, x := elements[T](out), elements[T](in[0]), elements[T](in[1]), elements[T](in[2])
	equal := make([]T, len(y))
	f.each(func(at, from, n, step int) {
		for i, v := range x[at : at+n] {
			if v == y[from+i*step] {
				equal[from+i*step]++
			}
		}
	})
	f.each(func(at, from, n, step int) {
		for i, v := range x[at : at+n] {
			if p := from + i*step; v == y[p] {
				dst[at+i] = g[p] / equal[p]
			}
		}
	})
}

func (f winners) gradients([]operand, operand) []*term { return onlyOnce(f, 3) }
