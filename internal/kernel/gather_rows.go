package kernel

import (
	"gorgonia.org/gather/internal/num"
	"gorgonia.org/gather/internal/par"
	"gorgonia.org/gather/internal/simd"
)

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

// gatherShared copies single items, for the blocks lo to hi. All blocks of a
// batch are read at the same places: the indices are checked and turned into
// offsets once, and used for every block.
func gatherShared[I Index](c *Call, lo, hi int) int {
	idx := num.As[I](c.Idx)
	width := c.rowBytes()
	copyItems := simd.Active().CopyOffsets[simd.Log2(width)]
	buf := simd.OffsetsPool.Get().(*simd.Offsets)
	defer simd.OffsetsPool.Put(buf)
	for lo < hi {
		batch := lo / c.Outer
		end := min((batch+1)*c.Outer, hi)
		for t := 0; t < c.N; {
			first := batch*c.N + t
			want := min(simd.OffsetsAtOnce, c.N-t)
			n, _ := offsets(c, buf[:], idx[first:][:want], c.Width)
			for block := lo; block < end && n > 0; block += simd.ItemsAtOnce / simd.OffsetsAtOnce {
				c.copyColumns(copyItems, span{block, min(block+simd.ItemsAtOnce/simd.OffsetsAtOnce, end)}, t, buf[:n])
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
func (c *Call) copyColumns(copyItems simd.RowLoop, blocks span, t int, offsets []int64) {
	n, width, span := len(offsets), c.rowBytes(), c.spanBytes()
	for block := blocks.lo; block < blocks.hi; block++ {
		line := c.Data[block*span:][:span]
		copyItems(num.Pointer(line), num.Pointer(c.Items[(block*c.N+t)*width:][:n*width]), &offsets[0], n, width, width, 0)
	}
}

// gatherRows copies a row for every tuple. Some offsets are always
// left for the next round, so that there is a row to prefetch at any time.
func gatherRows[I Index](c *Call, lo, hi int) int {
	idx := num.As[I](c.Idx)
	k, row, span := len(c.Axes), c.rowBytes(), c.spanBytes()
	copyRows := simd.CopyLoop(row)
	ahead := simd.Distance(row)
	buf := simd.OffsetsPool.Get().(*simd.Offsets)
	defer simd.OffsetsPool.Put(buf)
	cur := c.cursor(lo)
	left := 0
	for p := lo; p < hi; {
		end := min(c.N-cur.t, hi-p)
		first := (cur.batch*c.N + cur.t + left) * k
		want := min(end, simd.OffsetsAtOnce) - left
		done, bad := offsets(c, buf[left:], idx[first:][:want*k], c.Width)
		have := left + done
		now := have
		if have < end && done == want {
			now -= ahead
		}
		if now > 0 {
			block := c.Data[cur.block*span:][:span]
			copyRows.Run(num.Pointer(block), num.Pointer(c.Items[p*row:][:now*row]), &buf[0], now, row, row, ahead)
			p += now
			cur.t += now
		}
		left = copy(buf[:], buf[now:have])
		if done < want {
			if !c.Fill {
				return first + done*k + bad
			}
			par.Clear(c.Items[p*row:][:row])
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
	copyRows := simd.CopyLoop(row)
	ahead := simd.Distance(row)
	axis := c.axis(0, c.Width)
	idx := num.As[I](c.Idx)
	buf := simd.OffsetsPool.Get().(*simd.Offsets)
	defer simd.OffsetsPool.Put(buf)
	for p := lo; p < hi; {
		n := min(hi-p, simd.OffsetsAtOnce)
		done := simd.Resolve(buf[:], idx[p:][:n], axis, span)
		if done > 0 {
			blocks := c.Data[p*span:][:done*span]
			copyRows.Run(num.Pointer(blocks), num.Pointer(c.Items[p*row:][:done*row]), &buf[0], done, row, row, ahead)
		}
		if done < n {
			if !c.Fill {
				return p + done
			}
			par.Clear(c.Items[(p+done)*row:][:row])
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
