package kernel

import "gorgonia.org/gather/internal/par"

// gatherElements is Gather in the form Elements. The width must be that of a word.
func (c *Call) gatherElements() int {
	n := c.Batch * c.N
	if n*c.Inner == 0 {
		return -1
	}
	size := par.Grain(max(c.width, 16) * c.Inner)
	switch {
	case c.width == 0:
		return c.Run(pick(c.Idx32, gatherStringLines[int32], gatherStringLines[int64]), n, size)
	case c.farRuns(c.Inner):
		return c.gatherShort(c.Batch)
	case c.N*c.Inner == 1:
		c.gatherItem(c.width)
		return c.Run(gatherItemSteps, n, stepsGrain)
	case c.Inner == 1:
		return c.gatherOnLines(c.width, n, size)
	}
	return c.gatherOnColumns(n, size)
}

// IsWord reports whether elements of the width, or strings for 0, can be moved
// one by one as a Go type.
func IsWord(width int) bool {
	switch width {
	case 0, 1, 2, 4, 8, 16:
		return true
	}
	return false
}
