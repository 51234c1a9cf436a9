package core

import (
	"gorgonia.org/gather/internal/kernel"
	"gorgonia.org/gather/internal/plan"
	"gorgonia.org/gather/internal/simd"
)

// prepare describes a call to the kernels: items of the given layout, one for
// each index of x, and data that the indices point into. It sets the form of the
// call, too. The params must be normalized.
func prepare(c *kernel.Call, p *plan.Params, data, items *view, x *indices) {
	c.Width, c.Data, c.Items = data.width, data.mem, items.mem
	c.Idx, c.Idx32 = x.loaded, x.is32
	c.NonNegative, c.Fill = p.NonNegative, p.OutOfRange == plan.ZeroFill || p.OutOfRange == plan.Skip
	addressed(c, p, data, x)
	if !p.Op.Elements() && !data.packed && items.packed && oneBlock(p, data, x) {
		blocks(c, p, data, x)
		return
	}
	if !data.packed || !items.packed {
		walkDims(c, p, data, items, x)
		return
	}
	if !p.Op.Elements() {
		blocks(c, p, data, x)
		return
	}
	if !simd.IsWord(data.width) || smaller(p, data, x) {
		walkDims(c, p, data, items, x)
		return
	}
	a := p.Axis
	c.Form = kernel.Elements
	c.Batch = product(x.shape[:a])
	c.Outer = 1
	c.N = x.shape[a]
	c.Inner = product(x.shape[a+1:])
	c.Span = data.shape[a] * c.Inner
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

// blocks sets the form Block: data is Batch×Outer blocks, each indexed by the N
// tuples of its batch, each of which addresses Inner elements.
func blocks(c *kernel.Call, p *plan.Params, data *view, x *indices) {
	first, b := firstAxis(p), p.BatchDims
	c.Form = kernel.Block
	c.Batch = product(data.shape[:b])
	c.Outer = product(data.shape[b:first])
	c.Inner = product(data.shape[first+x.axes(p):])
	c.Span = c.Inner
	for a := first; a < first+x.axes(p); a++ {
		c.Span += (data.shape[a] - 1) * data.stride(a)
	}
	positions := x.shape[b:]
	if p.Op.Tuples() {
		positions = positions[:len(positions)-1]
	}
	c.N = product(positions)
}

// oneBlock reports whether data is a single block whose slabs are packed. Gaps
// between them are but other strides of the axes that are addressed. Slabs of one
// word are left to the walk: the loops over them take data for a row of words.
func oneBlock(p *plan.Params, data *view, x *indices) bool {
	first := firstAxis(p)
	if product(data.shape[:first]) != 1 {
		return false
	}
	size := 1
	for d := len(data.shape) - 1; d >= first+x.axes(p); d-- {
		if data.shape[d] > 1 && data.stride(d) != size {
			return false
		}
		size *= data.shape[d]
	}
	return x.axes(p) > 1 || !simd.IsWord(size*data.width)
}

// walkDims sets the form Walk. Items have the dims of data before the axis,
// those of indices, and those of data after it; where batch dims are fused, all
// but these are still walked one by one, as the values lie in the same order.
func walkDims(c *kernel.Call, p *plan.Params, data, items *view, x *indices) {
	c.Form = kernel.Walk
	if p.Op.Elements() {
		for d, n := range x.shape {
			dim := kernel.Dim{N: n, Items: items.stride(d), Data: data.stride(d), Idx: x.rowMajor(d)}
			if d == p.Axis {
				dim.Data = 0
			}
			tupleLoop(c, dim)
		}
		return
	}
	first, b := firstAxis(p), p.BatchDims
	positions := len(x.shape)
	if p.Op.Tuples() {
		positions--
	}
	item := 0 // the dim of items
	next := func(n, data, idx int, add func(*kernel.Call, kernel.Dim)) {
		add(c, kernel.Dim{N: n, Items: items.stride(item), Data: data, Idx: idx})
		item++
	}
	if p.FusedBatchDims && b > 1 {
		// Batch strides of data fuse only if data is packed there: step through
		// the batch dims one by one, with strides that add up in the items.
		stride := items.stride(0)
		for _, n := range data.shape[1:b] {
			stride *= n
		}
		for d := range b {
			tupleLoop(c, kernel.Dim{N: data.shape[d], Items: stride, Data: data.stride(d), Idx: x.rowMajor(d)})
			if d+1 < b {
				stride /= data.shape[d+1]
			}
		}
		item = 1
	} else {
		for d := range b {
			next(data.shape[d], data.stride(d), x.rowMajor(d), tupleLoop)
		}
	}
	for d := b; d < first; d++ {
		next(data.shape[d], data.stride(d), 0, tupleLoop)
	}
	for d := b; d < positions; d++ {
		next(x.shape[d], 0, x.rowMajor(d), tupleLoop)
	}
	for d := first + x.axes(p); d < len(data.shape); d++ {
		next(data.shape[d], data.stride(d), 0, slabLoop)
	}
}

// tupleLoop adds a loop over index tuples to a walk. Such loops come first.
func tupleLoop(c *kernel.Call, d kernel.Dim) {
	c.Dims = kernel.Nested(c.Dims, 0, d)
	c.Head = len(c.Dims)
}

// slabLoop adds a loop over the elements that an index tuple addresses.
func slabLoop(c *kernel.Call, d kernel.Dim) { c.Dims = kernel.Nested(c.Dims, c.Head, d) }

// rowMajor is the stride of a dim of the indices once they are packed.
func (x *indices) rowMajor(d int) int {
	if x.whole {
		return product(x.shape[d+1 : len(x.shape)-1]) // and one index
	}
	return product(x.shape[d+1:])
}

func product(dims []int) int {
	n := 1
	for _, d := range dims {
		n *= d
	}
	return n
}
