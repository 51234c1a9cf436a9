package core

import (
	"math/bits"

	"gorgonia.org/gather/internal/adjoint"
	"gorgonia.org/gather/internal/kernel"
	"gorgonia.org/gather/internal/num"
)

// views are what a derivative is of, beside data and updates.
type views struct{ grad, tangent *view }

// tiled runs a kernel that works in tiles, on packed memory. Data is not read
// with NoInit.
func (s *scatter) tiled(out *view, in views, program func(*adjoint.Scatter) int) error {
	c := kernel.Get()
	defer c.Put()
	data := s.data.asPacked()
	g, axes, ok := tiles(c.Axes, &s.p, &data, &s.x)
	c.Description = kernel.Description{Idx: s.x.loaded, Idx32: s.x.is32, NonNegative: s.p.NonNegative, Axes: axes}
	if !ok {
		targets, err := s.targets()
		if err != nil {
			return err
		}
		c.Description = kernel.Description{Idx: num.Bytes(targets), Idx32: bits.UintSize == 32, Axes: append(axes[:0], kernel.Axis{Size: data.size, Stride: 1})}
		g = adjoint.Geometry{Blocks: 1, Outer: 1, N: len(targets), Inner: 1, Rows: data.size}
	}
	to := out.blank()
	a := adjoint.Scatter{
		Call: c, Geometry: g, Kind: s.data.kind, NoInit: s.p.NoInit,
		Data: packedMemory(&s.data), Updates: packedMemory(&s.updates), Grad: packedMemory(in.grad), Tangent: packedMemory(in.tangent), Out: to.mem,
	}
	return out.store(&to, s.x.indexError(&s.p, &s.data, program(&a)))
}

// targets are the offsets in packed data of all updates, in row-major order.
func (s *scatter) targets() ([]int, error) {
	targets := make([]int, s.updates.size)
	data, updates := s.data.asPacked(), s.updates.asPacked()
	find := func(c *kernel.Call) int { return c.Targets(targets) }
	return targets, run(find, &s.p, &data, &updates, &s.x, startState{})
}

// gather reads from src, which is like data, what the updates go to.
func (s *scatter) gather(out, src *view) error {
	return run((*kernel.Call).Gather, &s.p, src, out, &s.x, startState{})
}
