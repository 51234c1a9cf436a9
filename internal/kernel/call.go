// Package kernel holds the loops of the operators. They run on plain memory in
// row-major order, after every check but that of the indices' values, which
// each loop makes itself, where it uses them.
//
// Two sides take part in every operator. Data is the side that indices point
// into: the input of a gather, the output of a scatter. Items is the side that
// has one item, a run of Inner elements, for each index: the output of a
// gather, the updates of a scatter.
//
// There are three forms of loop:
//
//   - block: Gather, GatherND and their inverses. Data is a row of blocks, one
//     for each (batch, outer) pair; each index tuple picks a slab of Inner
//     elements in the block;
//   - elements: GatherElements and its inverse. Each index picks one element
//     on its own line along the axis;
//   - walk: all of them, in any memory layout, by strides. The first two are
//     its fast special cases.
package kernel

import (
	"sync"
	"unsafe"
)

// A Call is one run of a kernel: the memory, the geometry and the rule for
// indices. Calls come from a pool and go back to it, with the memory for their
// slices, so that a run allocates nothing.
type Call struct {
	Data, Items []byte // elements in row-major order, or as Dims say
	Idx         []byte // int32 or int64, packed
	Idx32       bool   // Idx holds int32

	// NonNegative makes negative indices out of range.
	NonNegative bool
	// Fill makes a gather write zeros for an index out of range, and an adjoint
	// skip it, instead of stopping there.
	Fill bool

	// Block and elements form. Items are Batch×Outer×N×Inner elements; the
	// indices of a batch serve all its Outer blocks.
	Batch, Outer, N, Inner int
	// Span is the number of elements in a block of data.
	Span int
	// Axes are the axes that an index tuple addresses, with their strides in a
	// block, in elements.
	Axes []Axis

	// Walk form: see walk.go.
	Dims []Dim
	Head int

	line any // the walk's LineFunc
	// For loops which do not know the elements by type: how wide they are, and
	// for those of items.go what runs over them, and whether it adds.
	width int
	item  itemLoop
	adds  bool

	// Old is what a scatter copies to Data first, all of it, if it is not nil.
	Old []byte
	// Atomic makes a scatter change nothing if an index is bad. Otherwise it may
	// stop in the middle.
	Atomic bool

	// What runs on blocks, and from where to where they are copied before that:
	// from Old to Data, or from Data to where it is kept (see undo.go).
	then     Loop
	to, from []byte
	block    int // bytes

	// How a scatter is divided: by columns, or by so many owners.
	columns bool
	owners  int

	*parallel
}

// Axis is one axis of data that index tuples address.
type Axis struct{ Size, Stride int }

// A Loop runs the positions lo to hi of a call, or what a scatter is divided into
// instead (see divide.go), and returns the place in Idx of
// the first index that is out of range, or -1.
type Loop func(c *Call, lo, hi int) int

// Index is what indices are stored as. An int is one of these, by its size.
type Index interface{ int32 | int64 }

var calls = sync.Pool{New: func() any { return &Call{parallel: new(parallel)} }}

// Get takes an empty Call from the pool.
func Get() *Call { return calls.Get().(*Call) }

// Put gives the Call back. It lets go of the memory it was run on, which would
// otherwise stay reachable for as long as the pool keeps the Call.
func (c *Call) Put() {
	axes, dims, p := c.Axes[:0], c.Dims[:0], c.parallel
	*c = Call{}
	c.Axes, c.Dims, c.parallel = axes, dims, p
	calls.Put(c)
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
