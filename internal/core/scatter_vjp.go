package core

import (
	"gorgonia.org/gather/internal/adjoint"
	"gorgonia.org/gather/internal/elem"
	"gorgonia.org/gather/internal/fault"
	"gorgonia.org/gather/internal/kernel"
	"gorgonia.org/gather/internal/num"
	"gorgonia.org/gather/internal/plan"
	"gorgonia.org/tensor"
)

// ScatterMap is one of the four linear maps that the first derivative of a
// scatter consists of: its result depends on data and on updates, and each of
// the two dependences carries gradients backwards and changes forwards. The
// first two maps are the adjoints of the last two.
type ScatterMap uint8

// The derivatives, by what they make out of what.
const (
	VJPData    ScatterMap = iota // the gradient of data, of that of the result
	VJPUpdates                   // the gradient of updates, of that of the result
	JVPData                      // the tangent of the result, of that of data
	JVPUpdates                   // the tangent of the result, of that of updates
)

// Identity reports whether the result is what is given, whatever the indices are.
func (d ScatterMap) Identity(p plan.Params) bool {
	return (d == VJPData || d == JVPData) && !p.NoInit && (p.Reduction == num.Add || p.Reduction == num.Sub)
}

// UpdatesFromData reports whether the gradient of updates can be made of that of data
// as if it were the result's, by the scatter that it returns. Each term of a mean
// has the same gradient, so what is gathered need not be counted and divided again.
func UpdatesFromData(p plan.Params) (by plan.Params, ok bool) {
	by = p
	by.Reduction = num.Add
	return by, p.Reduction == num.Mean && !p.NoInit
}

// Apply applies a derivative of a scatter to a cotangent or a tangent. It gives dst,
// or a new tensor if dst is nil. On a bad index nothing is written.
//
// All derivatives take time in proportion to data and updates together, and memory
// for some hundred kilobytes of data at a time on each thread: see tile in package
// adjoint. Data is divided by its rows, or its columns; it takes more if a row and 16
// columns are larger than that. ScatterND and ScatterUpdate take two ints for each line of
// updates besides; and where indices are smaller than data on another axis than the
// first, an int for each update. Tensors that are not row-major, and complex
// factors, may be copied.
func (d ScatterMap) Apply(p plan.Params, dst *tensor.Dense, in, data, indices, updates tensor.Tensor) (_ *tensor.Dense, err error) {
	defer report(p.Op.String(), &err)
	s, err := derivativeOf(p, data, indices, updates)
	if err != nil {
		return nil, err
	}
	from, to := &s.data, &s.data
	name := "grad"
	switch d {
	case VJPUpdates:
		to = &s.updates
	case JVPData:
		name = "tangent"
		s.plain = true
	case JVPUpdates:
		name = "tangent"
		from = &s.updates
		if err := CheckHVP(p); err != nil {
			return nil, err
		}
	}
	given, err := s.like(name, in, from)
	if err != nil {
		return nil, err
	}
	defer s.x.release()
	if err := s.x.ready(&s.p, &s.data, false); err != nil {
		return nil, err
	}
	var out view
	made, err := result(&out, s.p.Op.String(), dst, to.shape, s.data.dtype, &s.x.view, &s.updates, &s.data, &given)
	if err != nil {
		return nil, err
	}
	// A new tensor is nobody's if an index is bad, and the kernels see that, if any runs.
	if s.p.OutOfRange == plan.Reject && (dst != nil || d.Identity(p) || s.updates.size == 0 || out.size == 0) {
		if err := check(&s.p, &s.data, &s.x); err != nil {
			return nil, err
		}
	}
	if out.size == 0 {
		return made, nil
	}
	if s.p.OutOfRange == plan.Reject || s.updates.size == 0 || d.leaves(p) {
		err = d.run(&s, &out, &given)
	} else {
		err = d.skipping(s, out, operand{&given, from == &s.updates}, to == &s.updates)
	}
	if err != nil {
		return nil, err
	}
	return made, nil
}

// skipping is run without the updates that Skip leaves out. It has its arguments by value,
// as they are moved to the heap: those of Apply, which seldom skips, then are not.
func (d ScatterMap) skipping(s derivative, out view, given operand, ofUpdates bool) error {
	return s.skipping(&out, ofUpdates, []operand{given}, func(s *derivative, out *view, in []view) error {
		return d.run(s, out, &in[0])
	})
}

func (d ScatterMap) run(s *derivative, out, given *view) error {
	switch d {
	case VJPUpdates:
		return s.vjpUpdates(out, given)
	case JVPUpdates:
		return s.jvpUpdates(out, given)
	}
	return s.vjpData(out, given)
}

// derivative is a scatter of values that have gradients.
type derivative struct {
	scatter
	// plain makes the factors of a product stand as they are, not conjugated.
	plain bool
}

// derivativeOf reads the inputs of a scatter whose derivative is wanted.
func derivativeOf(p plan.Params, data, indices, updates tensor.Tensor) (s derivative, err error) {
	if err := s.read(&p, data, indices, updates); err != nil {
		return s, err
	}
	if !adjoint.HasGradients(s.data.kind) {
		err = fault.Errorf(elem.ErrDtype, "%v: values of dtype %v have no gradient", p.Op, elem.Name(s.data.dtype))
	}
	return s, err
}

// like reads an input that must have the shape and dtype of another.
func (s *derivative) like(argument string, t tensor.Tensor, other *view) (v view, err error) {
	err = v.readLike(s.p.Op.String(), argument, t, other.shape, other.name, other)
	return v, err
}

// vjpData writes the gradient of data.
func (s *derivative) vjpData(out, grad *view) error {
	r := s.p.Reduction
	switch {
	case s.updates.size == 0:
		copyView(out, grad)
		return nil
	case r == num.None, s.p.NoInit:
		return s.clearTargets(out, grad) // their old values are lost
	case r == num.Add, r == num.Sub, r == num.Mul:
		copyView(out, grad)
		if r != num.Mul {
			return nil
		}
		factors := s.factors()
		return s.combine(num.Mul, out, &factors, startState{})
	}
	return s.tiled(out, views{grad: grad}, func(a *adjoint.Scatter) int { return a.GradData(r) })
}

// clearTargets copies what is given but for the targets, which get 0.
func (s *derivative) clearTargets(out, given *view) error {
	updates := packed(&s.updates)
	to := out.blank()
	return out.store(&to, run((*kernel.Call).Clear, &s.p, &to, &updates, &s.x, startState{old: given}))
}

// vjpUpdates writes the gradient of updates.
func (s *derivative) vjpUpdates(out, grad *view) error {
	r := s.p.Reduction
	if r == num.Add || r == num.Sub {
		err := s.gather(out, grad)
		if err != nil || r == num.Add {
			return err
		}
		to := packed(out)
		adjoint.Negate(s.data.kind, to.mem)
		return out.store(&to, nil)
	}
	return s.tiled(out, views{grad: grad}, func(a *adjoint.Scatter) int { return a.GradUpdates(r) })
}

// factors are the updates or, where they are complex, their conjugates.
func (s *derivative) factors() view {
	if s.plain || s.data.kind != num.Complex64 && s.data.kind != num.Complex128 {
		return s.updates
	}
	c := s.updates.anew(s.updates.shape)
	copyView(&c, &s.updates)
	adjoint.Conjugate(s.data.kind, c.mem)
	return c
}
