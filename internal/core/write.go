package core

import (
	"cmp"

	"gorgonia.org/gather/internal/kernel"
	"gorgonia.org/gather/internal/num"
	"gorgonia.org/gather/internal/plan"
)

// What a scatter, its linear maps and the adjoint of a gather write.

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
	if pack {
		return runPacked(kernels, &s.p, data, updates, &s.x, initial)
	}
	return run(kernels, &s.p, data, data, updates, &s.x, initial)
}

// runPacked is run on a packed copy of data, in memory of the pool. Its elements are distinct.
func runPacked(kernels func(*kernel.Call) int, p *plan.Params, data, updates *view, x *indices, initial startState) error {
	var near view
	defer packMemory.Put(data.packInto(&near, cmp.Or(initial.old, data)))
	return data.store(&near, run(kernels, p, &near, &near, updates, x, startState{noInit: initial.noInit}))
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
