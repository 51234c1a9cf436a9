package core

import (
	"math/bits"

	"gorgonia.org/gather/internal/adjoint"
	"gorgonia.org/gather/internal/kernel"
	"gorgonia.org/gather/internal/num"
	"gorgonia.org/gather/internal/plan"
)

// run describes a call to the kernels and runs one of them: on items of the given layout, one
// for each index of x, and data that the indices point into. It writes to one of both, which is
// to. The params must be normalized. What comes before the first write to data is left to the
// kernels where they can do it themselves, part by part, and done here where not.
func run(kernels func(*kernel.Call) int, p *plan.Params, to, data, items *view, x *indices, start startState) error {
	c := kernel.Get()
	var old []byte
	if start.old != nil {
		if start.old.packed && data.packed && data.width > 0 {
			old = start.old.mem[:data.size*data.width]
		} else {
			copyView(data, start.old)
		}
	}
	c.Describe(&kernel.Description{
		Width: data.width, Data: data.mem, Items: items.mem, Idx: x.loaded, Idx32: x.is32,
		Loops: loops(c.AvailableLoops(), p, data, items, x), Axes: addressed(c.AvailableAxes(), p, data, x),
		Separate: to.distinct(), NonNegative: p.NonNegative, SkipBad: p.OutOfRange == plan.ZeroFill || p.OutOfRange == plan.Skip,
		Old: old, Atomic: start.atomic, NoInit: start.noInit,
	})
	at, bad := c.Narrow()
	if bad < 0 {
		bad = kernels(c)
	}
	c.Put() // not deferred: a call that panics goes to nobody, and a small one takes less time
	if bad >= 0 {
		bad += at
	}
	return x.indexError(p, data, bad)
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
	for a := firstAxis(p); len(to) < x.axes(p); a++ {
		to = append(to, kernel.Axis{Size: data.shape[a], Stride: data.stride(a)})
	}
	if x.whole {
		to = append(to, kernel.Axis{Size: 1}) // the axis in front
	}
	return to
}

// loops adds the loops of a call. Items have the dims of data before the axis, those of
// indices, and those of data after it; where batch dims are fused, all but these are still iterated
// over one by one, as the values lie in the same order. With an index for each element all dims are
// those of indices.
func loops(to []kernel.Loop, p *plan.Params, data, items *view, x *indices) []kernel.Loop {
	first, b, positions, elements := firstAxis(p), p.BatchDims, len(x.shape), p.Op.Elements()
	switch {
	case elements:
		b, positions = first, first+1
	case p.Op.Tuples():
		positions--
	}
	fused := 0 // batch dims that items lack
	for d := range b {
		step := 0
		if p.FusedBatchDims {
			// Batch strides of data fuse only if data is packed there: there is a loop
			// for each batch dim, with strides that add up in the items.
			step, fused = items.stride(0)*product(data.shape[d+1:b]), d
		} else {
			step = items.stride(d)
		}
		to = append(to, kernel.Loop{N: x.shape[d], Items: step, Data: data.stride(d), Idx: x.tuples(p, d)})
	}
	for d := b; d < first; d++ {
		to = append(to, kernel.Loop{N: data.shape[d], Items: items.stride(d), Data: data.stride(d)})
	}
	for d := b; d < positions; d++ {
		to = append(to, kernel.Loop{N: x.shape[d], Items: items.stride(len(to) - fused), Idx: x.tuples(p, d)})
	}
	for d := first + x.axes(p); d < len(data.shape); d++ {
		n, idx := data.shape[d], 0
		if elements {
			n, idx = x.shape[d], x.tuples(p, d)
		}
		to = append(to, kernel.Loop{N: n, Items: items.stride(len(to) - fused), Data: data.stride(d), Idx: idx})
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
	behind := a + x.axes(p)
	inner, rows := product(data.shape[behind:]), product(data.shape[a:behind])
	for i, of := range axes {
		axes[i] = kernel.Axis{Size: of.Size, Stride: of.Stride / max(1, inner)}
	}
	if p.Op.Elements() {
		g = adjoint.Geometry{Blocks: product(x.shape[:a]), Outer: 1, N: x.shape[a], Inner: inner, Rows: rows, Elements: true}
		return g, axes, !smaller(p, data, x)
	}
	outer := product(data.shape[:a])
	return adjoint.Geometry{Blocks: outer, Outer: outer, N: x.tuples(p, -1), Inner: inner, Rows: rows}, axes, true
}

func product(dims []int) int {
	n := 1
	for _, d := range dims {
		n *= d
	}
	return n
}

// tiled runs a kernel that works in tiles, on packed memory. What is not needed of a gradient and
// a tangent is nil, and data is not read with NoInit.
func (s *scatter) tiled(out, grad, tangent *view, program func(*adjoint.Scatter) int) error {
	c := kernel.Get()
	defer c.Put()
	data := s.data.over(nil)
	g, axes, ok := tiles(c.AvailableAxes(), &s.p, &data, &s.x)
	updates := kernel.Description{Idx: s.x.loaded, Idx32: s.x.is32, NonNegative: s.p.NonNegative, Axes: axes}
	if !ok {
		targets, err := s.targets()
		if err != nil {
			return err
		}
		updates = kernel.Description{Idx: num.Bytes(targets), Idx32: bits.UintSize == 32, Axes: append(axes[:0], kernel.Axis{Size: data.size, Stride: 1})}
		g = adjoint.Geometry{Blocks: 1, Outer: 1, N: len(targets), Inner: 1, Rows: data.size}
	}
	return s.x.indexError(&s.p, &s.data, c.First(program(&adjoint.Scatter{
		Call: c.Describe(&updates), Geometry: g, Kind: s.data.kind, NoInit: s.p.NoInit, Out: out.mem,
		Data: packedMemory(&s.data), Updates: packedMemory(&s.updates), Grad: packedMemory(grad), Tangent: packedMemory(tangent),
	})))
}

// targets are the offsets in packed data of all updates, in row-major order.
func (s *scatter) targets() ([]int, error) {
	targets := make([]int, s.updates.size)
	data, updates := s.data.over(nil), s.updates.over(nil)
	find := func(c *kernel.Call) int { return c.Targets(targets) }
	return targets, run(find, &s.p, &updates, &data, &updates, &s.x, startState{})
}
