// Package kernel holds the loops of the operators. They run on plain memory, after
// every check but that of the indices' values, which each loop makes itself, where it
// uses them.
//
// Two sides take part in every operator. Data is the side that indices point
// into: the input of a gather, the result of a scatter. Items is the other side: the
// result of a gather, the updates of a scatter.
//
// A call is a nest of loops over positions, whatever the operator and the layouts are.
// Each position has an item, an index tuple, and what the tuple addresses in data:
//
//	items[Σ i·Items] ↔ data[Σ i·Data + Σ index·stride]
//
// where i counts the iterations of a loop and Items and Data are its strides. A Call
// describes the nest; Gather, Scatter and Reduce run it.
package kernel

import (
	"sync"
	"unsafe"

	"gorgonia.org/gather/internal/num"
	"gorgonia.org/gather/internal/simd"
)

// Loop is one loop of a call, with its strides in items and in data, in elements, and in the
// indices, in tuples.
type Loop simd.Loop

// A Description says what a call is: its operands, their geometry, and what is to be done
// where an index is out of range. Package core makes it, and no field of one is changed. All
// lengths, sizes and strides are in elements.
type Description struct {
	Width       int // bytes an element, 0 for strings
	Data, Items []byte
	Idx         []byte // int32 or int64, packed
	Idx32       bool   // Idx holds int32

	// Loops are those of the call, the outermost first. Those that move the index are in
	// the order of the indices: the innermost that runs more than once moves by one tuple.
	Loops []Loop
	// Axes are the axes that an index tuple addresses.
	Axes []Axis

	// Separate says that no two elements of what is written, items or data, share memory.
	Separate bool
	// NonNegative makes negative indices out of range.
	NonNegative bool
	// SkipBad makes a gather write zeros for an index out of range, and a scatter leave
	// its update out, instead of stopping there.
	SkipBad bool

	// Old is what is copied to Data before a scatter, all of it, if it is not nil. There is
	// none of strings, which are not copied as bytes.
	Old []byte
	// Atomic makes a scatter change nothing if an index is bad. Otherwise it may
	// stop in the middle.
	Atomic bool
	// NoInit makes Reduce start from the neutral element: the old values of what the
	// indices address take no part.
	NoInit bool
}

// A Call is a Description, and memory for what runs it. It runs once at a time. It comes from a pool,
// so that a call allocates nothing, and a small one does not visit several pools.
type Call struct {
	Description
	axes    [8]Axis
	loops   [8]Loop
	gather  gather
	scatter scatter
}

// Axis is one axis of data that index tuples address.
type Axis struct{ Size, Stride int }

var calls = sync.Pool{New: func() any { return new(Call) }}

// Get takes a Call from the pool.
func Get() *Call { return calls.Get().(*Call) }

// Put gives the Call back. It lets go of what it was run on, which would otherwise stay reachable for
// as long as the pool keeps it.
func (c *Call) Put() {
	all := &c.Description
	*all = Description{}
	calls.Put(c)
}

// AvailableAxes and AvailableLoops are memory for those of the Description.
func (c *Call) AvailableAxes() []Axis { return c.axes[:0] }

func (c *Call) AvailableLoops() []Loop { return c.loops[:0] }

// Describe makes c the Call that d says. To pass d by value is to copy it twice.
func (c *Call) Describe(d *Description) *Call {
	all := &c.Description // set as a whole: what runs only reads it
	*all = *d
	return c
}

// RowsOf makes a call on rows of a table, each of inner elements, by ids that are not
// negative. Rows of ids out of range are skipped.
func (c *Call) RowsOf(table, items []byte, width, rows, inner int, ids []int64) *Call {
	return c.Describe(&Description{
		Width: width, Data: table, Items: items, Idx: num.Bytes(ids), Separate: true, NonNegative: true, SkipBad: true,
		Loops: append(c.AvailableLoops(), Loop{N: len(ids), Items: inner, Idx: 1}, Loop{N: inner, Items: 1, Data: 1}),
		Axes:  append(c.AvailableAxes(), Axis{Size: rows, Stride: inner}),
	})
}

// widthInMemory is the width of an element, strings included.
func (c *Call) widthInMemory() int {
	if c.Width == 0 {
		return int(unsafe.Sizeof(""))
	}
	return c.Width
}
