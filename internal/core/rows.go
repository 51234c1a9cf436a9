package core

import (
	"gorgonia.org/gather/internal/elem"
	"gorgonia.org/gather/internal/fault"
	"gorgonia.org/gather/internal/num"
	"gorgonia.org/gather/shapes"
	"gorgonia.org/tensor"
)

// ReadIDs writes the elements of a tensor of integers, in any layout, to a
// slice in row-major order: to the one given, if it is long enough. A uint64 above
// the greatest int64 becomes beyond.
func ReadIDs(to []int64, op, argument string, t tensor.Tensor, beyond int64) ([]int64, tensor.Shape, error) {
	var x indices
	if err := x.view.read(op, argument, t); err != nil {
		return to, nil, err
	}
	if !x.kind.IsInteger() {
		return to, nil, fault.Errorf(elem.ErrDtype, "%s: %s have dtype %v, integers are needed", op, argument, elem.Name(x.dtype))
	}
	to = num.Resize(to, x.size)
	x.widen(to, x.packTo(to), beyond)
	return to, x.shape, nil
}

// PackedIDs is the memory of int32 or int64 in row-major order, and nil of what ReadIDs has
// to convert or refuse.
func PackedIDs(t tensor.Tensor) (ids []byte, is32 bool, shape tensor.Shape) {
	var x view
	if x.read("", "", t) != nil || !x.packed || x.size == 0 || x.kind != num.Int32 && x.kind != num.Int64 {
		return nil, false, nil
	}
	return x.mem[:x.size*x.width], x.kind == num.Int32, x.shape
}

// Packed is the elements of a tensor of a dtype in row-major order: its memory or,
// if they lie otherwise there, a copy in scratch.
func Packed(scratch *[]byte, op, argument string, t tensor.Tensor, dt tensor.Dtype) ([]byte, tensor.Shape, error) {
	var v view
	if err := v.read(op, argument, t); err != nil {
		return nil, nil, err
	}
	if v.dtype != dt {
		return nil, nil, fault.Errorf(elem.ErrDtype, "%s: %s have dtype %v, the table has %v", op, argument, elem.Name(v.dtype), elem.Name(dt))
	}
	size := v.size * v.width
	if v.packed {
		return v.mem[:size], v.shape, nil
	}
	*scratch = num.Resize(*scratch, size)
	p := v.over(*scratch)
	copyView(&p, &v)
	return p.mem, v.shape, nil
}

// Own is the memory of a packed tensor of a dtype that has rows, which is to be
// changed in place.
func Own(op, argument string, t tensor.Tensor) (mem []byte, kind num.Kind, err error) {
	var v view
	if err := v.read(op, argument, t); err != nil {
		return nil, 0, err
	}
	switch kind = v.kind; {
	case kind != num.Float32 && kind != num.Float64:
		return nil, 0, fault.Errorf(elem.ErrDtype, "%s: %s have dtype %v, allowed are float32 and float64", op, argument, elem.Name(v.dtype))
	case len(v.shape) == 0:
		return nil, 0, fault.Errorf(shapes.ErrShape, "%s: %s are a scalar, a tensor of rank 1 or more is needed", op, argument)
	case !v.packed:
		return nil, 0, fault.Errorf(ErrLayout, "%s: %s of shape %v and strides %v are not packed in row-major order", op, argument, fault.Shape(v.shape), v.strides)
	}
	return v.mem[:v.size*v.width], kind, nil
}
