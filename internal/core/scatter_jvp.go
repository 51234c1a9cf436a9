package core

import (
	"gorgonia.org/gather/internal/adjoint"
	"gorgonia.org/gather/internal/num"
)

// jvpUpdates writes the tangent of the result for a tangent of updates. There
// is none for Min and Max.
func (s *derivative) jvpUpdates(out, tangent *view) error {
	r := s.p.Reduction
	if r == num.Mul && s.updates.size > 0 {
		return s.tiled(out, views{tangent: tangent}, (*adjoint.Scatter).ProductTangent)
	}
	clearView(out)
	if s.updates.size == 0 {
		return nil
	}
	mean := r == num.Mean
	if mean {
		r = num.Add
	}
	if err := s.combine(r, out, tangent, startState{}); err != nil || !mean {
		return err
	}
	return s.tiled(out, views{grad: out}, func(a *adjoint.Scatter) int { return a.GradData(num.Mean) })
}
