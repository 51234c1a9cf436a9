package core

import (
	"gorgonia.org/gather/internal/kernel"
	"gorgonia.org/gather/internal/plan"
	"gorgonia.org/gather/shapes"
	"gorgonia.org/tensor"
)

// Gather runs Gather, GatherElements or GatherND. The result is dst, or a new
// tensor if dst is nil.
func Gather(p plan.Params, dst *tensor.Dense, data, idx tensor.Tensor) (_ *tensor.Dense, err error) {
	defer report(p.Op.String(), &err)
	var d view
	var x indices
	if err := inputs(&d, &x, p.Op.String(), "data", data, idx); err != nil {
		return nil, err
	}
	shape, err := gatherShape(make(tensor.Shape, 0, rankHint), &p, &d, &x.view)
	if err != nil {
		return nil, err
	}
	p = p.Normal(len(d.shape), len(x.shape))
	return gather(&p, dst, shape, &d, &x)
}

// rankHint is the capacity of the shapes that are made on the stack.
const rankHint = 8

// gatherShape is p.Shape, appended to buf. Called by name, the shape functions
// are inlined, and nothing is allocated.
func gatherShape(buf tensor.Shape, p *plan.Params, data, x *view) (tensor.Shape, error) {
	var shape tensor.Shape // not a named result: that would move it to the heap
	var err error
	switch p.Op {
	case plan.Gather:
		shape, err = shapes.Gather(data.shape, x.shape, p.Axis, p.BatchDims)
	case plan.GatherElements:
		shape, err = shapes.GatherElements(data.shape, x.shape, p.Axis)
	case plan.GatherND:
		shape, err = shapes.GatherND(data.shape, x.shape, p.BatchDims)
		if err == nil && p.FusedBatchDims {
			shape = shapes.FuseBatchDims(shape, p.BatchDims)
		}
	}
	return append(buf, shape...), err
}

// gather runs one of the three gathers, whose shapes fit and params are Normal.
// Params go by pointer where they are only read: to copy them on each way down
// would take a third of a small call's time.
func gather(p *plan.Params, dst *tensor.Dense, shape tensor.Shape, data *view, x *indices) (*tensor.Dense, error) {
	x.load()
	defer x.release()
	if p.OutOfRange == plan.Reject && (data.size == 0 || product(shape) == 0) {
		// No kernel will look at the indices, or all of them are wrong and the
		// result need not be made.
		if err := check(p, data, x); err != nil {
			return nil, err
		}
	}
	var items view
	out, err := result(&items, p, dst, shape, data.dtype, data, &x.view)
	if err != nil || items.size == 0 {
		return out, err
	}
	c := kernel.Get()
	defer c.Put()
	bad := -1
	switch prepare(c, p, data, &items, x) {
	case blockForm:
		bad = c.GatherBlock(data.width)
	case elementsForm:
		bad = c.GatherElements(data.width)
	case walkForm:
		bad = c.GatherWalk(data.width)
	}
	if err := x.bad(p, data, bad); err != nil {
		return nil, err
	}
	return out, nil
}
