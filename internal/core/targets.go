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
func (s *scatter) tiled(out *view, in views, run func(*adjoint.Scatter) int) error {
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
	a := adjoint.Scatter{Call: c, Geometry: g, Kind: s.kind, NoInit: s.p.NoInit, Data: packed(&s.data).mem, Updates: packed(&s.updates).mem}
	if in.grad != nil {
		a.Grad = packed(in.grad).mem
	}
	if in.tangent != nil {
		a.Tangent = packed(in.tangent).mem
	}
	return ontoPacked(out, func(out *view) error {
		a.Out = out.mem
		return s.x.indexError(&s.p, &s.data, run(&a))
	})
}

// targets are the offsets in packed data of all updates, in row-major order.
func (s *scatter) targets() ([]int, error) {
	targets := make([]int, s.updates.size)
	data, updates := s.data.asPacked(), s.updates.asPacked()
	c := kernel.Get()
	defer c.Put()
	prepare(c, &s.p, &data, &updates, &s.x, startState{})
	return targets, s.x.indexError(&s.p, &data, c.Targets(targets))
}

// gather reads from src, which is like data, what the updates go to.
func (s *scatter) gather(out, src *view) error {
	c := kernel.Get()
	defer c.Put()
	prepare(c, &s.p, src, out, &s.x, startState{})
	return s.x.indexError(&s.p, src, c.Gather())
}
