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
		Loops: c.Loops, Axes: c.Axes, Separate: true, NonNegative: c.NonNegative,
	})
	g := &d.gather
	if g.describe(d, true) {
		return -1
	}
	g.single, g.op = true, elementOp{lines: simd.TargetLines[d.wide()]}
	g.divide()
	return c.First(par.Run(g, g.steps(), par.Grains(g.positions, g.unit)))
}
