// Package kernel holds the loops of the operators. They run on plain memory in
// row-major order, after every check but that of the indices' values, which
// each loop makes itself, where it uses them.
//
// Two sides take part in every operator. Data is the side that indices point
// into: the input of a gather, the result of a scatter. Items is the side that
// has one item, a run of Inner elements, for each index: the result of a
// gather, the updates of a scatter.
//
// A Call describes what is to be done; Gather, Scatter and Reduce do it, by the
// loop for its Form and elements. Everything in the description is counted in
// elements. A loop that moves bytes gets them from rowBytes, spanBytes, widthInMemory and
// unitsOf, and nowhere else.
package kernel

import (
	"sync"
	"unsafe"
)

// Form is how indices, items and data belong together.
type Form uint8

const (
	// Block is the form of Gather, GatherND and their inverses. Data is a row of
	// blocks, one for each (batch, outer) pair; each index tuple addresses a slab of
	// Inner elements in the block:
	//
	//	items[o, t, c] ↔ data[o, indices[o/Outer, t], c]
	Block Form = iota
	// Elements is the form of GatherElements and its inverse. Each index addresses
	// one element on its own line along the axis, and Outer is 1:
	//
	//	items[o, t, c] ↔ data[o, indices[o, t, c], c]
	Elements
	// Walk is any of them in any memory layout, by strides: see walk.go. The
	// other two are its fast special cases.
	Walk
)

// A Description says what a call is: its operands, their geometry, and what is to be done
// where an index is out of range. Package core makes it, and the kernels only read it. All
// lengths, sizes and strides are in elements.
type Description struct {
	Form        Form
	Width       int    // bytes an element, 0 for strings
	Data, Items []byte // elements in row-major order, or as Dims say
	Idx         []byte // int32 or int64, packed
	Idx32       bool   // Idx holds int32

	// NonNegative makes negative indices out of range.
	NonNegative bool
	// Fill makes a gather write zeros for an index out of range, and an adjoint
	// skip it, instead of stopping there.
	Fill bool

	// Old is what is copied to Data before a scatter, all of it, if it is not nil. There is
	// none of strings, which are not copied as bytes.
	Old []byte
	// Atomic makes a scatter change nothing if an index is bad. Otherwise it may
	// stop in the middle.
	Atomic bool
	// NoInit makes Reduce start from the neutral element: the old values of what the
	// indices address take no part.
	NoInit bool

	// For the forms Block and Elements. Items are Batch×Outer×N×Inner elements;
	// the indices of a batch serve all its Outer blocks.
	Batch, Outer, N, Inner int
	// Span is the number of elements in a block of data.
	Span int
	// Axes are the axes that an index tuple addresses, with their strides in a
	// block.
	Axes []Axis

	// For the form Walk: the loops, of which the first Head go over index tuples.
	Dims []Dim
	Head int
}

// A Call is a Description, and memory for its slices and for what runs it. Calls come from a
// pool, so that they allocate nothing: a Call runs once at a time.
type Call struct {
	Description
	axes [8]Axis // the memory of Axes and Dims, unless there are more
	dims [8]Dim
	jobs *jobs // nil if it is not from the pool
}

// jobs is the memory of what runs a call, for the next one, too. A pool for each would take
// a tenth of the time of a small call.
type jobs struct {
	gather  elementGather
	scatter elementScatter
	mean    elementMean
	rows    rowScatter
}

func (c *Call) memory() *jobs {
	if c.jobs == nil {
		return new(jobs)
	}
	return c.jobs
}

// Axis is one axis of data that index tuples address.
type Axis struct{ Size, Stride int }

var calls = sync.Pool{New: func() any {
	c := &Call{jobs: new(jobs)}
	c.empty()
	return c
}}

// Get takes an empty Call from the pool.
func Get() *Call { return calls.Get().(*Call) }

// Put gives the Call back. It lets go of the memory it was run on, which would
// otherwise stay reachable for as long as the pool keeps the Call.
func (c *Call) Put() {
	c.empty()
	calls.Put(c)
}

// empty clears the description where it is: to copy an empty one there takes 8 ns longer.
func (c *Call) empty() {
	d := &c.Description
	*d = Description{}
	d.Axes, d.Dims = c.axes[:0], c.dims[:0]
}

// rowBytes is the size of the slab that an index tuple addresses, in bytes.
func (c *Call) rowBytes() int { return c.Inner * c.Width }

// widthInMemory is the width of an element, strings included.
func (c *Call) widthInMemory() int {
	if c.Width == 0 {
		return int(unsafe.Sizeof(""))
	}
	return c.Width
}

// spanBytes is the size of a block of data in bytes.
func (c *Call) spanBytes() int { return c.Span * c.Width }

// unitsOf is how many Ts an element of the call is: as many as it has bytes where
// a loop sees bytes, else 1.
func unitsOf[T any](c *Call) int {
	var unit T
	return max(1, c.Width/int(unsafe.Sizeof(unit)))
}

// negativeOffset is what is added to an index below zero, before it is compared once
// more with the axis size: the size itself, or nothing where negatives are not
// allowed. Adding the size cannot wrap, so the least int64 stays out of range.
func (c *Call) negativeOffset(size int) uint64 {
	if c.NonNegative {
		return 0
	}
	return uint64(size)
}

// interval is a range: from lo up to hi, without that.
type interval struct{ lo, hi int }
