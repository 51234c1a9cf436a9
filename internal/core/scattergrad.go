package core

import (
	"github.com/pkg/errors"
	"gorgonia.org/gather/internal/elem"
	"gorgonia.org/gather/internal/kernel"
	"gorgonia.org/gather/internal/plan"
	"gorgonia.org/gather/shapes"
	"gorgonia.org/tensor"
)

// ScatterGradData is the gradient of a scatter with respect to data, where grad
// is that of its result. It is dst, or a new tensor if dst is nil. On a bad
// index nothing is written.
//
// It takes, for every reduction, time in proportion to data and updates. Without
// init, and for None, Add, Sub and Mul, no memory but the result is needed;
// Mean and ties take an int for every element of data and of updates, and ties
// the result of the scatter. Tensors that are not row-major are copied then.
func ScatterGradData(p plan.Params, dst *tensor.Dense, grad, data, indices, updates tensor.Tensor) (*tensor.Dense, error) {
	s, err := gradientOf(p, grad, data, indices, updates)
	if err != nil {
		return nil, err
	}
	defer s.x.release()
	out, to, err := result(s.p, dst, s.data.shape, s.data.dtype, &s.x.view, &s.updates, &s.data, &s.grad)
	if err != nil {
		return nil, err
	}
	copyView(&to, &s.grad)
	return out, s.ofData(&to)
}

// ScatterGradUpdates is ScatterGradData with respect to updates. Add takes no
// memory but the result; Sub, if the result is not row-major, a copy. The others
// take an int for every update, and besides None a bool, Mean and ties an int,
// and Mul an element, for every element of data; ties the result of the scatter
// too.
func ScatterGradUpdates(p plan.Params, dst *tensor.Dense, grad, data, indices, updates tensor.Tensor) (*tensor.Dense, error) {
	s, err := gradientOf(p, grad, data, indices, updates)
	if err != nil {
		return nil, err
	}
	defer s.x.release()
	out, to, err := result(s.p, dst, s.updates.shape, s.data.dtype, &s.x.view, &s.updates, &s.data, &s.grad)
	if err != nil || to.size == 0 {
		return out, err
	}
	return out, s.ofUpdates(&to)
}

// gradient is a scatter with the gradient of its result.
type gradient struct {
	scatter
	grad       view
	arithmetic kernel.Gradients
}

// gradientOf looks at the inputs of a scatter's gradient, and at every index.
func gradientOf(p plan.Params, grad, data, indices, updates tensor.Tensor) (s gradient, err error) {
	if s.grad, err = viewOf(p.Op, "the gradient", grad); err != nil {
		return s, err
	}
	if s.scatter, err = scatterOf(p, data, indices, updates); err != nil {
		return s, err
	}
	if !shapes.Equal(s.grad.shape, s.data.shape) {
		return s, errors.Wrapf(shapes.ErrShape, "%v: the gradient of the result has shape %v, data has %v", p.Op, s.grad.shape, s.data.shape)
	}
	if s.grad.dtype != s.data.dtype {
		return s, errors.Wrapf(elem.ErrDtype, "%v: the gradient of the result has dtype %v, data has %v", p.Op, s.grad.dtype, s.data.dtype)
	}
	if s.arithmetic = kernel.GradientsOf(s.kind); s.arithmetic == nil {
		return s, errors.Wrapf(elem.ErrDtype, "%v: values of dtype %v have no gradient", p.Op, s.data.dtype)
	}
	s.x.load()
	if err := check(s.p, &s.data, &s.x); err != nil {
		s.x.release()
		return s, err
	}
	return s, nil
}

