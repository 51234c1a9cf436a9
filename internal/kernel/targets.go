package kernel

import (
	"math/bits"

	"gorgonia.org/gather/internal/num"
	"gorgonia.org/gather/internal/par"
	"gorgonia.org/gather/internal/simd"
)

// Targets writes, for each position of a call on single elements, the offset in data that its
// index addresses, in elements. No data is needed. It returns the position in Idx of the
// first bad index, or -1.
func (c *Call) Targets(targets []int) int {
	d := Get()
	defer d.Put()
	d.Describe(&Description{
		Width: bits.UintSize / 8, Items: num.Bytes(targets), Idx: c.Idx, Idx32: c.Idx32,
		Loops: c.Loops, Axes: c.Axes, NonNegative: c.NonNegative,
	})
	g := &d.gather
	if g.describe(d, true) {
		return -1
	}
	g.single, g.op = true, elementOp{lines: simd.TargetLines[d.wide()]}
	g.divide()
	return c.First(par.Run(g, g.steps(), par.Grains(g.positions, g.unit)))
}

// Resolve turns index tuples, from number first on, into the sums of their indices times the
// strides of the axes. It returns how many are good, and the position in the tuple behind
// them of the bad index.
func (c *Call) Resolve(to []int64, first int) (n, bad int) {
	return c.offsets(to, first, len(to), 1, 0, 0)
}

// ResolveLine turns neighbouring indices of one axis, from a position on, into
// offsets index*stride + first + t, and returns how many are good.
func (c *Call) ResolveLine(to []int64, position, stride, first int) int {
	axis := c.axis(0, 1)
	axis.Stride = int64(stride)
	if c.Idx32 {
		return simd.Resolve(to, num.As[int32](c.Idx)[position:][:len(to)], axis, first, 1)
	}
	return simd.Resolve(to, num.As[int64](c.Idx)[position:][:len(to)], axis, first, 1)
}
