package core

import (
	"gorgonia.org/gather/internal/kernel"
	"gorgonia.org/gather/internal/num"
	"gorgonia.org/gather/internal/plan"
	"gorgonia.org/gather/internal/simd"
)

// What a scatter, its linear maps and the adjoint of a gather write.

// combine combines updates into data, in row-major order of the indices, or overwrites it. Those
// of a mean are packed.
func (s *scatter) combine(r num.Reduction, data, updates *view, initial startState) error {
	if updates.size == 0 || data.size == 0 {
		return nil
	}
	pack := !data.packed
	if r != num.Mean {
		pack = initial.shouldPack(&s.p, data, updates, &s.x)
	}
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
	return run(kernels, &s.p, data, updates, &s.x, initial)
}

// runPacked is run on a packed copy of data, in memory of the pool. Its elements are distinct.
func runPacked(kernels func(*kernel.Call) int, p *plan.Params, data, updates *view, x *indices, initial startState) error {
	var near, old view
	defer packMemory.Put(data.packInto(&near))
	if initial.old != nil {
		copyView(&near, initial.old)
	} else {
		copyView(&near, data)
	}
	left := startState{}
	if initial.noInit {
		// With old values elsewhere the kernels need not read the indices twice.
		old = near
		defer packMemory.Put(data.packInto(&near))
		left = startState{old: &old, noInit: true}
	}
	return data.store(&near, run(kernels, p, &near, updates, x, left))
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

// shouldPack reports whether a scatter of single elements is better made on a packed
// copy of what it changes: where that is scattered in memory, and where a copy
// there and back, with nothing to undo if an index is bad, is faster than to read all
// indices before, or than the undo log of a walk along lines.
func (initial startState) shouldPack(p *plan.Params, out, updates *view, x *indices) bool {
	if out.packed || !p.Op.Elements() || !simd.IsWord(out.width) {
		return false
	}
	size := out.size * out.width
	small := initial.atomic && 0 < size && size <= min(len(x.loaded), packMost)
	return (out.linesApart(updates.size) || small && (initial.noInit || !alongLines(p, out, updates, x))) && out.distinct()
}

// alongLines reports whether indices address lines whose elements are side by side, and
// are so many there that a walk along the lines is faster.
func alongLines(p *plan.Params, out, updates *view, x *indices) bool {
	last := len(x.shape) - 1
	return p.Axis == last && updates.packed && out.strides[last] == 1 && x.shape[last] >= alongFrom
}

// alongFrom is how many indices a line has at least for a walk along it.
const alongFrom = 32
