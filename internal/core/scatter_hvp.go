package core

import (
	"github.com/pkg/errors"
	"gorgonia.org/gather/internal/adjoint"
	"gorgonia.org/gather/internal/num"
	"gorgonia.org/gather/internal/plan"
	"gorgonia.org/tensor"
)

// CheckHVP refuses a second derivative that does not exist. The gradient of a
// least or greatest value jumps where two terms tie.
func CheckHVP(p plan.Params) error {
	if p.Reduction == num.Min || p.Reduction == num.Max {
		return errors.Errorf("%v: the gradient of a reduction %v has no gradient of its own", p, p.Reduction)
	}
	return nil
}

// HVP is one of the linear maps that the second derivative of a scatter
// consists of. With g a cotangent of the result, and a tangent of data or updates
// of which that of the result is dy, it is the gradient of <g, dy>.
type HVP uint8

// The second derivatives, by what they are the gradient of and what has a tangent.
// That with respect to data, of a tangent of data, is zero.
const (
	UpdatesByData    HVP = iota // of updates, for a tangent of data
	DataByUpdates               // of data, for a tangent of updates
	UpdatesByUpdates            // of updates, for a tangent of updates
)

// Apply applies a second derivative of a scatter that multiplies to a
// tangent and a cotangent of the result. The other reductions have none: they are
// linear, or like Min and Max linear in pieces.
//
// Time and memory are those of ScatterMap.Apply, with twice as many elements.
func (d HVP) Apply(p plan.Params, dst *tensor.Dense, tangent, grad, data, indices, updates tensor.Tensor) (_ *tensor.Dense, err error) {
	defer report(p.Op.String(), &err)
	s, err := derivativeOf(p, data, indices, updates)
	if err != nil {
		return nil, err
	}
	if s.p.Reduction != num.Mul {
		return nil, errors.Errorf("%v: a second derivative is needed of mul alone", s.p)
	}
	from, to := &s.updates, &s.updates
	switch d {
	case UpdatesByData:
		from = &s.data
	case DataByUpdates:
		to = &s.data
	}
	moved, err := s.like("tangent", tangent, from)
	if err != nil {
		return nil, err
	}
	g, err := s.like("grad", grad, &s.data)
	if err != nil {
		return nil, err
	}
	defer s.x.release()
	if err := s.x.ready(&s.p, &s.data, true); err != nil {
		return nil, err
	}
	var out view
	made, err := result(&out, s.p.Op.String(), dst, to.shape, s.data.dtype, &s.x.view, &s.updates, &s.data, &moved, &g)
	if err != nil || out.size == 0 {
		return made, err
	}
	if s.p.NoInit && d != UpdatesByUpdates {
		clearView(&out)
		return made, nil
	}
	return made, s.skipping(&out, to == &s.updates, []operand{{&g, false}, {&moved, from == &s.updates}}, func(s *derivative, out *view, in []view) error {
		if s.updates.size == 0 {
			clearView(out)
			return nil
		}
		return s.tiled(out, views{grad: &in[0], tangent: &in[1]}, func(a *adjoint.Scatter) int {
			switch d {
			case UpdatesByData:
				return a.HVPUpdatesByData()
			case DataByUpdates:
				return a.HVPData()
			}
			return a.HVPUpdates()
		})
	})
}
