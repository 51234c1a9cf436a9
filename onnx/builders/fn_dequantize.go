package builders

import (
	"gorgonia.org/gather/dense"
	"gorgonia.org/gather/internal/fault"
	"gorgonia.org/tensor"
)

// dequantizing subtracts the zero point and multiplies by the scale. The operands are x,
// scale and, if there is one, the zero point.
type dequantizing struct{ scales }

func (f dequantizing) String() string { return "DequantizeLinear " + f.scales.String() }

func (f dequantizing) result(in []operand) (operand, error) {
	if dequantizers[in[0].dtype] == nil {
		return operand{}, fault.Errorf(dense.ErrDtype, "x of type %v is not supported, int8, uint8, int16, uint16 and int32 are", typeName(in[0].dtype))
	}
	return operand{tensor.Float32, in[0].shape}, nil
}

func (f dequantizing) run(out *tensor.Dense, in []*tensor.Dense) error {
	dequantizers[in[0].Dtype()](f, out, in)
	return nil
}

// dequantizers are the loops, by dtype.
var dequantizers = map[tensor.Dtype]func(f dequantizing, out *tensor.Dense, in []*tensor.Dense){
	tensor.Int8: dequantize[int8], tensor.Uint8: dequantize[uint8],
	tensor.Int16: dequantize[int16], tensor.Uint16: dequantize[uint16], tensor.Int32: dequantize[int32],
}

func dequantize[T integer](f dequantizing, out *tensor.Dense, in []*tensor.Dense) {
	dst, src := elements[float32](out), elements[T](in[0])
	scales, zeros := scalesOf[T](in)
	f.split(func(at, n, first, step int) {
		to, from := dst[at:at+n], src[at:at+n]
		if step == 0 {
			scale, zero := scales[first], int64(zeros[first])
			for i, x := range from {
				to[i] = float32(int64(x)-zero) * scale
			}
			return
		}
		s, z := scales[first:first+n], zeros[first:first+n]
		for i, x := range from {
			to[i] = float32(int64(x)-int64(z[i])) * s[i]
		}
	})
}

// A float that integers stand for is used, not trained: neither it nor its scale has a
// gradient.
func (f dequantizing) gradients(in []operand, _ operand) []*term { return make([]*term, len(in)) }
