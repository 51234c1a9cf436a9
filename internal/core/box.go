package core

import (
	"sync"

	"gorgonia.org/gather/internal/plan"
	"gorgonia.org/gather/internal/simd"
)

// A box is the part of a view that indices can pick of where they are smaller than it on
// another axis than the operator's: ScatterElements of a (1024, 1024) by indices
// (1024, 512) on axis 0 changes the first 512 columns. Packed, it is as large as the
// indices are.
type box struct{ view }

// boxes are for the next call, too, with memory for shape and strides.
var boxes = sync.Pool{New: func() any { return new(box) }}

// boxed returns the box of a view, if the indices are smaller than the view, and many
// enough for a packed copy of it to be worth while.
func (v *view) boxed(p *plan.Params, x *indices) *box {
	if !p.Op.Elements() || !simd.IsWord(v.width) || !smaller(p, v, x) || !v.distinct() {
		return nil
	}
	size := v.shape[p.Axis]
	for d, n := range x.shape {
		if d != p.Axis {
			size *= n
		}
	}
	if size == 0 || size > packFactor*x.size || size*v.width > packMost {
		return nil
	}
	b := boxes.Get().(*box)
	shape, strides := b.shape[:0], b.strides[:0]
	for d, n := range x.shape {
		if d == p.Axis {
			n = v.shape[d]
		}
		shape, strides = append(shape, n), append(strides, v.stride(d))
	}
	b.view = *v
	b.shape, b.strides, b.packed, b.size = shape, strides, false, size
	return b
}

// release gives the box back, without what it is a part of.
func (b *box) release() {
	if b != nil {
		b.view = view{shape: b.shape, strides: b.strides}
		boxes.Put(b)
	}
}

// smaller reports whether rows of indices are no rows of data, which a kernel can find
// by strides alone: where indices are smaller than data on another axis than the first,
// and the operator's.
func smaller(p *plan.Params, data *view, x *indices) bool {
	for d, n := range x.shape {
		if d > 0 && d != p.Axis && n != data.shape[d] {
			return true
		}
	}
	return false
}
