package builders

import (
	"fmt"
	"math"

	"gorgonia.org/gather/dense"
	"gorgonia.org/gather/internal/fault"
	"gorgonia.org/tensor"
)

// clipping cuts the first operand off at bounds, which are the others: the lower
// one, the upper one, or both.
type clipping struct{ lower, upper bool }

func (f clipping) String() string { return fmt.Sprintf("Clip, lower %v, upper %v", f.lower, f.upper) }

func (f clipping) result(in []operand) (operand, error) {
	for i, o := range in {
		if o.dtype != in[0].dtype {
			return o, fault.Errorf(dense.ErrDtype, "input %d of type %v, the first one of type %v", i, typeName(o.dtype), typeName(in[0].dtype))
		}
		if i > 0 && count(o.shape) != 1 {
			return o, fault.Errorf(dense.ErrShape, "a bound of shape %v, a scalar is allowed", o.shape)
		}
	}
	if clips[in[0].dtype] == nil {
		return in[0], fault.Errorf(dense.ErrDtype, "an input of type %v is not supported, float, double and integers are", typeName(in[0].dtype))
	}
	return in[0], nil
}

func (f clipping) run(out *tensor.Dense, in []*tensor.Dense) error {
	clips[out.Dtype()](f, out, in)
	return nil
}

// clips are the loops, by dtype. Without a bound the least or the greatest finite
// number is it.
var clips = map[tensor.Dtype]func(f clipping, out *tensor.Dense, in []*tensor.Dense){
	tensor.Float32: clipBetween[float32](-math.MaxFloat32, math.MaxFloat32),
	tensor.Float64: clipBetween[float64](-math.MaxFloat64, math.MaxFloat64),
	tensor.Int8:    clipBetween[int8](math.MinInt8, math.MaxInt8),
	tensor.Int16:   clipBetween[int16](math.MinInt16, math.MaxInt16),
	tensor.Int32:   clipBetween[int32](math.MinInt32, math.MaxInt32),
	tensor.Int64:   clipBetween[int64](math.MinInt64, math.MaxInt64),
	tensor.Uint8:   clipBetween[uint8](0, math.MaxUint8),
	tensor.Uint16:  clipBetween[uint16](0, math.MaxUint16),
	tensor.Uint32:  clipBetween[uint32](0, math.MaxUint32),
	tensor.Uint64:  clipBetween[uint64](0, math.MaxUint64),
}

func clipBetween[T number](least, greatest T) func(f clipping, out *tensor.Dense, in []*tensor.Dense) {
	return func(f clipping, out *tensor.Dense, in []*tensor.Dense) {
		low, high := least, greatest
		if f.lower {
			low = bound[T](true, in, 1)
		}
		if f.upper {
			high = bound[T](true, in, len(in)-1)
		}
		dst := elements[T](out)
		for i, x := range elements[T](in[0]) {
			dst[i] = min(max(x, low), high)
		}
	}
}

// bound is the one element of an operand.
func bound[T number](given bool, in []*tensor.Dense, i int) (b T) {
	if given {
		b = elements[T](in[i])[0]
	}
	return b
}

// The operands of a clipping, for its gradient.
const (
	inside = iota
	atLower
	atUpper
)

func (f clipping) gradients(in []operand, y operand) []*term {
	share := func(which int) *term {
		args := []*term{grad()}
		for i := range in {
			args = append(args, input(i))
		}
		return of(clipped{f, which}, args...)
	}
	terms := []*term{share(inside)}
	if f.lower {
		terms = append(terms, sumTo(share(atLower), y.shape, in[1].shape))
	}
	if f.upper {
		terms = append(terms, sumTo(share(atUpper), y.shape, in[len(in)-1].shape))
	}
	return terms
}

// clipped keeps the gradient where the result came from one of the operands. At
// a bound it came from the bound, as PyTorch has it.
type clipped struct {
	clipping
	which int
}

func (f clipped) String() string { return fmt.Sprintf("gradient %d of %v", f.which, f.clipping) }

func (f clipped) result(in []operand) (operand, error) { return in[0], nil }

func (f clipped) run(out *tensor.Dense, in []*tensor.Dense) error {
	if out.Dtype() == tensor.Float32 {
		keepClipped[float32](f, out, in)
	} else {
		keepClipped[float64](f, out, in)
	}
	return nil
}

func keepClipped[T float](f clipped, out *tensor.Dense, in []*tensor.Dense) {
	dst, g := elements[T](out), elements[T](in[0])
	low, high := bound[T](f.lower, in[1:], 1), bound[T](f.upper, in[1:], len(in)-2)
	for i, x := range elements[T](in[1]) {
		from := inside
		if f.lower && x <= low {
			from, x = atLower, low
		}
		if f.upper && x >= high {
			from = atUpper
		}
		if from == f.which {
			dst[i] = g[i]
		}
	}
}

func (f clipped) gradients(in []operand, _ operand) []*term { return onlyOnce(f, len(in)) }
