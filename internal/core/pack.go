package core

import (
	"gorgonia.org/gather/internal/kernel"

	"gorgonia.org/gather/internal/num"
)

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
	c.Form = kernel.Walk
	c.Gather(dst.width)
}

var zeroIndex = num.Bytes([]int64{0})

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

// inPacked runs a kernel that needs packed memory on a view, and on a packed
// copy of a view that is not packed.
func inPacked(v *view, run func(v *view) error) error {
	p := packed(v)
	if err := run(&p); err != nil {
		return err
	}
	if !v.packed {
		copyView(v, &p)
	}
	return nil
}

// ontoPacked is inPacked for a kernel that overwrites all elements.
func ontoPacked(v *view, run func(v *view) error) error {
	if v.packed {
		return inPacked(v, run)
	}
	p := v.asPacked()
	p.mem = make([]byte, v.size*v.width)
	if err := run(&p); err != nil {
		return err
	}
	copyView(v, &p)
	return nil
}

// clearView sets all elements, which are no strings, to zero.
func clearView(v *view) {
	if v.packed {
		kernel.Clear(v.mem[:v.size*v.width])
		return
	}
	zeros := repeated(zero, v)
	copyView(v, &zeros)
}

// zero is the memory of a zero of any kind.
var zero = make([]byte, 16)
