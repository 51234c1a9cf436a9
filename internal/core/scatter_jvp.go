package core

import (
	"gorgonia.org/gather/internal/num"
)

// jvpUpdates writes the change of the result for a change of updates. There
// is none for Min and Max.
func (s *derivative) jvpUpdates(out, tangent *view) error {
	clearView(out)
	if s.updates.size == 0 {
		return nil
	}
	r := s.p.Reduction
	switch r {
	case num.None:
		return s.overwrite(out, tangent, prologue{})
	case num.Add, num.Sub:
		return reduce(&s.p, r, s.kind, out, tangent, &s.x, prologue{})
	}
	targets, err := s.targets()
	if err != nil {
		return err
	}
	if r == num.Mean {
		if err := reduce(&s.p, num.Add, s.kind, out, tangent, &s.x, prologue{}); err != nil {
			return err
		}
		return inPacked(out, func(out *view) error {
			s.kernels.Divide(out.mem, s.terms(targets))
			return nil
		})
	}
	u := packed(tangent)
	return ontoPacked(out, func(out *view) error {
		s.kernels.Tangent(out.mem, u.mem, s.product(targets))
		return nil
	})
}
