package kernel

import (
	"gorgonia.org/gather/internal/num"
	"gorgonia.org/gather/internal/par"
	"gorgonia.org/gather/internal/simd"
)

// gatherBlock is Gather in the form Block.
func (c *Call) gatherBlock() int {
	blocks := c.Batch * c.Outer
	n := blocks * c.N
	if n*c.Inner == 0 {
		return -1
	}
	if c.width == 0 {
		return c.Run(pick(c.Idx32, gatherStrings[int32], gatherStrings[int64]), n, par.Grain(16*c.Inner))
	}
	// Values are only moved, never interpreted, so a row of elements is as good
	// as one element of the row's size, or as a row of bytes.
	row := c.rowBytes()
	single := len(c.Axes) == 1 && IsWord(row)
	steps := len(c.Axes) == 1 && c.N == 1 && c.Outer == 1
	switch {
	case single && (c.farRuns(1) || c.farColumns()):
		return c.gatherShort(blocks)
	case single && c.Outer > 1:
		return c.Run(pick(c.Idx32, gatherBlockColumns[int32], gatherBlockColumns[int64]), blocks, par.Grain(max(row, 16)*c.N))
	case single && steps:
		c.gatherItem(row)
		return c.Run(gatherItemSteps, n, stepsGrain)
	case single:
		return c.gatherOnLines(row, n, par.Grain(row))
	case steps:
		return c.Run(pick(c.Idx32, gatherSteps[int32], gatherSteps[int64]), n, min(stepsGrain, par.Grain(row)))
	}
	return c.Run(pick(c.Idx32, gatherRows[int32], gatherRows[int64]), n, par.Grain(row))
}

// farColumns reports whether all blocks of a batch are read at the same few places, far
// from each other. To go through their offsets again for each block takes longer than to
// make those of many blocks. A single place is the same in all of them: if blocks
// are 2**16 bytes, none of what is prefetched stays in the cache.
func (c *Call) farColumns() bool {
	return c.Outer > 1 && c.N > 1 && c.farItems() && c.spanBytes() >= c.N*farBytes
}

// log2 of 1, 2, 4, 8 or 16.
func log2(n int) int {
	l := 0
	for n >>= 1; n > 0; n >>= 1 {
		l++
	}
	return l
}

// pick chooses the instance for the index type.
func pick(idx32 bool, loop32, loop64 Loop) Loop {
	if idx32 {
		return loop32
	}
	return loop64
}

// cursor steps through the positions of a call block by block.
type cursor struct {
	block, t     int // the block, and the tuple in it
	batch, outer int // block = batch*Outer + outer
}

func (c *Call) cursor(p int) cursor {
	if p == 0 {
		return cursor{} // most calls are small, and divisions slow
	}
	block := p / c.N
	return cursor{block: block, t: p % c.N, batch: block / c.Outer, outer: block % c.Outer}
}

// nextBlock goes to the start of the block that follows.
func (cur *cursor) nextBlock(c *Call) {
	cur.block++
	cur.t = 0
	if cur.outer++; cur.outer == c.Outer {
		cur.outer = 0
		cur.batch++
	}
}

// skip goes some blocks on, which are in one batch or, if Outer is 1, one each.
func (cur cursor) skip(c *Call, blocks int) cursor {
	cur.block += blocks
	if cur.outer += blocks; cur.outer >= c.Outer {
		cur.batch += cur.outer / c.Outer
		cur.outer = 0
	}
	return cur
}

// gatherBlockColumns copies single items, for the blocks lo to hi. All blocks of a
// batch are read at the same places: the indices are checked and turned into
// offsets once, and used for every block.
func gatherBlockColumns[I Index](c *Call, lo, hi int) int {
	idx := num.As[I](c.Idx)
	width := c.rowBytes()
	copyItems := active.copyOffset[log2(width)]
	buf := simd.OffsetsPool.Get().(*simd.Offsets)
	defer simd.OffsetsPool.Put(buf)
	for lo < hi {
		batch := lo / c.Outer
		end := min((batch+1)*c.Outer, hi)
		for t := 0; t < c.N; {
			first := batch*c.N + t
			want := min(simd.OffsetsAtOnce, c.N-t)
			n, _ := offsets(c, buf[:], idx[first:][:want], c.width)
			for block := lo; block < end && n > 0; block += itemsAtOnce / simd.OffsetsAtOnce {
				c.copyColumns(copyItems, span{block, min(block+itemsAtOnce/simd.OffsetsAtOnce, end)}, t, buf[:n])
			}
			if t += n; n == want {
				continue
			}
			if !c.Fill {
				return first + n
			}
			for block := lo; block < end; block++ {
				clear(c.Items[(block*c.N+t)*width:][:width])
			}
			t++
		}
		lo = end
	}
	return -1
}

