package kernel

// lineLoop copies what indices pick, for lines of n items and as many indices. It checks
// each index and stops at the first bad one. The result is how many items it has done.
//
// Elements lie side by side in data. Over lines, an index picks an element of its own
// line, which is apart bytes behind the one before. Over columns, it picks one of its
// own column, index*apart bytes from the first, and all lines have the same data.
type lineLoop func(data, items, idx *byte, lines, n, size, lift, apart int) int

// lineLoops are the loops for int32 and for int64 indices.
type lineLoops *[2]lineLoop

// gatherOnLines runs n positions, each of which picks one word of so many bytes in its
// block.
func (c *Call) gatherOnLines(bytes, n, grain int) int {
	c.line, c.word = c.lineLoop(active.copyLines[log2(bytes)]), bytes
	return c.Run(gatherLines, n, grain)
}

// gatherOnColumns runs n positions, each of which is Inner words side by side.
func (c *Call) gatherOnColumns(n, grain int) int {
	c.line, c.word = c.lineLoop(active.copyColumns[log2(c.width)]), c.width
	return c.Run(gatherColumns, n, grain)
}

func (c *Call) lineLoop(loops lineLoops) lineLoop {
	if c.Idx32 {
		return loops[0]
	}
	return loops[1]
}

// gatherLines takes as many lines at a time as a call may have, or a part of one.
func gatherLines(c *Call, lo, hi int) int {
	span := c.spanBytes()
	size := c.Axes[0].Size * c.word
	for p := lo; p < hi; {
		block, t := 0, p
		if p >= c.N { // most calls are small, and divisions slow
			block, t = p/c.N, p%c.N
		}
		lines, n := 1, min(c.N-t, hi-p, itemsAtOnce)
		if n == c.N {
			lines = min(hi-p, itemsAtOnce) / n
		}
		done := c.copyLines(c.Data[block*span:][:(lines-1)*span+size], p, lines, n, span)
		if p += done; done < lines*n {
			if !c.Fill {
				return p
			}
			clear(c.Items[p*c.word:][:c.word])
			p++
		}
	}
	return -1
}

// gatherColumns does the same for lines of indices.
func gatherColumns(c *Call, lo, hi int) int {
	span, apart := c.spanBytes(), c.Axes[0].Stride*c.word
	for p := lo * c.Inner; p < hi*c.Inner; {
		line, column := p/c.Inner, p%c.Inner
		block, t := line/c.N, line%c.N
		lines, n := 1, min(c.Inner-column, itemsAtOnce)
		if n == c.Inner {
			lines = min(c.N-t, hi-line, itemsAtOnce/n)
		}
		var data []byte // there is none where no index is good
		if size := c.Axes[0].Size; size > 0 {
			data = c.Data[block*span+column*c.word:][:(size-1)*apart+n*c.word]
		}
		done := c.copyLines(data, p, lines, n, apart)
		if p += done; done < lines*n {
			if !c.Fill {
				return p
			}
			clear(c.Items[p*c.word:][:c.word])
			p++
		}
	}
	return -1
}

// copyLines copies the items of some lines, from a position on, up to the first bad
// index. It returns how many they are. Assembly reads and writes no more than what is
// sliced here and by its callers.
//
//go:noinline
func (c *Call) copyLines(data []byte, p, lines, n, apart int) int {
	items := c.Items[p*c.word:][:lines*n*c.word]
	indexSize := c.indexBytes()
	idx := c.Idx[p*indexSize:][:lines*n*indexSize]
	size := c.Axes[0].Size
	return c.line(pointer(data), pointer(items), pointer(idx), lines, n, size, int(c.lift(size)), apart)
}
