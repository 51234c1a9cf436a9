package kernel

import (
	"math/bits"

	"gorgonia.org/gather/internal/num"
)

// Targets writes down, for every element of the items in row-major order, the
// place in data that its index picks. Items and data must be described by Dims
// with row-major strides; no data is needed.
func (c *Call) Targets(targets []int) int {
	return c.steps(&targetLoop, num.Bytes(targets), false)
}

// Flat makes the targets the indices of a call of the form Block, for any layout
// that has no form of its own: each is an index of all of data, which has so many
// elements.
func (c *Call) Flat(targets []int, size int) {
	c.Form, c.Idx, c.Idx32 = Block, num.Bytes(targets), bits.UintSize == 32
	c.Batch, c.Outer, c.N, c.Inner, c.Span = 1, 1, len(targets), 1, size
	c.Axes = append(c.Axes[:0], Axis{Size: size, Stride: 1})
}

var targetLoop = stepLoopOf(func(targets, _ []int, itemAt, dataAt, n, stepItems, stepData int) {
	for i := range n {
		targets[itemAt+i*stepItems] = dataAt + i*stepData
	}
})
