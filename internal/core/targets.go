package core

import (
	"math/bits"

	"gorgonia.org/gather/internal/adjoint"
	"gorgonia.org/gather/internal/kernel"
	"gorgonia.org/gather/internal/num"
)

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
	return s.x.indexError(&s.p, &s.data, program(&adjoint.Scatter{
		Call: c.Describe(&updates), Geometry: g, Kind: s.data.kind, NoInit: s.p.NoInit, Out: out.mem,
		Data: packedMemory(&s.data), Updates: packedMemory(&s.updates), Grad: packedMemory(grad), Tangent: packedMemory(tangent),
	}))
}

// targets are the offsets in packed data of all updates, in row-major order.
func (s *scatter) targets() ([]int, error) {
	targets := make([]int, s.updates.size)
	data, updates := s.data.over(nil), s.updates.over(nil)
	find := func(c *kernel.Call) int { return c.Targets(targets) }
	return targets, run(find, &s.p, &updates, &data, &updates, &s.x, startState{})
}
