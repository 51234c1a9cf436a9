package core

import (
	"gorgonia.org/gather/internal/kernel"
	"gorgonia.org/gather/internal/plan"
	"gorgonia.org/tensor"
)

// Gather runs Gather, GatherElements or GatherND. The result is dst, or a new
// tensor if dst is nil. It may change the params, which go by pointer, as everywhere below:
// copied at each step down they would make a small call much slower.
func Gather(p *plan.Params, dst *tensor.Dense, data, idx tensor.Tensor) (_ *tensor.Dense, err error) {
	defer Recover(p.Op.String(), &err)
	var d view
	var x indices
	if err := inputs(&d, &x, p.Op.String(), "data", data, idx); err != nil {
		return nil, err
	}
	shape, err := p.AppendShape(make(tensor.Shape, 0, plan.RankHint), d.shape, x.shape)
	if err != nil {
		return nil, err
	}
	p.Normalize(len(d.shape), len(x.shape))
	// Without results no kernel will read the indices, and without data all of them are wrong.
	if err := x.ready(p, &d, d.size == 0 || product(shape) == 0); err != nil {
		return nil, err
	}
	var items, near view
	out, err := result(&items, p.Op.String(), dst, shape, d.dtype, &d, &x.view)
	if err == nil && items.size > 0 {
		from := &d
		if !d.packed && d.packsFirst(p, &x, items.size) {
			defer packMemory.Put(d.packInto(&near, &d))
			from = &near
		}
		err = run((*kernel.Call).Gather, p, &items, from, &items, &x, startState{})
	}
	x.release()
	if err != nil {
		return nil, err
	}
	return out, nil
}
