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
	data, updates := s.data.asPacked(), s.updates.asPacked()
	if prepare(c, &s.p, &data, &updates, &s.x); c.Form == kernel.Walk {
		targets, err := s.targets()
		if err != nil {
			return err
		}
		c = kernel.Flat(targets, data.size)
	}
	a := adjoint.Scatter{Call: c, Kind: s.kind, NoInit: s.p.NoInit, Data: packed(&s.data).mem, Updates: packed(&s.updates).mem}
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
	if data.size <= 4*updates.size {
		// The fast way is to gather from data whose elements are their own offsets.
		offsets := make([]int, data.size)
		for j := range offsets {
			offsets[j] = j
		}
		data.mem, updates.mem = num.Bytes(offsets), num.Bytes(targets)
		data.width, updates.width = bits.UintSize/8, bits.UintSize/8
		return targets, s.gather(&updates, &data)
	}
	c := kernel.Get()
	defer c.Put()
	prepare(c, &s.p, &data, &updates, &s.x)
	if len(c.Dims) == 0 {
		walkDims(c, &s.p, &data, &updates, &s.x)
	}
	c.Width = bits.UintSize / 8 // that of a target
	return targets, s.x.indexError(&s.p, &data, c.Targets(targets))
}

// gather reads from src, which is like data, what the updates go to.
func (s *scatter) gather(out, src *view) error {
	c := kernel.Get()
	defer c.Put()
	prepare(c, &s.p, src, out, &s.x)
	return s.x.indexError(&s.p, src, c.Gather())
}
