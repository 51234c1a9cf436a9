package core

import (
	"gorgonia.org/gather/internal/kernel"
	"gorgonia.org/gather/internal/num"
	"gorgonia.org/gather/internal/plan"
)

// What a scatter, its linear maps and the adjoint of a gather write.

// reduce combines updates into data, in row-major order of the indices.
func reduce(p *plan.Params, r num.Reduction, kind num.Kind, data, updates *view, x *indices, first prologue) error {
	if updates.size == 0 || data.size == 0 {
		return nil
	}
	c := kernel.Get()
	defer c.Put()
	prepare(c, p, data, updates, x)
	c.NoInit = first.noInit
	bad := first.run(c, data)
	if bad < 0 {
		bad = c.Reduce(kind, r)
	}
	return x.bad(p, data, bad)
}

// overwrite is the scatter without a reduction.
func (s *scatter) overwrite(out, updates *view, first prologue) error {
	c := kernel.Get()
	defer c.Put()
	prepare(c, &s.p, out, updates, &s.x)
	bad := first.run(c, out)
	if bad < 0 {
		bad = c.Scatter(out.width)
	}
	return s.x.bad(&s.p, out, bad)
}

// prologue is what comes before the first write to what a scatter changes.
type prologue struct {
	old    *view // to be copied there, if it is not nil
	atomic bool  // it must stay as it is if an index is bad
	noInit bool  // what the indices pick is set to what a reduction starts from
}

// run does it. Where the kernels can do that themselves, block by block, it tells
// them to. It returns the position of a bad index, or -1.
func (first prologue) run(c *kernel.Call, out *view) int {
	switch {
	case first.old != nil && c.Form != kernel.Walk && first.old.packed && out.width > 0:
		c.Old = first.old.mem[:out.size*out.width]
	case first.old != nil:
		copyView(out, first.old)
	case first.atomic && c.Form == kernel.Walk:
		return c.Check()
	default:
		c.Atomic = first.atomic
	}
	return -1
}
