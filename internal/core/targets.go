package core

import (
	"math/bits"

	"gorgonia.org/gather/internal/kernel"
	"gorgonia.org/gather/internal/num"
)

// targets are the places in packed data of all updates, in row-major order.
func (s *scatter) targets() ([]int, error) {
	targets := make([]int, s.updates.size)
	data, updates := s.data.asPacked(), s.updates.asPacked()
	if data.size <= 4*updates.size {
		// The fast way is to gather from data whose elements are their own places.
		places := make([]int, data.size)
		for j := range places {
			places[j] = j
		}
		data.mem, updates.mem = num.Bytes(places), num.Bytes(targets)
		data.width, updates.width = bits.UintSize/8, bits.UintSize/8
		return targets, s.gather(&updates, &data)
	}
	c := kernel.Get()
	defer c.Put()
	prepare(c, &s.p, &data, &updates, &s.x)
	if len(c.Dims) == 0 {
		walkDims(c, &s.p, &data, &updates, &s.x)
	}
	return targets, s.x.bad(&s.p, &data, c.Targets(targets))
}

// gather reads from src, which is like data, what the updates go to.
func (s *scatter) gather(out, src *view) error {
	c := kernel.Get()
	defer c.Put()
	prepare(c, &s.p, src, out, &s.x)
	return s.x.bad(&s.p, src, c.Gather(src.width))
}
