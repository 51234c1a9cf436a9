package core

import (
	"gorgonia.org/gather/internal/adjoint"
	"gorgonia.org/gather/internal/kernel"
	"gorgonia.org/gather/internal/num"
	"gorgonia.org/gather/internal/par"
	"gorgonia.org/gather/internal/plan"
)

// UpdatesFromData reports whether the gradient of updates can be made of that of data
// as if it were the result's, by the scatter that it returns. Each term of a mean
// has the same gradient, so what is gathered need not be counted and divided again.
func UpdatesFromData(p plan.Params) (by plan.Params, ok bool) {
	return p.WithReduction(num.Add), p.Reduction == num.Mean && !p.NoInit
}

// The results of the maps below are packed.

// vjpData writes the gradient of data or, without conjugating the factors of a product, a
// tangent of data.
func (s *scatter) vjpData(out, grad *view, conjugates bool) error {
	switch r := s.p.Reduction; {
	case s.updates.size == 0, !s.p.NoInit && (r == num.Add || r == num.Sub):
		copyView(out, grad)
		return nil
	case r == num.None, s.p.NoInit: // the old values of the targets are lost
		updates := packed(&s.updates) // so that rows stay contiguous: Clear reads none of them
		return run((*kernel.Call).Clear, &s.p, out, out, &updates, &s.x, startState{old: grad})
	case r == num.Mul:
		factors := s.updates
		if conjugates && (factors.kind == num.Complex64 || factors.kind == num.Complex128) {
			factors = s.updates.anew(s.updates.shape)
			copyView(&factors, &s.updates)
			adjoint.Conjugate(factors.kind, factors.mem)
		}
		return s.combine(r, out, &factors, startState{old: grad})
	default:
		return s.tiled(out, grad, nil, func(a *adjoint.Scatter) int { return a.GradData(r) })
	}
}

// vjpUpdates writes the gradient of updates.
func (s *scatter) vjpUpdates(out, grad *view) error {
	r := s.p.Reduction
	if r != num.Add && r != num.Sub {
		return s.tiled(out, grad, nil, func(a *adjoint.Scatter) int { return a.GradUpdates(r) })
	}
	err := run((*kernel.Call).Gather, &s.p, out, grad, out, &s.x, startState{})
	if r == num.Sub {
		adjoint.Negate(s.data.kind, out.mem)
	}
	return err
}

// jvpUpdates writes the tangent of the result for a tangent of updates. There
// is none for Min and Max, and that for Mul is among ofTangents.
func (s *scatter) jvpUpdates(out, tangent *view) error {
	par.Clear(out.mem)
	if s.p.Reduction != num.Mean {
		return s.combine(s.p.Reduction, out, tangent, startState{})
	}
	if err := s.combine(num.Add, out, tangent, startState{}); err != nil {
		return err
	}
	return s.tiled(out, out, nil, func(a *adjoint.Scatter) int { return a.GradData(num.Mean) })
}
