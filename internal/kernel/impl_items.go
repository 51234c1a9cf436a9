package kernel

import "unsafe"

// itemLoop works on n items, one after the other, and the elements of data that
// their indices pick: for item t that at index*stride + t*step bytes. It checks
// each index and stops at the first bad one. The result is how many it has done.
type itemLoop func(data, items, idx *byte, n, size, lift, stride, step int) int

// itemLoops are the loops for int32 and for int64 indices.
type itemLoops *[2]itemLoop

// itemRun is the fewest items in a row that are worth the call of an item loop.
const itemRun = 8

// itemsRun reports whether there are runs of so many columns of items that are worth
// the calls of an item loop.
func (c *Call) itemsRun(columns int) bool {
	if columns > 1 {
		return columns >= itemRun
	}
	return c.N >= itemRun || c.N == 1 && c.Outer == 1
}

// items makes the call run item loops, on items of so many bytes.
func (c *Call) items(loops itemLoops, bytes int, adds bool) {
	c.item, c.adds, c.itemBytes = loops[1], adds, bytes
	if c.Idx32 {
		c.item = loops[0]
	}
}

// runItems runs the item loop over n indices from the one at place first on. data
// begins with the elements that the first index may pick, and items with its
// item. Strides are in bytes. It returns the place of the first bad index, or -1.
//
//go:noinline
func (c *Call) runItems(data, items []byte, first, n, stride, step int) int {
	if n > itemsAtOnce {
		return c.runItemPieces(data, items, first, n, stride, step)
	}
	size := c.Axes[0].Size
	if n == 0 {
		return -1
	}
	if size > 0 {
		// The assembly reads and writes what is checked here to be there.
		_ = data[(size-1)*stride+(n-1)*step+c.itemBytes-1]
	}
	_ = items[n*c.itemBytes-1]
	indexSize := 8
	if c.Idx32 {
		indexSize = 4
	}
	idx := c.Idx[first*indexSize:][:n*indexSize]
	lift := int(c.lift(size))
	for t := 0; ; t++ {
		t += c.item(at(data, t*step), at(items, t*c.itemBytes), &idx[t*indexSize], n-t, size, lift, stride, step)
		if t == n {
			return -1
		}
		if !c.Fill {
			return first + t
		}
		if !c.adds {
			clear(items[t*c.itemBytes:][:c.itemBytes])
		}
		if t == n-1 {
			return -1
		}
	}
}

// runItemPieces is runItems in pieces of itemsAtOnce.
func (c *Call) runItemPieces(data, items []byte, first, n, stride, step int) int {
	for {
		now := min(n, itemsAtOnce)
		if bad := c.runItems(data, items, first, now, stride, step); bad >= 0 {
			return bad
		}
		if n -= now; n == 0 {
			return -1
		}
		first += now
		items = items[now*c.itemBytes:]
		data = data[min(now*step, len(data)):] // which is empty where no index is good
	}
}

// at is the address of a byte. The slice may be empty, when its data has size 0
// and no index is good.
func at(mem []byte, offset int) *byte {
	return (*byte)(unsafe.Add(unsafe.Pointer(unsafe.SliceData(mem)), offset))
}

// itemBlocks runs the positions lo to hi, block by block.
func itemBlocks(c *Call, lo, hi int) int {
	cur, span := c.cursor(lo), c.spanBytes()
	for lo < hi {
		n := min(c.N-cur.t, hi-lo)
		block := c.Data[cur.block*span:][:span]
		if bad := c.runItems(block, c.Items[lo*c.itemBytes:], cur.batch*c.N+cur.t, n, c.Axes[0].Stride*c.width, 0); bad >= 0 {
			return bad
		}
		lo += n
		cur.nextBlock(c)
	}
	return -1
}

// itemSteps runs the positions lo to hi, where each has a block of its own. The
// blocks are steps in data, and one run goes over many of them.
func itemSteps(c *Call, lo, hi int) int {
	step := c.spanBytes()
	return c.runItems(c.Data[lo*step:hi*step], c.Items[lo*c.itemBytes:], lo, hi-lo, c.Axes[0].Stride*c.width, step)
}

// itemLines runs the lines lo to hi, which have Inner positions side by side,
// or some columns of them.
func itemLines(c *Call, lo, hi int, cols span) int {
	span := c.spanBytes()
	for p := lo; p < hi; p++ {
		first := p*c.Inner + cols.lo
		block := c.Data[p/c.N*span:][:span]
		bad := c.runItems(block[cols.lo*c.width:], c.Items[first*c.width:], first, cols.hi-cols.lo, c.Axes[0].Stride*c.width, c.width)
		if bad >= 0 {
			return bad
		}
	}
	return -1
}

// allColumns is itemLines with whole lines.
func allColumns(c *Call, lo, hi int) int { return itemLines(c, lo, hi, span{0, c.Inner}) }

// addBlocks is itemBlocks for whole blocks, which additions do not share, or
// one block for each item.
func addBlocks(c *Call, lo, hi int) int {
	if c.N == 1 && c.Outer == 1 {
		return itemSteps(c, lo, hi)
	}
	return itemBlocks(c, lo*c.N, hi*c.N)
}

// addLines runs blocks or columns of lines.
func addLines(c *Call, lo, hi int) int {
	blocks, cols := c.cut(lo, hi, c.Batch)
	return itemLines(c, blocks.lo*c.N, blocks.hi*c.N, cols)
}
