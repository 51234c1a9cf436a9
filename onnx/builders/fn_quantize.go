package builders

import (
	"fmt"
	"math"

	"gorgonia.org/gather/dense"
	"gorgonia.org/gather/internal/fault"
	"gorgonia.org/tensor"
)

// quantizing divides by the scale and rounds. The operands are x, scale and, if there is
// one, the zero point.
type quantizing struct {
	scales
	to quantizedType
}

func (f quantizing) String() string {
	return fmt.Sprintf("QuantizeLinear to %v from %v to %v %v", typeName(f.to.dtype), f.to.low, f.to.high, f.scales)
}

func (f quantizing) result(in []operand) (operand, error) {
	if !quantizable.Has(in[0].dtype) {
		return operand{}, fault.Errorf(dense.ErrDtype, "an input of type %v is not supported, float and int32 are", typeName(in[0].dtype))
	}
	return operand{f.to.dtype, in[0].shape}, nil
}

func (f quantizing) run(out *tensor.Dense, in []*tensor.Dense) error {
	x := in[0]
	if x.Dtype() != tensor.Float32 {
		x = newTensor(operand{tensor.Float32, x.Shape()})
		if err := (casting{tensor.Float32}).run(x, in[:1]); err != nil {
			return err
		}
	}
	switch f.to.dtype {
	case tensor.Uint8:
		quantize[uint8](f, out, x, in)
	case tensor.Int8:
		quantize[int8](f, out, x, in)
	case tensor.Uint16:
		quantize[uint16](f, out, x, in)
	case tensor.Int16:
		quantize[int16](f, out, x, in)
	}
	return nil
}

func quantize[T integer](f quantizing, out, x *tensor.Dense, in []*tensor.Dense) {
	dst, src := elements[T](out), elements[float32](x)
	s, z := scalesOf[T](in)
	low, high := f.to.low, f.to.high
	f.split(func(at, n, first, step int) {
		for i := range n {
			k := first + i*step
			v := math.RoundToEven(float64(src[at+i]/s[k])) + float64(z[k])
			switch {
			case !(v > low): // NaN, too
				v = low
			case v > high:
				v = high
			}
			dst[at+i] = T(v)
		}
	})
}

// scalesOf are the scales, and their zero points, which are 0 unless given.
func scalesOf[T integer](in []*tensor.Dense) ([]float32, []T) {
	scales := elements[float32](in[1])
	if len(in) == 2 {
		return scales, make([]T, len(scales))
	}
	return scales, elements[T](in[2])
}

// An integer has no gradient.
func (f quantizing) gradients(in []operand, _ operand) []*term { return make([]*term, len(in)) }
