package kernel

import (
	"math/bits"

	"gorgonia.org/gather/internal/num"
)

// Targets writes, for every element of the items in row-major order, the offset in data
// that its index addresses. Items and data must be described by Dims
// with row-major strides; no data is needed.
func (c *Call) Targets(targets []int) int {
	return c.steps(&targetLoop, num.Bytes(targets), false)
}

// Flat is a call in the form Block, for any layout that has no form of its own: the
// targets are its indices, each of all of data, which has so many elements.
func Flat(targets []int, size int) *Call {
	return &Call{Description: Description{
		Form: Block, Idx: num.Bytes(targets), Idx32: bits.UintSize == 32,
		Batch: 1, Outer: 1, N: len(targets), Inner: 1, Span: size,
		Axes: []Axis{{Size: size, Stride: 1}},
	}}
}

var targetLoop = stepLoopOf(func(targets, _ []int, itemAt, dataAt, n, stepItems, stepData int) {
	for i := range n {
		targets[itemAt+i*stepItems] = dataAt + i*stepData
	}
})

// Rows turns the index tuples of a call in the form Block, from number first on, into
// numbers of rows of Inner elements in their block. It returns how many are good, and the
// position in the tuple behind them of the bad index.
func (c *Call) Rows(to []int64, first int) (n, bad int) {
	n, bad = c.offsets(to, first, len(to), 1)
	if c.Inner > 1 {
		number := rowNumberOf(c.Inner, c.Span)
		for i, at := range to[:n] {
			to[i] = int64(number.of(at))
		}
	}
	return n, bad
}

// Line turns neighbouring indices of a call in the form Elements, from a position on, into
// offsets index*stride + t, and returns how many are good.
func (c *Call) Line(to []int64, position, stride int) int {
	axis := c.axis(0, 1)
	axis.Stride = int64(stride)
	return c.resolveLine(to, position, axis, 1)
}
