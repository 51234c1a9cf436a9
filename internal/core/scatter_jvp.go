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
	switch r {
	case num.None:
		return s.overwrite(out, tangent, startState{})
	case num.Sub:
		return reduce(&s.p, r, s.kind, out, tangent, &s.x, startState{})
	}
	err := reduce(&s.p, num.Add, s.kind, out, tangent, &s.x, startState{})
	if err != nil || r == num.Add {
		return err
	}
	return s.tiled(out, views{grad: out}, func(a *adjoint.Scatter) int { return a.GradData(num.Mean) })
}