// ofData makes the gradient of data out of that of the result, which out holds.
func (s *gradient) ofData(out *view) error {
	if s.updates.size == 0 || out.size == 0 {
		return nil
	}
	r := s.p.Reduction
	switch {
	case r == plan.None, s.p.NoInit:
		// The old values of the targets are lost.
		zeros := repeated(zero, &s.updates)
		return s.overwrite(out, &zeros)
	case r == plan.Add, r == plan.Sub:
		return nil
	case r == plan.Mul:
		factors := s.conjugated(&s.updates)
		return reduce(s.p, plan.Mul, s.kind, out, &factors, &s.x)
	}
	targets, err := s.targets()
	if err != nil {
		return err
	}
	o := packed(out)
	if r == plan.Mean {
		s.arithmetic.Divide(o.mem, s.terms(targets))
	} else {
		data, updates := packed(&s.data), packed(&s.updates)
		y, err := s.forward()
		if err != nil {
			return err
		}
		counts := s.arithmetic.Ties(y.mem, data.mem, updates.mem, targets, true)
		s.arithmetic.DivideTied(o.mem, y.mem, data.mem, counts)
	}
	if !out.packed {
		copyView(out, &o)
	}
	return nil
}

// zero is the memory of a zero of any kind.
var zero = kernel.Bytes(make([]complex128, 1))

// ofUpdates writes the gradient of updates to out.
func (s *gradient) ofUpdates(out *view) error {
	r := s.p.Reduction
	if r == plan.Add {
		return s.gather(out, &s.grad)
	}
	o := out.asPacked()
	if o.mem = out.mem; !out.packed {
		o.mem = make([]byte, out.size*out.width)
	}
	o.mem = o.mem[:out.size*out.width]
	if err := s.toPacked(&o, r); err != nil {
		return err
	}
	if !out.packed {
		copyView(out, &o)
	}
	return nil
}

// toPacked is ofUpdates for a packed out.
func (s *gradient) toPacked(out *view, r plan.Reduction) error {
	if r == plan.Sub {
		err := s.gather(out, &s.grad)
		s.arithmetic.Negate(out.mem)
		return err
	}
	targets, err := s.targets()
	if err != nil {
		return err
	}
	grad := packed(&s.grad)
	switch r {
	case plan.None:
		s.arithmetic.Last(out.mem, grad.mem, targets)
	case plan.Mean:
		s.arithmetic.Share(out.mem, grad.mem, targets, s.terms(targets))
	case plan.Mul:
		data, updates := packed(&s.data), packed(&s.updates)
		s.arithmetic.Others(out.mem, grad.mem, data.mem, updates.mem, targets, !s.p.NoInit)
	default:
		data, updates := packed(&s.data), packed(&s.updates)
		y, err := s.forward()
		if err != nil {
			return err
		}
		counts := s.arithmetic.Ties(y.mem, data.mem, updates.mem, targets, !s.p.NoInit)
		s.arithmetic.ShareTied(out.mem, grad.mem, y.mem, updates.mem, targets, counts)
	}
	return nil
}

// gather reads the elements of src that are the targets of updates.
func (s *gradient) gather(out, src *view) error {
	c := kernel.Get()
	defer c.Put()
	bad := -1
	switch prepare(c, s.p, src, out, &s.x) {
	case blockForm:
		bad = c.GatherBlock(src.width)
	case elementsForm:
		bad = c.GatherElements(src.width)
	case walkForm:
		bad = c.GatherWalk(src.width)
	}
	return s.x.bad(s.p, src, bad)
}

// forward is the result of the scatter, packed.
func (s *gradient) forward() (view, error) {
	y := s.data.asPacked()
	y.mem = make([]byte, y.size*y.width)
	copyView(&y, &s.data)
	return y, s.into(&y)
}

// terms is the number of terms that make up each element of the result.
func (s *gradient) terms(targets []int) []int {
	counts := kernel.Counts(s.data.size, targets)
	if !s.p.NoInit {
		for j := range counts {
			counts[j]++
		}
	}
	return counts
}

// conjugated is v itself, or where it holds complex numbers a packed copy with
// their conjugates.
func (s *gradient) conjugated(v *view) view {
	if s.kind != kernel.Complex64 && s.kind != kernel.Complex128 {
		return *v
	}
	c := v.asPacked()
	c.mem = make([]byte, v.size*v.width)
	copyView(&c, v)
	s.arithmetic.Conjugate(c.mem)
	return c
}
