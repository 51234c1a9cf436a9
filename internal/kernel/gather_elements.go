package kernel

import "gorgonia.org/gather/internal/num"

// gatherElements is Gather in the form Elements. The width must be that of a word.
func (c *Call) gatherElements() int {
	n := c.Batch * c.N
	if n*c.Inner == 0 {
		return -1
	}
	size := grain(max(c.width, 16) * c.Inner)
	var loops [2]Loop
	switch {
	case c.width == 0 && c.Inner == 1:
		loops = [2]Loop{gatherStringItems[int32], gatherStringItems[int64]}
	case c.width == 0:
		loops = [2]Loop{gatherLines[string, int32], gatherLines[string, int64]}
	case c.itemsRun(c.Inner) && c.shortRuns(c.Inner):
		return c.Run(pick(c.Idx32, gatherShortRuns[int32], gatherShortRuns[int64]), c.Batch, max(1, grain(64*c.N)))
	case c.N*c.Inner == 1:
		c.gatherItem(c.width)
		return c.Run(gatherItemSteps, n, stepsGrain)
	case c.Inner == 1:
		return c.gatherWords(c.width, n, size)
	case c.itemsRun(c.Inner):
		c.gatherItem(c.width)
		return c.Run(gatherItemLines, n, size)
	default:
		loops = lineGathers[log2(c.width)]
	}
	return c.Run(pick(c.Idx32, loops[0], loops[1]), n, size)
}

// lineGathers holds the loops over elements of 1, 2, 4, 8 and 16 bytes, at the
// logarithm of the width.
var lineGathers = [...][2]Loop{
	{gatherLines[uint8, int32], gatherLines[uint8, int64]},
	{gatherLines[uint16, int32], gatherLines[uint16, int64]},
	{gatherLines[uint32, int32], gatherLines[uint32, int64]},
	{gatherLines[[8]byte, int32], gatherLines[[8]byte, int64]},
	{gatherLines[[16]byte, int32], gatherLines[[16]byte, int64]},
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

// gatherLines runs over (outer, t) pairs; each has Inner positions in a row.
func gatherLines[T any, I Index](c *Call, lo, hi int) int {
	items, data, idx := num.As[T](c.Items), num.As[T](c.Data), num.As[I](c.Idx)
	size, lift := uint64(c.Axes[0].Size), c.lift(c.Axes[0].Size)
	inner := c.Inner
	for p := lo; p < hi; p++ {
		block := p / c.N
		line := data[block*c.Span:][:c.Span]
		out := items[p*inner:][:inner]
		for col, v := range idx[p*inner:][:inner] {
			j := uint64(v)
			if j >= size {
				if j += lift; j >= size {
					if !c.Fill {
						return p*inner + col
					}
					var zero T
					out[col] = zero
					continue
				}
			}
			out[col] = line[int(j)*inner+col]
		}
	}
	return -1
}

// gatherStringItems runs over positions, where Inner is 1.
func gatherStringItems[I Index](c *Call, lo, hi int) int {
	items, data, idx := num.As[string](c.Items), num.As[string](c.Data), num.As[I](c.Idx)
	size, lift := uint64(c.Axes[0].Size), c.lift(c.Axes[0].Size)
	for p := lo; p < hi; {
		block := data[p/c.N*c.Span:][:c.Span]
		for end := min(hi, p-p%c.N+c.N); p < end; p++ {
			j := uint64(idx[p])
			if j >= size {
				if j += lift; j >= size {
					if !c.Fill {
						return p
					}
					items[p] = ""
					continue
				}
			}
			items[p] = block[j]
		}
	}
	return -1
}
