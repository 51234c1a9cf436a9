package kernel

// lineLoop copies lines of n elements, each of which its index picks on its own line of
// data, span bytes behind the one before. Elements lie side by side: one is at
// index*width. The loop checks each index and stops at the first bad one. The result is
// how many elements it has done. Assembly prefetches indices ahead bytes before they are
// used.
type lineLoop func(data, items, idx *byte, lines, n, size, lift, span, ahead int) int

// lineLoops are the loops for int32 and for int64 indices.
type lineLoops *[2]lineLoop

// gatherWords runs n positions that each pick one word of so many bytes. Words lie side by side in a block.
func (c *Call) gatherWords(bytes, n, grain int) int {
	loops := active.copyLines[log2(bytes)]
	c.line = loops[1]
	if c.Idx32 {
		c.line = loops[0]
	}
	c.item.bytes = bytes
	return c.Run(gatherLineWords, n, grain)
}

// gatherLineWords runs the positions lo to hi, as many lines at a time as a call may have.
func gatherLineWords(c *Call, lo, hi int) int {
	for p := lo; p < hi; {
		block, t := 0, p
		if p >= c.N { // most calls are small, and divisions slow
			block, t = p/c.N, p%c.N
		}
		lines, n := 1, min(c.N-t, hi-p, itemsAtOnce)
		if n == c.N {
			lines = min(hi-p, itemsAtOnce) / n
		}
		done := c.copyLines(block, p, lines, n)
		if p += done; done == lines*n {
			continue
		}
		if !c.Fill {
			return p
		}
		clear(c.Items[p*c.item.bytes:][:c.item.bytes])
		p++
	}
	return -1
}

// copyLines copies lines from a block and a position on, up to the first bad index. It
// returns how many words that are.
//
//go:noinline
func (c *Call) copyLines(block, p, lines, n int) int {
	width, size, span := c.item.bytes, c.Axes[0].Size, c.spanBytes()
	// The assembly reads and writes what is sliced here.
	data := c.Data[block*span:][:(lines-1)*span+size*width]
	items := c.Items[p*width:][:lines*n*width]
	indexSize := 8
	if c.Idx32 {
		indexSize = 4
	}
	idx := c.Idx[p*indexSize:][:lines*n*indexSize]
	ahead := indicesAhead
	if size*width > farLine {
		ahead = 0
	}
	return c.line(pointer(data), pointer(items), pointer(idx), lines, n, size, int(c.lift(size)), span, ahead)
}
