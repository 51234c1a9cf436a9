package kernel

import "gorgonia.org/gather/internal/num"

// combineShortRuns runs the blocks lo to hi, where the runs of items are too short
// for an item loop: it makes offsets of the indices of many of them.
func combineShortRuns[I Index](c *Call, lo, hi int) int {
	return eachShortRun[I](c, lo, hi, func(items []byte, at []int64) {
		c.row(pointer(c.Data), pointer(items), &at[0], &inOrder[0], len(at), c.width, c.width, 0)
	})
}

// startShortRuns sets what the indices of the blocks lo to hi pick to the value
// that a reduction starts from.
func startShortRuns[I Index](c *Call, lo, hi int) int {
	fill := inGo.fillOffset[log2(c.width)]
	return eachShortRun[I](c, lo, hi, func(_ []byte, at []int64) {
		fill(pointer(c.Data), pointer(c.neutral), &at[0], len(at), c.width, 0, 0)
	})
}

// eachShortRun calls work for items that lie side by side, with the offsets of
// what their indices pick in data, which have been checked.
func eachShortRun[I Index](c *Call, lo, hi int, work func(items []byte, at []int64)) int {
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
		indices := block / c.Outer * line
		for p := range line {
			j, ok := axis.fix(int64(idx[indices+p]))
			switch {
			case ok:
				buf[have] = int64(block*span) + int64(j)*axis.stride + int64(p%c.Inner*c.width)
				if have++; have == resolved {
					flush(start + p + 1)
				}
			case c.Fill:
				flush(start + p + 1)
			default:
				flush(0) // what comes before a bad index may be written
				return indices + p
			}
		}
	}
	flush(0)
	return -1
}