// copyColumns copies the single items at offsets in each of some blocks, from
// item t of the block on.
//
//go:noinline
func (c *Call) copyColumns(copyItems rowLoop, blocks span, t int, offsets []int64) {
	n, width, span := len(offsets), c.rowBytes(), c.spanBytes()
	for block := blocks.lo; block < blocks.hi; block++ {
		line := c.Data[block*span:][:span]
		copyItems(pointer(line), pointer(c.Items[(block*c.N+t)*width:][:n*width]), &offsets[0], n, width, width, 0)
	}
}

// gatherRows copies a row for every tuple. Some offsets are always
// left for the next round, so that there is a row to prefetch at any time.
func gatherRows[I Index](c *Call, lo, hi int) int {
	idx := num.As[I](c.Idx)
	k, row, span := len(c.Axes), c.rowBytes(), c.spanBytes()
	copyRows := c.copyLoop(row)
	ahead := simd.Distance(row)
	buf := simd.OffsetsPool.Get().(*simd.Offsets)
	defer simd.OffsetsPool.Put(buf)
	cur := c.cursor(lo)
	left := 0
	for p := lo; p < hi; {
		end := min(c.N-cur.t, hi-p)
		first := (cur.batch*c.N + cur.t + left) * k
		want := min(end, simd.OffsetsAtOnce) - left
		done, bad := offsets(c, buf[left:], idx[first:][:want*k], c.width)
		have := left + done
		now := have
		if have < end && done == want {
			now -= ahead
		}
		if now > 0 {
			block := c.Data[cur.block*span:][:span]
			copyRows.run(pointer(block), pointer(c.Items[p*row:][:now*row]), &buf[0], now, row, row, ahead)
			p += now
			cur.t += now
		}
		left = copy(buf[:], buf[now:have])
		if done < want {
			if !c.Fill {
				return first + done*k + bad
			}
			clearAny(c.Items[p*row:][:row])
			p++
			cur.t++
		}
		if cur.t == c.N {
			cur.nextBlock(c)
		}
	}
	return -1
}

// gatherSteps is gatherRows for one index in each block. The blocks then are
// steps in data, and the indices of many of them can be resolved at a time.
func gatherSteps[I Index](c *Call, lo, hi int) int {
	row, span := c.rowBytes(), c.spanBytes()
	copyRows := c.copyLoop(row)
	ahead := simd.Distance(row)
	axis := c.axis(0, c.width)
	idx := num.As[I](c.Idx)
	buf := simd.OffsetsPool.Get().(*simd.Offsets)
	defer simd.OffsetsPool.Put(buf)
	for p := lo; p < hi; {
		n := min(hi-p, simd.OffsetsAtOnce)
		done := simd.Resolve(buf[:], idx[p:][:n], axis, span)
		if done > 0 {
			blocks := c.Data[p*span:][:done*span]
			copyRows.run(pointer(blocks), pointer(c.Items[p*row:][:done*row]), &buf[0], done, row, row, ahead)
		}
		if done < n {
			if !c.Fill {
				return p + done
			}
			clearAny(c.Items[(p+done)*row:][:row])
			done++
		}
		p += done
	}
	return -1
}

// resolve turns an index tuple into an offset in its block. Each component is
// checked against its own axis before it is used: checking only the offset
// would let a too large component slip into the next row. The second result is
// the first bad component, or -1.
func resolve[I Index](c *Call, tuple []I) (at, bad int) {
	for i := range c.Axes {
		axis := &c.Axes[i]
		j, size := uint64(tuple[i]), uint64(axis.Size)
		if j >= size {
			if j += c.lift(axis.Size); j >= size {
				return 0, i
			}
		}
		at += int(j) * axis.Stride
	}
	return at, -1
}
