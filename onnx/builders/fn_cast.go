package builders

import (
	"github.com/x448/float16"
	"gorgonia.org/gather/dense"
	"gorgonia.org/gather/internal/fault"
	"gorgonia.org/gather/internal/num"
	"gorgonia.org/tensor"
)

// casting converts to another dtype, as Go does: a float loses its fraction on
// the way to an integer. What an integer cannot hold is left open by ONNX.
type casting struct{ to tensor.Dtype }

func (f casting) String() string { return "Cast to " + typeName(f.to) }

func (f casting) result(in []operand) (operand, error) {
	for _, dt := range []tensor.Dtype{in[0].dtype, f.to} {
		if casts[dt] == nil && dt != dense.Float16 && dt != dense.BFloat16 {
			return operand{}, fault.Errorf(dense.ErrDtype, "a conversion of %v to %v is not supported", typeName(in[0].dtype), typeName(f.to))
		}
	}
	return operand{f.to, in[0].shape}, nil
}

// casts are the conversions by the dtype they start from. A bool is a byte of 0
// or 1.
var casts = map[tensor.Dtype]func(to tensor.Dtype, out, in *tensor.Dense){
	tensor.Bool:  castFrom[uint8],
	tensor.Uint8: castFrom[uint8], tensor.Uint16: castFrom[uint16], tensor.Uint32: castFrom[uint32], tensor.Uint64: castFrom[uint64],
	tensor.Int8: castFrom[int8], tensor.Int16: castFrom[int16], tensor.Int32: castFrom[int32], tensor.Int64: castFrom[int64],
	tensor.Float32: castFrom[float32], tensor.Float64: castFrom[float64],
}

func (f casting) run(out *tensor.Dense, in []*tensor.Dense) error {
	src := in[0]
	if count(src.Shape()) == 0 {
		return nil
	}
	switch src.Dtype() {
	case dense.Float16:
		src = widened(src, func(x float16.Float16) float32 { return x.Float32() })
	case dense.BFloat16:
		src = widened(src, func(x dense.BF16) float32 { return num.BFloat16To32(uint16(x)) })
	}
	cast := casts[src.Dtype()]
	switch f.to {
	case dense.Float16:
		narrowed(out, src, float16.Fromfloat32)
	case dense.BFloat16:
		narrowed(out, src, func(x float32) dense.BF16 { return dense.BF16(num.BFloat16From32(x)) })
	default:
		cast(f.to, out, src)
	}
	return nil
}

// widened is a tensor of 16-bit floats as float32.
func widened[T any](t *tensor.Dense, wide func(T) float32) *tensor.Dense {
	w := tensor.NewDense(tensor.Float32, t.Shape().Clone())
	for i, x := range elements[T](t) {
		elements[float32](w)[i] = wide(x)
	}
	return w
}

// narrowed converts to 16-bit floats by way of float32.
func narrowed[T any](out, in *tensor.Dense, narrow func(float32) T) {
	w := tensor.NewDense(tensor.Float32, in.Shape().Clone())
	casts[in.Dtype()](tensor.Float32, w, in)
	for i, x := range elements[float32](w) {
		elements[T](out)[i] = narrow(x)
	}
}

func castFrom[T number](to tensor.Dtype, out, in *tensor.Dense) {
	switch to {
	case tensor.Bool:
		for i, x := range elements[T](in) {
			elements[bool](out)[i] = x != 0
		}
	case tensor.Int8:
		castBetween[T, int8](out, in)
	case tensor.Int16:
		castBetween[T, int16](out, in)
	case tensor.Int32:
		castBetween[T, int32](out, in)
	case tensor.Int64:
		castBetween[T, int64](out, in)
	case tensor.Uint8:
		castBetween[T, uint8](out, in)
	case tensor.Uint16:
		castBetween[T, uint16](out, in)
	case tensor.Uint32:
		castBetween[T, uint32](out, in)
	case tensor.Uint64:
		castBetween[T, uint64](out, in)
	case tensor.Float32:
		castBetween[T, float32](out, in)
	case tensor.Float64:
		castBetween[T, float64](out, in)
	}
}

func castBetween[T, U number](out, in *tensor.Dense) {
	dst := elements[U](out)
	for i, x := range elements[T](in) {
		dst[i] = U(x)
	}
}

// gradients of a conversion between floats are converted back. The operand of
// CastLike that has the type has none.
func (f casting) gradients(in []operand, _ operand) []*term {
	terms := make([]*term, len(in))
	terms[0] = of(casting{in[0].dtype}, grad())
	return terms
}
