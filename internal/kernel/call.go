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
// elements. A loop that moves bytes gets them from rowBytes, spanBytes and
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
	// blocks, one for each (batch, outer) pair; each index tuple picks a slab of
	// Inner elements in the block:
	//
	//	items[o, t, c] ↔ data[o, indices[o/Outer, t], c]
	Block Form = iota
	// Elements is the form of GatherElements and its inverse. Each index picks
	// one element on its own line along the axis, and Outer is 1:
	//
	//	items[o, t, c] ↔ data[o, indices[o, t, c], c]
	Elements
	// Walk is any of them in any memory layout, by strides: see walk.go. The
	// other two are its fast special cases.
	Walk
)

// A Call is one run of a kernel: its description, its schedule and scratch. Calls
// come from a pool and go back to it, with the memory for their slices, so that a
// run allocates nothing.
type Call struct {
	Description
	Schedule
	scratch
	work loopWork
}

// Description is what a call is to do. All lengths, sizes and strides are in
// elements.
type Description struct {
	Form        Form
	Data, Items []byte // elements in row-major order, or as Dims say
	Idx         []byte // int32 or int64, packed
	Idx32       bool   // Idx holds int32

	// NonNegative makes negative indices out of range.
	NonNegative bool
	// Fill makes a gather write zeros for an index out of range, and an adjoint
	// skip it, instead of stopping there.
	Fill bool

	// NoInit makes Reduce start from the neutral element: the old values of what the
	// indices pick take no part.
	NoInit bool

	// For the forms Block and Elements. Items are Batch×Outer×N×Inner elements;
	// the indices of a batch serve all its Outer blocks.
	Batch, Outer, N, Inner int
	// Span is the number of elements in a block of data.
	Span int
	// Axes are the axes that an index tuple addresses, with their strides in a
	// block.
	Axes []Axis

	// For the form Walk: the loops, of which the first Head pick index tuples.
	Dims []Dim
	Head int

	width int // bytes an element, 0 for strings: what Gather, Scatter or Reduce is called for
}

// Schedule is what happens before the loop of a scatter, and who runs which part
// of it: see sched_divide.go.
type Schedule struct {
	// Old is what is copied to Data first, all of it, if it is not nil.
	Old []byte
	// Atomic makes a scatter change nothing if an index is bad. Otherwise it may
	// stop in the middle.
	Atomic bool

	columns bool // a piece is some columns of every block, not some blocks
	owners  int  // how many share data by pages, 0 if they do not

	stages stages
}

// stages is what inStages does, block by block, before it runs the loop on it.
type stages struct {
	then Loop
	// What is copied: old values to data, or data to where it is kept (see
	// sched_undo.go).
	to, from []byte
	block    int  // bytes
	past     bool // the caches: nobody is going to read it soon
	// start sets what the indices pick to what a reduction starts from.
	start Loop
	each  int // how many positions are worked on at a time
}

// scratch is what a method of Call tells the loop that it has chosen.
type scratch struct {
	step      any      // the walk's LineFunc
	line      lineLoop // what gathers words, line by line
	word      int      // how many bytes they have
	item      itemWork // what runs over single items
	startItem itemWork // what sets what they pick to neutral
	row       addLoop  // what runs over rows
	neutral   []byte   // the element that a reduction starts from, with NoInit
	touched   []byte   // which rows of data have been set to it
	touches   *[]byte  // where that is from
	kept      []int64  // the offsets of all tuples, in bytes, if they are kept
	keeps     *[]int64 // where that is from
	blends    bool     // the loop starts data itself, and puts old values back
	old       []byte   // these
	counts    *counter // how many there are, if goroutines share it
	mean      *meanLoops
	strided   strided // what a walk does to rows
	divided   int     // the loop of a walk that pieces are cut from
	lines     *[]byte // what a walk in place keeps of data, if it does
}

// Axis is one axis of data that index tuples address.
type Axis struct{ Size, Stride int }

// A Loop runs the positions lo to hi of a call, or what a scatter is divided
// into instead (see sched_divide.go). It returns the position in Idx of the first
// index that is out of range, or -1.
type Loop func(c *Call, lo, hi int) int

// Index is what indices are stored as. An int is one of these, by its size.
type Index interface{ int32 | int64 }

var calls = sync.Pool{New: func() any { return new(Call) }}

// Get takes an empty Call from the pool.
func Get() *Call { return calls.Get().(*Call) }

// Put gives the Call back. It lets go of the memory it was run on, which would
// otherwise stay reachable for as long as the pool keeps the Call.
func (c *Call) Put() {
	axes, dims := c.Axes[:0], c.Dims[:0]
	*c = Call{}
	c.Axes, c.Dims = axes, dims
	calls.Put(c)
}

// rowBytes is the size of the slab that an index tuple picks, in bytes.
func (c *Call) rowBytes() int { return c.Inner * c.width }

// spanBytes is the size of a block of data in bytes.
func (c *Call) spanBytes() int { return c.Span * c.width }

// unitsOf is how many Ts an element of the call is: as many as it has bytes where
// a loop sees bytes, else 1.
func unitsOf[T any](c *Call) int {
	var unit T
	return max(1, c.width/int(unsafe.Sizeof(unit)))
}

// lift is what is added to an index below zero, before it is compared once
// more with the axis size: the size itself, or nothing where negatives are not
// allowed. Adding the size cannot wrap, so the least int64 stays out of range.
func (c *Call) lift(size int) uint64 {
	if c.NonNegative {
		return 0
	}
	return uint64(size)
}

// pointer is the start of a slice, as the assembly takes it.
func pointer[T any](s []T) *byte { return (*byte)(unsafe.Pointer(unsafe.SliceData(s))) }
