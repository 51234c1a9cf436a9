package core

import "gorgonia.org/gather/internal/kernel"

// copyView copies the elements of one view to another of the same shape and
// dtype, in any layouts.
func copyView(dst, src *view) {
	if dst.size == 0 {
		return
	}
	c := kernel.Get()
	defer c.Put()
	c.Data, c.Items, c.Idx = src.mem, dst.mem, zeroIndex
	if dst.packed && src.packed {
		c.Copy(dst.width, dst.size)
		return
	}
	// Copying is gathering with the one index 0 of an axis of size 1, and all
	// dims behind it.
	c.Axes = append(c.Axes, kernel.Axis{Size: 1})
	for d, n := range dst.shape {
		c.Slab(kernel.Dim{N: n, Items: dst.stride(d), Data: src.stride(d)})
	}
	c.GatherWalk(dst.width)
}

var zeroIndex = kernel.Bytes([]int64{0})

// packed is v itself, or a packed copy.
func packed(v *view) view {
	if v.packed {
		p := *v
		p.mem = p.mem[:p.size*p.bytes()]
		return p
	}
	p := v.asPacked()
	p.mem = make([]byte, v.size*v.bytes()) // never strings: they have no arithmetic
	copyView(&p, v)
	return p
}

// asPacked is the view that v would be if it were packed, without its memory.
func (v *view) asPacked() view {
	p := *v
	p.packed, p.strides, p.mem = true, nil, nil
	return p
}

// repeated is a view of v's shape whose elements are all the one given.
func repeated(element []byte, v *view) view {
	r := *v
	r.mem, r.packed, r.strides = element, false, noStrides[:]
	if len(v.shape) > len(noStrides) {
		r.strides = make([]int, len(v.shape))
	}
	return r
}

var noStrides [32]int
