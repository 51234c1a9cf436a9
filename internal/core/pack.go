package core

import (
	"sync"

	"gorgonia.org/gather/internal/kernel"
	"gorgonia.org/gather/internal/num"
	"gorgonia.org/gather/internal/plan"
	"gorgonia.org/gather/internal/simd"
)

// copyView copies the elements of one view to another of the same shape and
// dtype, in any layouts.
func copyView(dst, src *view) {
	if dst.packed && src.packed {
		kernel.Copy(dst.mem, src.mem, dst.width, dst.size)
		return
	}
	c := kernel.Get()
	defer c.Put()
	// Copying is gathering with the one index 0 of an axis of size 1, and all
	// dims behind it.
	loops := c.AvailableLoops()
	for d, n := range dst.shape {
		loops = append(loops, kernel.Loop{N: n, Items: dst.stride(d), Data: src.stride(d)})
	}
	c.Describe(&kernel.Description{
		Width: dst.width, Data: src.mem, Items: dst.mem, Idx: zeroIndex, Loops: loops, Axes: append(c.AvailableAxes(), kernel.Axis{Size: 1}),
		Separate: dst.distinct(),
	}).Gather()
}

var zeroIndex = num.Bytes([]int64{0})

// packed is v itself, or a packed copy.
func packed(v *view) view { return v.over(packedMemory(v)) }

// all is the memory of a packed view.
func (v *view) all() []byte { return v.mem[:v.size*v.bytes()] }

// store copies packed memory to which v has been written to v, unless it is v's own or there was an error, which it returns.
func (v *view) store(mem []byte, err error) error {
	if err == nil && !v.packed {
		p := v.over(mem)
		copyView(v, &p)
	}
	return err
}

// toFill is packed memory for all of v: its own or, if v is not packed, some that is to be stored.
func (v *view) toFill() []byte {
	if v.packed {
		return v.all()
	}
	return newMemory(v.size, v.width)
}

// packedMemory is the memory of a view, or of a packed copy of it, or nil if there is no view or it was not read.
func packedMemory(v *view) []byte {
	switch {
	case v == nil || v.mem == nil:
		return nil
	case v.packed:
		return v.all()
	}
	p := v.anew(v.shape)
	copyView(&p, v)
	return p.mem
}

// Data is packed before elements of it are addressed if it takes no more than packMost bytes and has no more elements than are
// read or written. Rows then become contiguous: that is worth it where their elements lie apart, or where they lie in runs of up
// to packRun bytes times how often data is read over. Data of more than packNear bytes goes through memory twice more: that
// is worth it for twice as many elements, or where more than packFew indices address neighbours in a cache line.
//
// Single elements that each have an index are worth it where data has packLeast bytes, which near caches do not hold, and the
// last ones lie lineBytes apart, as those of a transposed matrix: each fetches a cache line, and packing fetches every line
// once. They must be twice as many as data has, or packing must bring the axis nearer, in data of packFar to packNear bytes or,
// if the axis has a stride of a multiple of setBytes, of any size: few sets of the caches have all its lines then.
// See benchmarks/results/thresholds.md.
const packMost, packLeast, packFar, packNear = 64 << 20, 128 << 10, 1 << 20, 4 << 20
const packFew, packRun, lineBytes, setBytes = 8, 8, 64, 1 << 10

// packAll is up to how many bytes a table of bags is packed whole.
const packAll = 16 << 10

// packsFirst reports whether it is faster to pack data v first, of which a number of elements
// are read or written.
func (v *view) packsFirst(p *plan.Params, x *indices, elements int) bool {
	bytes, twice, first := v.size*v.width, elements >= 2*v.size, firstAxis(p)
	if v.width == 0 || v.size > elements || bytes > packMost {
		return false
	}
	stride, run := 1, 1 // of the last axis, and how many elements follow each other so
	for d, n := range v.shape {
		if n > 1 {
			if n*v.strides[d] != stride {
				run = 1
			}
			stride, run = v.strides[d], run*n
		}
	}
	if row := product(v.shape[first+x.axes(p):]); !p.Op.Elements() && row > 1 {
		return (bytes <= packNear || twice || x.size > packFew && v.strides[first]*v.width < lineBytes) &&
			(stride > 1 || run < row && run*v.width <= packRun*(elements/v.size))
	}
	nearer := v.strides[first] > product(v.shape[first+1:]) && (bytes >= packFar && bytes <= packNear || v.strides[first]*v.width%setBytes == 0)
	return (p.Op.Elements() || p.Op.Tuples()) && stride*v.width >= lineBytes && bytes >= packLeast && (twice || nearer)
}

// pitch is the distance in bytes from the start of one row of a view that is not packed to that of the next, or 0 if the elements of a
// row are not contiguous.
func (v *view) pitch() int {
	for d := 1; d < len(v.shape); d++ {
		if v.shape[d] > 1 && v.strides[d] != product(v.shape[d+1:]) {
			return 0
		}
	}
	return v.strides[0] * v.width
}

// distinct reports whether no two elements share memory, as with strides of 0 all do: each stride is
// beyond all that the dims of lesser strides reach.
func (v *view) distinct() bool {
	if v.packed {
		return true
	}
	for d, n := range v.shape {
		reach := 0
		for e, m := range v.shape {
			if s := v.strides[e]; s < v.strides[d] || s == v.strides[d] && e < d {
				reach += (m - 1) * s
			}
		}
		if n > 1 && v.strides[d] <= reach {
			return false
		}
	}
	return true
}

// packMemory is for packed copies, by the next call, too.
var packMemory = sync.Pool{New: func() any { return new([]byte) }}

// packInto makes p the packed view that v would be, with the elements of from, in memory
// that is to be put back into packMemory.
func (v *view) packInto(p, from *view) *[]byte {
	memory := packMemory.Get().(*[]byte)
	*memory = num.Resize(*memory, v.size*v.width)
	*p = v.over(*memory)
	copyView(p, from)
	return memory
}

// over is the view that v would be if it were packed in other memory.
func (v *view) over(mem []byte) view {
	p := *v
	p.packed, p.strides, p.mem = true, nil, mem
	return p
}

// anew is a packed view like v of another shape, with anything in it.
func (v *view) anew(shape []int) view {
	n := *v
	n.shape, n.strides, n.packed, n.size = shape, nil, true, product(shape)
	n.mem = newMemory(n.size, n.width)
	return n
}

// newMemory is memory for n elements of a width, or strings.
func newMemory(n, width int) []byte {
	switch {
	case width == 0:
		return num.Bytes(make([]string, n)) // the garbage collector sees them
	case n*width < unclearedBytes:
		return make([]byte, n*width)
	}
	return uncleared(n * width)
}

// shaped is a packed view with other dims.
func shaped(v view, dims ...int) view {
	v.shape, v.strides = dims, nil
	return v
}

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
