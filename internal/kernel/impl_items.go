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
// the calls of an item loop: long ones, or one alone.
func (c *Call) itemsRun(columns int) bool {
	if columns > 1 {
		return columns >= itemRun
	}
	return c.N >= itemRun || c.Batch*c.Outer == 1 || c.N == 1 && c.Outer == 1
}

// itemWork is an item loop and what it works on.
type itemWork struct {
	loop  itemLoop
	bytes int    // how wide items are
	one   []byte // the item for all indices, if there is only one
	reads bool   // it copies from data to items
	// marked is the loop if it gets marks, of so many bytes each.
	marked markedLoop
	mark   int
}

// itemWork is the work of item loops, on items of so many bytes.
func (c *Call) itemWork(loops itemLoops, bytes int) itemWork {
	w := itemWork{loop: loops[1], bytes: bytes}
	if c.Idx32 {
		w.loop = loops[0]
	}
	return w
}

// gatherItem makes the call gather by item loops.
func (c *Call) gatherItem(bytes int) {
	c.item = c.itemWork(active.copyItem[log2(bytes)], bytes)
	c.item.reads = true
}

// from is the items from a position on.
func (w *itemWork) from(items []byte, position int) []byte {
	if w.one != nil {
		return w.one
	}
	return items[position*w.bytes:]
}

// apart is how many bytes there are from one item to the next.
func (w *itemWork) apart() int {
	if w.one != nil {
		return 0
	}
	return w.bytes
}

// run runs the item loop over n indices from the one at position first on. data
// begins with the elements that the first index may pick, and items with its
// item. Strides are in bytes. It returns the position of the first bad index, or -1.
//
//go:noinline
func (w *itemWork) run(c *Call, data, items, marks []byte, first, n, stride, step int) int {
	if n > itemsAtOnce {
		return w.runPieces(c, data, items, marks, first, n, stride, step)
	}
	size := c.Axes[0].Size
	if n == 0 {
		return -1
	}
	if size > 0 {
		// The assembly reads and writes what is checked here to be there.
		_ = data[(size-1)*stride+(n-1)*step+w.bytes-1]
	}
	apart := w.apart()
	_ = items[(n-1)*apart+w.bytes-1]
	indexSize := c.indexBytes()
	idx := c.Idx[first*indexSize:][:n*indexSize]
	lift := int(c.lift(size))
	if marks != nil {
		stride, step := stride/w.bytes, step/w.bytes
		if size > 0 {
			_ = marks[((size-1)*stride+(n-1)*step+1)*w.mark-1]
		}
		if t := w.marked(at(data, 0), at(items, 0), &idx[0], at(marks, 0), n, size, lift, stride, step); t < n {
			return first + t
		}
		return -1
	}
	for t := 0; ; t++ {
		t += w.loop(at(data, t*step), at(items, t*apart), &idx[t*indexSize], n-t, size, lift, stride, step)
		if t == n {
			return -1
		}
		if !c.Fill {
			return first + t
		}
		if w.reads {
			clear(items[t*w.bytes:][:w.bytes])
		}
		if t == n-1 {
			return -1
		}
	}
}

// runPieces is run in pieces of itemsAtOnce.
func (w *itemWork) runPieces(c *Call, data, items, marks []byte, first, n, stride, step int) int {
	for {
		now := min(n, itemsAtOnce)
		if bad := w.run(c, data, items, marks, first, now, stride, step); bad >= 0 {
			return bad
		}
		if n -= now; n == 0 {
			return -1
		}
		first += now
		items = items[now*w.apart():]
		data = data[min(now*step, len(data)):] // which is empty where no index is good
		if marks != nil {
			marks = marks[min(now*step/w.bytes*w.mark, len(marks)):]
		}
	}
}

// at is the address of a byte. The slice may be empty, when its data has size 0
// and no index is good.
func at(mem []byte, offset int) *byte {
	return (*byte)(unsafe.Add(unsafe.Pointer(unsafe.SliceData(mem)), offset))
}

