package core

import (
	"gorgonia.org/gather/internal/adjoint"
	"gorgonia.org/gather/internal/kernel"
	"gorgonia.org/gather/internal/plan"
)

// run describes a call to the kernels and runs one of them: on items of the given layout, one
// for each index of x, and data that the indices point into. The params must be normalized.
// What comes before the first write to data is left to the kernels where they can do it
// themselves, part by part, and done here where not.
func run(kernels func(*kernel.Call) int, p *plan.Params, data, items *view, x *indices, start startState) error {
	c := kernel.Get()
	defer c.Put()
	var old []byte
	if start.old != nil {
		if start.old.packed && data.packed && data.width > 0 {
			old = start.old.mem[:data.size*data.width]
		} else {
			copyView(data, start.old)
		}
	}
	loops, axes := loops(c.Loops, p, data, items, x), addressed(c.Axes, p, data, x)
	c.Description = kernel.Description{
		Width: data.width, Data: data.mem, Items: items.mem, Idx: x.loaded, Idx32: x.is32, Loops: loops, Axes: axes,
		NonNegative: p.NonNegative, SkipBad: p.OutOfRange == plan.ZeroFill || p.OutOfRange == plan.Skip,
		Old: old, Atomic: start.atomic, NoInit: start.noInit,
	}
	return x.indexError(p, data, kernels(c))
}

// elementLoops adds the loops of a call with an index for each element.
func elementLoops(to []kernel.Loop, p *plan.Params, data, items *view, x *indices) []kernel.Loop {
	for d, n := range x.shape {
		l := kernel.Loop{N: n, Items: items.stride(d), Data: data.stride(d), Idx: x.tuples(p, d)}
		if d == p.Axis {
			l.Data = 0
		}
		to = append(to, l)
	}
	return to
}

// firstAxis is the first axis of data that the operator's indices address.
func firstAxis(p *plan.Params) int {
	if p.Op.Tuples() {
		return p.BatchDims
	}
	return p.Axis
}

// addressed adds the axes that an index tuple addresses, with their strides.
func addressed(to []kernel.Axis, p *plan.Params, data *view, x *indices) []kernel.Axis {
	first, k := firstAxis(p), x.axes(p)
	for a := first; a < first+k; a++ {
		to = append(to, kernel.Axis{Size: data.shape[a], Stride: data.stride(a)})
	}
	if x.whole {
		to = append(to, kernel.Axis{Size: 1}) // the axis in front
	}
	return to
}

// loops adds the loops of a call. Items have the dims of
// data before the axis, those of indices, and those of data after it; where batch dims are
// fused, all but these are still iterated over one by one, as the values lie in the same
// order.
func loops(to []kernel.Loop, p *plan.Params, data, items *view, x *indices) []kernel.Loop {
	if p.Op.Elements() {
		return elementLoops(to, p, data, items, x)
	}
	first, b := firstAxis(p), p.BatchDims
	positions := len(x.shape)
	if p.Op.Tuples() {
		positions--
	}
	item := 0 // the dim of items
	next := func(n, data, idx int) {
		to = append(to, kernel.Loop{N: n, Items: items.stride(item), Data: data, Idx: idx})
		item++
	}
	if p.FusedBatchDims && b > 1 {
		// Batch strides of data fuse only if data is packed there: there is a loop
		// for each batch dim, with strides that add up in the items.
		stride := items.stride(0)
		for _, n := range data.shape[1:b] {
			stride *= n
		}
		for d := range b {
			to = append(to, kernel.Loop{N: data.shape[d], Items: stride, Data: data.stride(d), Idx: x.tuples(p, d)})
			if d+1 < b {
				stride /= data.shape[d+1]
			}
		}
		item = 1
	} else {
		for d := range b {
			next(data.shape[d], data.stride(d), x.tuples(p, d))
		}
	}
	for d := b; d < first; d++ {
		next(data.shape[d], data.stride(d), 0)
	}
	for d := b; d < positions; d++ {
		next(x.shape[d], 0, x.tuples(p, d))
	}
	for d := first + x.axes(p); d < len(data.shape); d++ {
		next(data.shape[d], data.stride(d), 0)
	}
	return to
}

// tuples is the stride of a dim of the indices, in tuples, once they are packed.
func (x *indices) tuples(p *plan.Params, d int) int {
	last := len(x.shape)
	if p.Op.Tuples() {
		last--
	}
	return product(x.shape[d+1 : last])
}

// tiles is the geometry of a scatter of packed tensors as package adjoint divides it, and the
// axes, whose strides count rows. It is not ok where indices are smaller than data on an axis
// other than the operator's.
func tiles(to []kernel.Axis, p *plan.Params, data *view, x *indices) (g adjoint.Geometry, axes []kernel.Axis, ok bool) {
	a, axes := firstAxis(p), addressed(to, p, data, x)
	if p.Op.Elements() {
		g = adjoint.Geometry{
			Blocks: product(x.shape[:a]), Outer: 1, N: x.shape[a], Inner: product(x.shape[a+1:]), Rows: data.shape[a], Elements: true,
		}
		return g, axes, !smaller(p, data, x)
	}
	b, behind := p.BatchDims, a+x.axes(p)
	positions := x.shape[b:]
	if p.Op.Tuples() {
		positions = positions[:len(positions)-1]
	}
	g = adjoint.Geometry{
		Blocks: product(data.shape[:a]), Outer: product(data.shape[b:a]),
		N: product(positions), Inner: product(data.shape[behind:]), Rows: product(data.shape[a:behind]),
	}
	for i := range axes {
		axes[i].Stride /= max(1, g.Inner)
	}
	return g, axes, true
}

func product(dims []int) int {
	n := 1
	for _, d := range dims {
		n *= d
	}
	return n
}
