package core

import (
	"cmp"

	"gorgonia.org/gather/internal/adjoint"
	"gorgonia.org/gather/internal/kernel"
	"gorgonia.org/gather/internal/num"
	"gorgonia.org/gather/internal/plan"
	"gorgonia.org/tensor"
)

// Scatter runs ScatterElements, ScatterND or ScatterUpdate. The result is dst,
// or a new tensor if dst is nil. If dst is data itself, it is changed in place,
// and not at all if an index is bad. It does not change the params.
func Scatter(p *plan.Params, dst *tensor.Dense, data, idx, updates tensor.Tensor) (_ *tensor.Dense, err error) {
	defer Recover(p.Op.String(), &err)
	var s scatter
	if err := s.read(p, data, idx, updates); err != nil {
		return nil, err
	}
	nothing := s.data.size == 0 || s.updates.size == 0
	if err := s.x.ready(&s.p, &s.data, nothing); err != nil {
		return nil, err
	}
	initial := startState{noInit: s.p.NoInit && s.p.Reduction != num.None}
	to, out := &s.data, dst
	if dst != nil && tensor.Tensor(dst) == data {
		initial.atomic = !nothing && s.p.OutOfRange == plan.Reject
		err = to.apart(p.Op.String(), &s.x.view, &s.updates)
	} else {
		to, initial.old = new(view), &s.data
		out, err = result(to, p.Op.String(), dst, s.data.shape, s.data.dtype, &s.x.view, &s.updates, &s.data)
	}
	switch {
	case err != nil:
	case nothing || s.p.OutOfRange == plan.Reject || s.p.Reduction != num.Mean:
		err = s.into(to, initial)
	default:
		err = s.skipping(*to, initial)
	}
	s.x.release()
	if err != nil {
		return nil, err
	}
	return out, nil
}

// skipping is into without the updates that Skip leaves out. Its arguments are those that may be on
// the heap.
func (s scatter) skipping(out view, initial startState) error {
	k := s.skip()
	if k.all {
		return k.into(&out, initial)
	}
	initial.copyOld(&out)
	to := packed(&out)
	left := k.likeData(to)
	return out.store(to.mem, k.into(&left, initial))
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
	if err := checkReduction(p.Op.String(), p.Reduction, s.data.kind, &s.data.dtype, &s.updates.dtype); err != nil {
		return err
	}
	s.p = *p
	s.p.Normalize(len(s.data.shape), len(s.x.shape))
	if s.x.axes(p) == 0 {
		// Tuples of length 0, each of which addresses the whole of data, become as many tuples of one index 0. The
		// kernels then see data with one more axis in front, of size 1. With nothing to address there are no tuples:
		// indices (1<<40, 0) would take more memory than all that they stand for.
		if s.x.whole = true; s.updates.size > 0 {
			s.x.size = product(s.x.shape[:len(s.x.shape)-1])
		}
	}
	return nil
}

// into scatters the updates. A mean goes by tiles where it cannot be counted.
func (s *scatter) into(out *view, initial startState) error {
	switch {
	case s.updates.size == 0 || out.size == 0:
		initial.copyOld(out)
		return nil
	case s.p.Reduction != num.Mean:
		return s.combine(s.p.Reduction, out, &s.updates, initial)
	case !s.counts(out):
		return s.tiledMean(out, initial)
	}
	updates := packed(&s.updates)
	return s.combine(num.Mean, out, &updates, initial)
}

// counts reports whether the terms of a mean can be counted in one kernel, in packed memory or on
// a packed copy. Sums of integers may be out of range.
func (s *scatter) counts(out *view) bool {
	if !adjoint.HasGradients(s.data.kind) {
		return false
	}
	rows, updates := out.size, s.updates.size
	if !s.p.Op.Elements() {
		inner := product(out.shape[firstAxis(&s.p)+s.x.axes(&s.p):])
		rows, updates = rows/inner, updates/inner
	} else if active := out.activeSize(&s.p, &s.x); active > 0 {
		rows = active
	}
	return kernel.Counts(rows, updates) && out.distinct()
}

func (s *scatter) tiledMean(out *view, initial startState) error {
	if initial.atomic {
		// More than one kernel writes to data.
		if err := s.x.indexError(&s.p, &s.data, firstBad(&s.p, &s.data, &s.x)); err != nil {
			return err
		}
		initial = startState{noInit: initial.noInit}
	}
	to := packed(out)
	if !adjoint.HasGradients(s.data.kind) {
		return out.store(to.mem, s.tiled(&to, nil, nil, (*adjoint.Scatter).IntMean))
	}
	if err := s.combine(num.Add, &to, &s.updates, initial); err != nil {
		return err
	}
	return out.store(to.mem, s.tiled(&to, &to, nil, (*adjoint.Scatter).MeanOfSums))
}

// combine combines updates into data, in row-major order of the indices, or overwrites it. Those
// of a mean are packed.
func (s *scatter) combine(r num.Reduction, data, updates *view, initial startState) error {
	if updates.size == 0 || data.size == 0 {
		return nil
	}
	pack := !data.packed && (r == num.Mean || data.packsFirst(&s.p, &s.x, updates.size) && data.distinct())
	if initial.noInit || r == num.Mean {
		if active := data.activeRegion(&s.p, &s.x); active != nil {
			defer active.release()
			initial.copyOld(data)
			data, pack = &active.view, true
		}
	}
	kernels, kind := (*kernel.Call).Scatter, data.kind
	switch r {
	case num.None:
	case num.Mean:
		kernels = func(c *kernel.Call) int { return c.Mean(kind) }
	default:
		kernels = func(c *kernel.Call) int { return c.Reduce(kind, r) }
	}
	if pack { // into memory of the pool, where the elements are distinct
		var near view
		defer packMemory.Put(data.packInto(&near, cmp.Or(initial.old, data)))
		return data.store(near.mem, run(kernels, &s.p, &near, &near, updates, &s.x, startState{noInit: initial.noInit}))
	}
	return run(kernels, &s.p, data, data, updates, &s.x, initial)
}

// startState is what comes before the first write to what a scatter changes.
type startState struct {
	old    *view // to be copied there, if it is not nil
	atomic bool  // it must stay as it is if an index is bad
	noInit bool  // what the indices address is set to what a reduction starts from
}

// copyOld copies the old values, if there are any, before a kernel runs.
func (initial *startState) copyOld(out *view) {
	if initial.old != nil {
		copyView(out, initial.old)
		initial.old = nil
	}
}
