package core

import (
	"sync"

	"gorgonia.org/gather/internal/plan"
	"gorgonia.org/gather/internal/simd"
)

// An activeRegion is the part of a view that indices can address where they are smaller
// than it on another axis than the operator's: ScatterElements of a (1024, 1024) by indices
// (1024, 512) on axis 0 changes the first 512 columns. Packed, it is as large as the
// indices are.
type activeRegion struct{ view }

// activeRegions are for the next call, too, with memory for shape and strides.
var activeRegions = sync.Pool{New: func() any { return new(activeRegion) }}

// activeSize is the size of the active region of a view, if the indices are smaller than the view,
// and so many that a packed copy of the region is faster, and else 0.
func (v *view) activeSize(p *plan.Params, x *indices) int {
	if !p.Op.Elements() || !simd.IsWord(v.width) || !smaller(p, v, x) || !v.distinct() {
		return 0
	}
	size := v.shape[p.Axis] * product(x.shape[:p.Axis]) * product(x.shape[p.Axis+1:])
	if size > 2*x.size || size*v.width > packMost {
		return 0
	}
	return size
}

// activeRegion returns the active region of a view, if there is one.
func (v *view) activeRegion(p *plan.Params, x *indices) *activeRegion {
	size := v.activeSize(p, x)
	if size == 0 {
		return nil
	}
	r := activeRegions.Get().(*activeRegion)
	shape, strides := append(r.shape[:0], x.shape...), r.strides[:0]
	shape[p.Axis] = v.shape[p.Axis]
	for d := range shape {
		strides = append(strides, v.stride(d))
	}
	r.view = *v
	r.shape, r.strides, r.packed, r.size = shape, strides, false, size
	return r
}

// release returns the region to the pool, without what it is a part of.
func (r *activeRegion) release() {
	r.view = view{shape: r.shape, strides: r.strides}
	activeRegions.Put(r)
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
