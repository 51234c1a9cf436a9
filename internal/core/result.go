package core

import (
	"slices"

	"gorgonia.org/gather/internal/elem"
	"gorgonia.org/gather/internal/fault"
	"gorgonia.org/gather/internal/plan"
	"gorgonia.org/gather/shapes"
	"gorgonia.org/tensor"
)

// result is where an operator writes, with out as its view: a new tensor, or the
// caller's dst.
func result(out *view, p *plan.Params, dst *tensor.Dense, shape tensor.Shape, dt tensor.Dtype, inputs ...*view) (*tensor.Dense, error) {
	if dst == nil {
		return newResult(out, p, shape, dt)
	}
	if err := out.read(p.Op.String(), "dst", dst); err != nil {
		return nil, err
	}
	if !elem.Same(&out.dtype, &dt) {
		return nil, fault.Errorf(elem.ErrDtype, "%v: dst has dtype %v, the result %v", p.Op, elem.Name(out.dtype), elem.Name(dt))
	}
	if out.width == 0 {
		return nil, fault.Errorf(elem.ErrDtype, "%v: strings cannot be written to a given dst", p.Op)
	}
	if !slices.Equal(out.shape, shape) {
		return nil, fault.Errorf(shapes.ErrShape, "%v: dst has shape %v, the result %v%s",
			p.Op, fault.Shape(out.shape), fault.Shape(shape), fault.ScalarHint(out.shape, shape))
	}
	for _, in := range inputs {
		if out.overlaps(in) {
			return nil, fault.Errorf(ErrLayout, "%v: dst overlaps %s in memory", p.Op, in.name)
		}
	}
	return dst, nil
}

// newResult makes a tensor that an operator overwrites. What is in its memory is
// anything.
func newResult(out *view, p *plan.Params, shape tensor.Shape, dt tensor.Dtype) (*tensor.Dense, error) {
	if err := fits(p.Op.String(), "a result", shape, int(dt.Size())); err != nil {
		return nil, err
	}
	// The shape may stand on the caller's stack, and the tensor keeps it.
	kept := append(tensor.Shape(nil), shape...)
	var d *tensor.Dense
	if width, _ := elem.Width(dt); width == 0 {
		// Of would make bytes, in which the garbage collector sees no strings.
		d = tensor.New(tensor.WithShape(kept...), tensor.WithBacking(elem.Strings(dt, product(shape))))
	} else {
		d = newDense(dt, kept)
	}
	return d, out.read(p.Op.String(), "the result", d)
}
