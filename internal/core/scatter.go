package core

import (
	"gorgonia.org/gather/internal/adjoint"
	"gorgonia.org/gather/internal/kernel"
	"gorgonia.org/gather/internal/num"
	"gorgonia.org/gather/internal/plan"
	"gorgonia.org/tensor"
)

// Scatter runs ScatterElements, ScatterND or ScatterUpdate. The result is dst,
// or a new tensor if dst is nil. If dst is data itself, it is changed in place,
// and not at all if an index is bad.
func Scatter(p plan.Params, dst *tensor.Dense, data, idx, updates tensor.Tensor) (_ *tensor.Dense, err error) {
	defer report(p.Op.String(), &err)
	var s scatter
	if err := s.read(&p, data, idx, updates); err != nil {
		return nil, err
	}
	defer s.x.release()
	inPlace := dst != nil && tensor.Tensor(dst) == data
	nothing := s.data.size == 0 || s.updates.size == 0
	if err := s.x.ready(&s.p, &s.data, nothing); err != nil {
		return nil, err
	}
	others := []*view{&s.x.view, &s.updates, &s.data}
	if inPlace {
		others = others[:2]
	}
	var to view
	out, err := result(&to, s.p.Op.String(), dst, s.data.shape, s.data.dtype, others...)
	if err != nil {
		return nil, err
	}
	initial := startState{old: &s.data}
	if inPlace {
		initial = startState{atomic: !nothing && s.p.OutOfRange == plan.Reject}
	}
	if nothing || s.p.OutOfRange == plan.Reject || s.p.Reduction != num.Mean {
		err = s.into(&to, initial)
	} else {
		err = s.skipping(&to, initial)
	}
	if err != nil {
		return nil, err
	}
	return out, nil
}

// skipping is into without the updates that Skip leaves out.
func (s *scatter) skipping(out *view, initial startState) error {
	r := s.skip()
	if r == nil {
		return s.into(out, initial)
	}
	initial.copyOld(out)
	to := *out // only here is it one that the heap has
	return r.ontoData(&to, packed, func(out *view) error { return r.into(out, initial) })
}

// scatter is a scatter whose inputs fit.
type scatter struct {
	p       plan.Params
	data    view
	x       indices
	updates view
}

// read makes s the scatter of the given inputs, if they fit.
func (s *scatter) read(p *plan.Params, data, idx, updates tensor.Tensor) error {
	if err := inputs(&s.data, &s.x, p.Op.String(), "data", data, idx); err != nil {
		return err
	}
	if err := s.updates.read(p.Op.String(), "updates", updates); err != nil {
		return err
	}
	if _, err := p.AppendShape(make(tensor.Shape, 0, plan.RankHint), s.data.shape, s.x.shape, s.updates.shape); err != nil {
		return err
	}
	if err := checkReduction(p.Op.String(), p.Reduction, s.data.dtype, s.updates.dtype); err != nil {
		return err
	}
	s.p = *p
	s.p.Normalize(len(s.data.shape), len(s.x.shape))
	if s.x.axes(p) == 0 {
		s.x.addressWhole(s.updates.size == 0)
	}
	return nil
}

// into scatters the updates.
func (s *scatter) into(out *view, initial startState) error {
	if s.updates.size == 0 || out.size == 0 {
		if initial.old != nil {
			copyView(out, initial.old)
		}
		return nil
	}
	switch r := s.p.Reduction; r {
	case num.Mean:
		return s.mean(out, initial)
	default:
		initial.noInit = s.p.NoInit && r != num.None
		return s.combine(r, out, &s.updates, initial)
	}
}

// mean is that of floats where its terms can be counted in one kernel. Else, and for
// integers, whose sums may be out of range, it goes by tiles.
func (s *scatter) mean(out *view, initial startState) error {
	if adjoint.HasGradients(s.data.kind) {
		done, err := s.countedMean(out, initial)
		if done || err != nil {
			return err
		}
	}
	if initial.atomic {
		// More than one kernel writes to data.
		if err := check(&s.p, &s.data, &s.x); err != nil {
			return err
		}
		initial.atomic = false
	}
	if !adjoint.HasGradients(s.data.kind) {
		return s.tiled(out, views{}, (*adjoint.Scatter).IntMean)
	}
	sums := *s
	sums.p.Reduction = num.Add
	if err := sums.into(out, initial); err != nil {
		return err
	}
	return s.tiled(out, views{grad: out}, (*adjoint.Scatter).MeanOfSums)
}

// countedMean is a mean in packed memory, or on a packed copy. It reports whether it
// has been done.
func (s *scatter) countedMean(out *view, initial startState) (done bool, err error) {
	whole := out
	if r := out.activeRegion(&s.p, &s.x); r != nil {
		defer r.release()
		out = &r.view
	}
	if !out.packed && !out.distinct() || !kernel.Counts(s.countedRows(out)) {
		return false, nil
	}
	if out != whole {
		initial.copyOld(whole)
	}
	updates, mean := packed(&s.updates), func(c *kernel.Call) int { return c.Mean(s.data.kind) }
	initial.noInit = s.p.NoInit
	if out.packed {
		return true, run(mean, &s.p, out, &updates, &s.x, initial)
	}
	return true, runPacked(mean, &s.p, out, &updates, &s.x, initial)
}

// countedRows is how many rows of data have a count for a mean, and how many updates there are
// of them.
func (s *scatter) countedRows(data *view) (rows, updates int) {
	if s.p.Op.Elements() {
		return data.size, s.updates.size
	}
	inner := product(data.shape[firstAxis(&s.p)+s.x.axes(&s.p):])
	return data.size / inner, s.updates.size / inner
}
