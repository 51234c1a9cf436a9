package core

import (
	"slices"

	"gorgonia.org/gather/internal/elem"
	"gorgonia.org/gather/internal/fault"
	"gorgonia.org/gather/shapes"
	"gorgonia.org/tensor"
)

// result is where an operator writes, with out as its view: a new tensor, or the
// caller's dst.
func result(out *view, op string, dst *tensor.Dense, shape tensor.Shape, dt tensor.Dtype, inputs ...*view) (*tensor.Dense, error) {
	if dst == nil {
		return newResult(out, op, shape, dt)
	}
	if err := out.read(op, "dst", dst); err != nil {
		return nil, err
	}
	if !elem.Same(&out.dtype, &dt) {
		return nil, fault.Errorf(elem.ErrDtype, "%s: dst has dtype %v, the result %v", op, elem.Name(out.dtype), elem.Name(dt))
	}
	if out.width > 0 && !slices.Equal(out.shape, shape) { // strings are refused by apart
		return nil, fault.Errorf(shapes.ErrShape, "%s: dst has shape %v, the result %v%s",
			op, fault.Shape(out.shape), fault.Shape(shape), fault.ScalarHint(out.shape, shape))
	}
	return dst, out.apart(op, inputs...)
}

// newResult makes a tensor that an operator overwrites. What is in its memory is
// anything.
func newResult(out *view, op string, shape tensor.Shape, dt tensor.Dtype) (*tensor.Dense, error) {
	if err := Fits(op, "a result", shape, dt); err != nil {
		return nil, err
	}
	// The shape may stand on the caller's stack, and the tensor keeps it.
	d := newDense(dt, append(tensor.Shape(nil), shape...))
	return d, out.read(op, "the result", d)
}

// written is writtenOrEmpty, but for an empty result, for which write is not called.
func written(op string, dst *tensor.Dense, shape tensor.Shape, dt tensor.Dtype, write func(mem []byte) error, inputs ...*view) (*tensor.Dense, error) {
	if product(shape) == 0 {
		write = func([]byte) error { return nil }
	}
	return writtenOrEmpty(op, dst, shape, dt, write, inputs...)
}

// writtenOrEmpty is a result that write makes in packed memory.
func writtenOrEmpty(op string, dst *tensor.Dense, shape tensor.Shape, dt tensor.Dtype, write func(mem []byte) error, inputs ...*view) (*tensor.Dense, error) {
	var out view
	made, err := result(&out, op, dst, shape, dt, inputs...)
	if err == nil {
		mem := out.toFill()
		err = out.store(mem, write(mem))
	}
	if err != nil {
		return nil, err
	}
	return made, nil
}

// WriteRows is the result of a call that makes rows of a table: dst, in any layout, or a
// new tensor if dst is nil. dst may not lie in the table's memory.
func WriteRows(op string, dst *tensor.Dense, shape tensor.Shape, dt tensor.Dtype, table []byte, write func(to []byte) error) (*tensor.Dense, error) {
	return writtenOrEmpty(op, dst, shape, dt, write, &view{name: "the table", mem: table})
}
