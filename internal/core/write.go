package core

import (
	"gorgonia.org/gather/internal/kernel"
	"gorgonia.org/gather/internal/num"
	"gorgonia.org/gather/internal/plan"
	"gorgonia.org/gather/internal/simd"
)

// What a scatter, its linear maps and the adjoint of a gather write.

// combine combines updates into data, in row-major order of the indices, or overwrites it.
func combine(p *plan.Params, r num.Reduction, data, updates *view, x *indices, initial startState) error {
	if updates.size == 0 || data.size == 0 {
		return nil
	}
	shouldPack := initial.shouldPack(p, data, updates, x)
	if initial.noInit {
		if r := data.activeRegion(p, x); r != nil {
			defer r.release()
			initial.copyOld(data)
			data, shouldPack = &r.view, true
		}
	}
	kernels, kind := (*kernel.Call).Scatter, data.kind
	if r != num.None {
		kernels = func(c *kernel.Call) int { return c.Reduce(kind, r) }
	}
	if !shouldPack {
		return run(kernels, p, data, updates, x, initial)
	}
	return runPacked(kernels, p, data, updates, x, initial)
}

// runPacked is run on a packed copy of data, whose elements are distinct.
func runPacked(kernels func(*kernel.Call) int, p *plan.Params, data, updates *view, x *indices, initial startState) error {
	var n packedCopy
	defer n.release()
	initial = n.pack(initial, data)
	return data.store(&n.near, run(kernels, p, &n.near, updates, x, initial))
}

func (s *scatter) combine(r num.Reduction, out, updates *view, initial startState) error {
	return combine(&s.p, r, out, updates, &s.x, initial)
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

// packedCopy is a packed copy of what a scatter changes, in memory of the pool.
type packedCopy struct {
	near, old view
	memory    [2]*[]byte
}

// pack makes the copy of what out will be before the first write, and returns what is
// left to do before that.
func (n *packedCopy) pack(initial startState, out *view) startState {
	n.memory[0] = out.packInto(&n.near)
	if initial.old != nil {
		copyView(&n.near, initial.old)
	} else {
		copyView(&n.near, out)
	}
	if !initial.noInit {
		return startState{}
	}
	// With old values elsewhere the kernels need not read the indices twice.
	n.old = n.near
	n.memory[1] = out.packInto(&n.near)
	return startState{old: &n.old, noInit: true}
}

func (n *packedCopy) release() {
	for _, memory := range n.memory {
		if memory != nil {
			packMemory.Put(memory)
		}
	}
}
