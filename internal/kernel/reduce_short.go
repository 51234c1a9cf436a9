package kernel

import "gorgonia.org/gather/internal/num"

// farRun is the most items in a run, and farSpan the fewest bytes of its block, for
// which the processor waits at the end of every run for memory that is out of the
// caches. With offsets of many runs it is prefetched.
const (
	farRun  = 64
	farSpan = 16 << 10
)

// shortRuns reports whether runs of so many columns are too short for item loops.
func (c *Call) shortRuns(columns int) bool {
	return !c.itemsRun(columns) || columns == 1 && c.N > 1 && c.N <= farRun && c.spanBytes() >= farSpan && c.Batch > 1
}

// gatherShortRuns runs the blocks lo to hi.
func gatherShortRuns[I Index](c *Call, lo, hi int) int {
	loop := active.copyFar[log2(c.width)]
	return eachShortRun[I](c, lo, hi, true, func(items []byte, at []int64) {
		loop(pointer(c.Data), pointer(items), &at[0], len(at), c.width, c.width, 0)
	})
}

// combineShortRuns runs the blocks lo to hi, where the runs of items are too short
// for an item loop: it makes offsets of the indices of many of them.
func combineShortRuns[I Index](c *Call, lo, hi int) int {
	return eachShortRun[I](c, lo, hi, false, func(items []byte, at []int64) {
		c.row(pointer(c.Data), pointer(items), &at[0], &inOrder[0], len(at), c.width, c.width, 0)
	})
}

// startShortRuns sets what the indices of the blocks lo to hi pick to the value
// that a reduction starts from.
func startShortRuns[I Index](c *Call, lo, hi int) int {
	fill := c.filler(c.width)
	return eachShortRun[I](c, lo, hi, false, func(_ []byte, at []int64) { fill.rows(c.Data, at) })
}

// eachShortRun calls work for items that lie side by side, with the offsets of
// what their indices pick in data, which have been checked. An item whose index is
// bad is left out, with clears set to zero, if the call does not stop there.
func eachShortRun[I Index](c *Call, lo, hi int, clears bool, work func(items []byte, at []int64)) int {
	idx, axis := num.As[I](c.Idx), c.axis(0, c.width)
	span, line := c.spanBytes(), c.N*c.Inner
	buf := buffers.Get().(*offsetBuffer)
	defer buffers.Put(buf)
	first, have := lo*line, 0 // the first item in the buffer, and how many
	flush := func(next int) {
		if have > 0 {
			work(c.Items[first*c.width:][:have*c.width], buf[:have])
		}
		first, have = next, 0
	}
	for block := lo; block < hi; block++ {
		start := block * line
		indices, column := block/c.Outer*line, 0
		for p := range line {
			along := int64(block*span + column*c.width)
			if column++; column == c.Inner {
				column = 0
			}
			j, ok := axis.fix(int64(idx[indices+p]))
			switch {
			case ok:
				buf[have] = along + int64(j)*axis.stride
				if have++; have == resolved {
					flush(start + p + 1)
				}
			case c.Fill:
				flush(start + p + 1)
				if clears {
					clear(c.Items[(start+p)*c.width:][:c.width])
				}
			default:
				flush(0) // what comes before a bad index may be written
				return indices + p
			}
		}
	}
	flush(0)
	return -1
}
