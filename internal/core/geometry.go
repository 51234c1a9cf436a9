package core

import (
	"gorgonia.org/gather/internal/adjoint"
	"gorgonia.org/gather/internal/kernel"
	"gorgonia.org/gather/internal/plan"
)

// prepare describes a call to the kernels: items of the given layout, one for
// each index of x, and data that the indices point into. The params must be normalized.
func prepare(c *kernel.Call, p *plan.Params, data, items *view, x *indices) {
	c.Width, c.Data, c.Items = data.width, data.mem, items.mem
	c.Idx, c.Idx32 = x.loaded, x.is32
	c.NonNegative, c.SkipBad = p.NonNegative, p.OutOfRange == plan.ZeroFill || p.OutOfRange == plan.Skip
	addressed(c, p, data, x)
	if p.Op.Elements() {
		for d, n := range x.shape {
			l := kernel.Loop{N: n, Items: items.stride(d), Data: data.stride(d), Idx: x.tuples(p, d)}
			if d == p.Axis {
				l.Data = 0
			}
			c.Loops = append(c.Loops, l)
		}
		return
	}
	loops(c, p, data, items, x)
}

// firstAxis is the first axis of data that the operator's indices address.
func firstAxis(p *plan.Params) int {
	if p.Op.Tuples() {
		return p.BatchDims
	}
	return p.Axis
}

// addressed sets the axes that an index tuple addresses, with their strides.
func addressed(c *kernel.Call, p *plan.Params, data *view, x *indices) {
	first, k := firstAxis(p), x.axes(p)
	for a := first; a < first+k; a++ {
		c.Axes = append(c.Axes, kernel.Axis{Size: data.shape[a], Stride: data.stride(a)})
	}
	if x.whole {
		c.Axes = append(c.Axes, kernel.Axis{Size: 1}) // the axis in front
	}
}

// loops adds the loops of a call whose index tuples address slabs. Items have the dims of
// data before the axis, those of indices, and those of data after it; where batch dims are
// fused, all but these are still iterated over one by one, as the values lie in the same
// order.
func loops(c *kernel.Call, p *plan.Params, data, items *view, x *indices) {
	first, b := firstAxis(p), p.BatchDims
	positions := len(x.shape)
	if p.Op.Tuples() {
		positions--
	}
	item := 0 // the dim of items
	next := func(n, data, idx int) {
		c.Loops = append(c.Loops, kernel.Loop{N: n, Items: items.stride(item), Data: data, Idx: idx})
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
			c.Loops = append(c.Loops, kernel.Loop{N: data.shape[d], Items: stride, Data: data.stride(d), Idx: x.tuples(p, d)})
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
}

// tuples is the stride of a dim of the indices, in tuples, once they are packed.
func (x *indices) tuples(p *plan.Params, d int) int {
	last := len(x.shape)
	if p.Op.Tuples() {
		last--
	}
	return product(x.shape[d+1 : last])
}

// tiles is the geometry of a scatter of packed tensors as package adjoint divides it, whose
// axes count rows. It is not ok where indices are smaller than data on an axis other than the
// operator's.
func tiles(c *kernel.Call, p *plan.Params, data *view, x *indices) (g adjoint.Geometry, ok bool) {
	c.Idx, c.Idx32, c.NonNegative = x.loaded, x.is32, p.NonNegative
	addressed(c, p, data, x)
	a := firstAxis(p)
	if p.Op.Elements() {
		g = adjoint.Geometry{Blocks: product(x.shape[:a]), Outer: 1, N: x.shape[a], Inner: product(x.shape[a+1:]), Elements: true}
		g.Rows = data.shape[a]
		return g, !smaller(p, data, x)
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
	for i := range c.Axes {
		c.Axes[i].Stride /= max(1, g.Inner)
	}
	return g, true
}

func product(dims []int) int {
	n := 1
	for _, d := range dims {
		n *= d
	}
	return n
}
