package builders

import (
	"fmt"
	"math"

	"gorgonia.org/gather/dense"
	"gorgonia.org/gather/internal/fault"
	"gorgonia.org/tensor"
)

// comparing tells for every pair of elements whether a comparison holds, or And,
// Or and Xor of bools. The operands are broadcast to each other.
type comparing struct{ name string }

func (f comparing) String() string { return f.name }

// comparisons are the loops, by dtype. A bool is a byte of 0 or 1.
var comparisons = map[tensor.Dtype]func(name string, out, a, b *tensor.Dense){
	tensor.Bool: compareAs[uint8], tensor.Float32: compareAs[float32], tensor.Float64: compareAs[float64],
	tensor.Int8: compareAs[int8], tensor.Int16: compareAs[int16], tensor.Int32: compareAs[int32], tensor.Int64: compareAs[int64],
	tensor.Uint8: compareAs[uint8], tensor.Uint16: compareAs[uint16], tensor.Uint32: compareAs[uint32], tensor.Uint64: compareAs[uint64],
}

func (f comparing) result(in []operand) (operand, error) {
	a, b := in[0], in[1]
	if a.dtype != b.dtype {
		return a, fault.Errorf(dense.ErrDtype, "inputs of types %v and %v, they must be of one type", typeName(a.dtype), typeName(b.dtype))
	}
	if comparisons[a.dtype] == nil {
		return a, fault.Errorf(dense.ErrDtype, "inputs of type %v are not supported, bool, float, double and integers are", typeName(a.dtype))
	}
	shape, err := broadcast(a.shape, b.shape)
	return operand{tensor.Bool, shape}, err
}

func (f comparing) run(out *tensor.Dense, in []*tensor.Dense) error {
	comparisons[in[0].Dtype()](f.name, out, in[0], in[1])
	return nil
}

func compareAs[T number](name string, out, a, b *tensor.Dense) {
	switch name {
	case "Equal":
		pairs(out, a, b, byElement(func(x, y T) bool { return x == y }))
	case "Less":
		pairs(out, a, b, byElement(func(x, y T) bool { return x < y }))
	case "Greater":
		pairs(out, a, b, byElement(func(x, y T) bool { return x > y }))
	case "LessOrEqual":
		pairs(out, a, b, byElement(func(x, y T) bool { return x <= y }))
	case "GreaterOrEqual":
		pairs(out, a, b, byElement(func(x, y T) bool { return x >= y }))
	case "And":
		pairs(out, a, b, byElement(func(x, y T) bool { return x != 0 && y != 0 }))
	case "Or":
		pairs(out, a, b, byElement(func(x, y T) bool { return x != 0 || y != 0 }))
	case "Xor":
		pairs(out, a, b, byElement(func(x, y T) bool { return (x != 0) != (y != 0) }))
	}
}

func (f comparing) gradients([]operand, operand) []*term { return make([]*term, 2) }

// negating is Not.
type negating struct{}

func (f negating) String() string { return "Not" }

func (f negating) result(in []operand) (operand, error) { return in[0], nil }

func (f negating) run(out *tensor.Dense, in []*tensor.Dense) error {
	dst := elements[bool](out)
	for i, x := range elements[bool](in[0]) {
		dst[i] = !x
	}
	return nil
}

func (f negating) gradients([]operand, operand) []*term { return make([]*term, 1) }

// examining tells of every element whether it is NaN, or which of the infinities.
type examining struct{ nan, below, above bool }

func (f examining) String() string {
	return fmt.Sprintf("IsNaN %v, IsInf %v %v", f.nan, f.below, f.above)
}

func (f examining) result(in []operand) (operand, error) {
	if !isFloat(in[0].dtype) {
		return operand{}, fault.Errorf(dense.ErrDtype, "an input of type %v is not supported, float and double are", typeName(in[0].dtype))
	}
	return operand{tensor.Bool, in[0].shape}, nil
}

func (f examining) run(out *tensor.Dense, in []*tensor.Dense) error {
	if in[0].Dtype() == tensor.Float32 {
		examine[float32](f, out, in[0])
	} else {
		examine[float64](f, out, in[0])
	}
	return nil
}

func examine[T float](f examining, out, in *tensor.Dense) {
	dst := elements[bool](out)
	for i, x := range elements[T](in) {
		dst[i] = f.nan && x != x || f.below && math.IsInf(float64(x), -1) || f.above && math.IsInf(float64(x), 1)
	}
}

func (f examining) gradients([]operand, operand) []*term { return make([]*term, 1) }