// blocks runs the positions lo to hi, block by block. There are marks, if any, for
// the blocks from the first of these on.
func (w *itemWork) blocks(c *Call, lo, hi int, marks []byte) int {
	cur, span := c.cursor(lo), c.spanBytes()
	for lo < hi {
		if blocks := min(hi-lo, itemsAtOnce) / c.N; blocks > 0 && cur.t == 0 && marks == nil && !c.Fill {
			if c.Outer > 1 {
				blocks = min(blocks, c.Outer-cur.outer)
			}
			if bad := w.whole(c, c.Data[cur.block*span:][:blocks*span], w.from(c.Items, lo), cur.batch*c.N, blocks); bad >= 0 {
				return bad
			}
			lo += blocks * c.N
			cur = cur.skip(c, blocks)
			continue
		}
		n := min(c.N-cur.t, hi-lo)
		block := c.Data[cur.block*span:][:span]
		if bad := w.run(c, block, w.from(c.Items, lo), marks, cur.batch*c.N+cur.t, n, c.Axes[0].Stride*c.width, 0); bad >= 0 {
			return bad
		}
		lo += n
		cur.nextBlock(c)
		if marks != nil {
			marks = marks[c.Span*w.mark:]
		}
	}
	return -1
}

// whole is run for some blocks, which have one batch or, if Outer is 1, one each. What
// it checks once for all of them, run would check for each: to add 65536 numbers along
// lines of 64 takes 61 µs and not 73, along lines of 16 85 and not 131.
//
//go:noinline
func (w *itemWork) whole(c *Call, data, items []byte, first, blocks int) int {
	n, size, stride, apart := c.N, c.Axes[0].Size, c.Axes[0].Stride*c.width, w.apart()
	span := len(data) / blocks
	if size > 0 {
		_ = data[len(data)-span+(size-1)*stride+w.bytes-1]
	}
	_ = items[(blocks*n-1)*apart+w.bytes-1]
	indexSize, lift := c.indexBytes(), int(c.lift(size))
	line := 0 // indices from one block to the next
	if c.Outer == 1 {
		line = n
	}
	idx := c.Idx[first*indexSize:][:((blocks-1)*line+n)*indexSize]
	for b := range blocks {
		if t := w.loop(at(data, b*span), at(items, b*n*apart), &idx[b*line*indexSize], n, size, lift, stride, 0); t < n {
			return first + b*line + t
		}
	}
	return -1
}

// steps runs the positions lo to hi, where each has a block of its own. The blocks
// are steps in data, and one run goes over many of them.
func (w *itemWork) steps(c *Call, lo, hi int) int {
	step := c.spanBytes()
	return w.run(c, c.Data[lo*step:hi*step], w.from(c.Items, lo), nil, lo, hi-lo, c.Axes[0].Stride*c.width, step)
}

// lines runs the lines lo to hi, which have Inner positions side by side, or some
// columns of them.
func (w *itemWork) lines(c *Call, lo, hi int, cols span, marks []byte) int {
	span, start := c.spanBytes(), lo/c.N
	var marked []byte
	for p := lo; p < hi; p++ {
		first := p*c.Inner + cols.lo
		block := c.Data[p/c.N*span:][:span]
		if marks != nil {
			marked = marks[(p/c.N-start)*c.Span*w.mark:][cols.lo*w.mark : c.Span*w.mark]
		}
		bad := w.run(c, block[cols.lo*c.width:], w.from(c.Items, first), marked, first, cols.hi-cols.lo, c.Axes[0].Stride*c.width, c.width)
		if bad >= 0 {
			return bad
		}
	}
	return -1
}

// gatherItemSteps divides its positions.
func gatherItemSteps(c *Call, lo, hi int) int { return c.item.steps(c, lo, hi) }

// The scatters divide blocks, which they do not share, or columns.
func scatterByItems(c *Call, lo, hi int) int { return c.item.scatter(c, lo, hi, nil) }

// startItems is the scatter of the value that a reduction starts from.
func startByItems(c *Call, lo, hi int) int { return c.startItem.scatter(c, lo, hi, nil) }

// scatter runs blocks or columns of them, with marks from the first block on.
func (w *itemWork) scatter(c *Call, lo, hi int, marks []byte) int {
	switch {
	case c.Form == Elements && c.Inner > 1:
		blocks, cols := c.cut(lo, hi, c.Batch)
		return w.lines(c, blocks.lo*c.N, blocks.hi*c.N, cols, marks)
	case c.N == 1 && c.Outer == 1 && marks == nil:
		return w.steps(c, lo, hi)
	}
	return w.blocks(c, lo*c.N, hi*c.N, marks)
}
