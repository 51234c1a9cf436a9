package kernel

import (
	"gorgonia.org/gather/internal/num"
	"gorgonia.org/gather/internal/simd"
)

// Strings must be moved as what they are, in sight of the garbage collector: while it
// marks, it is told of each pointer that is written. So no implementation has loops for
// them. Indices become offsets as they do for rows of bytes, and the strings at these
// are moved in Go, four at a time.

// gatherStrings copies rows of strings.
func gatherStrings[I Index](c *Call, lo, hi int) int {
	items, data, idx := num.As[string](c.Items), num.As[string](c.Data), num.As[I](c.Idx)
	k, row := len(c.Axes), c.Inner
	buf := simd.OffsetsPool.Get().(*simd.Offsets)
	defer simd.OffsetsPool.Put(buf)
	cur := c.cursor(lo)
	for p := lo; p < hi; {
		n := min(c.N-cur.t, hi-p, simd.OffsetsAtOnce)
		first := (cur.batch*c.N + cur.t) * k
		done, bad := offsets(c, buf[:], idx[first:][:n*k], 1)
		readStrings(items[p*row:][:done*row], data[cur.block*c.Span:][:c.Span], buf[:done], row)
		if done < n {
			if !c.Fill {
				return first + done*k + bad
			}
			clearAny(items[(p+done)*row:][:row])
			done++
		}
		p += done
		if cur.t += done; cur.t == c.N {
			cur.nextBlock(c)
		}
	}
	return -1
}

// gatherStringLines is gatherLines or, if Inner is not 1, gatherColumns, for strings.
func gatherStringLines[I Index](c *Call, lo, hi int) int {
	run, step := c.Inner, 1
	if c.Inner == 1 {
		run, step = c.N, 0
	}
	lo, hi = lo*c.Inner, hi*c.Inner
	if run < simd.VectorRun {
		return gatherStringRuns[I](c, lo, hi, run, step)
	}
	items, data, idx := num.As[string](c.Items), num.As[string](c.Data), num.As[I](c.Idx)
	axis := c.axis(0, 1)
	buf := simd.OffsetsPool.Get().(*simd.Offsets)
	defer simd.OffsetsPool.Put(buf)
	for p := lo; p < hi; {
		t := p % run
		n := min(run-t, hi-p, simd.OffsetsAtOnce)
		done := simd.Resolve(buf[:], idx[p:][:n], axis, step)
		block := data[min(c.lineStart(p)+t*step, len(data)):] // which is empty where no index is good
		readStrings(items[p:][:done], block, buf[:done], 1)
		if p += done; done < n {
			if !c.Fill {
				return p
			}
			items[p] = ""
			p++
		}
	}
	return -1
}

// lineStart is where the block of data begins that position p of the form Elements has.
func (c *Call) lineStart(p int) int { return p / c.Inner / c.N * c.Span }

// gatherStringRuns does the same for short runs, of which many have their offsets in the
// whole of data at a time.
func gatherStringRuns[I Index](c *Call, lo, hi, run, step int) int {
	items, data, idx := num.As[string](c.Items), num.As[string](c.Data), num.As[I](c.Idx)
	axis := c.axis(0, 1)
	buf := simd.OffsetsPool.Get().(*simd.Offsets)
	defer simd.OffsetsPool.Put(buf)
	for p := lo; p < hi; {
		n, good := 0, true
		for t := p % run; good && n+run <= simd.OffsetsAtOnce && p+n < hi; t = 0 {
			at := int64(c.lineStart(p+n) + t*step)
			for _, v := range idx[p+n : min(p+n+run-t, hi)] {
				var j uint64
				if j, good = axis.Fix(int64(v)); !good {
					break
				}
				buf[n] = at + int64(j)*axis.Stride
				n++
				at += int64(step)
			}
		}
		readStrings(items[p:][:n], data, buf[:n], 1)
		if p += n; !good {
			if !c.Fill {
				return p
			}
			items[p] = ""
			p++
		}
	}
	return -1
}

// readStrings copies the rows of strings at some offsets. Where they are single strings
// it reads four and then writes them: the compiler asks once for all of them whether the
// garbage collector marks, and none waits for the one before. 65536 strings out of
// rows of 256 take 97 µs, one by one 121 (2 cores of a Zen 3, one thread).
func readStrings(to, from []string, at []int64, row int) {
	if row > 1 {
		for t, offset := range at {
			copyAny(to[t*row:][:row], from[offset:][:row])
		}
		return
	}
	for len(at) >= 4 && len(to) >= 4 {
		a, b, c, d := from[at[0]], from[at[1]], from[at[2]], from[at[3]]
		four := (*[4]string)(to)
		four[0], four[1], four[2], four[3] = a, b, c, d
		to, at = to[4:], at[4:]
	}
	for i, offset := range at {
		to[i] = from[offset]
	}
}

// ownedStrings is how many strings a row has that is worth owners, who all read every
// index. Two threads, 4096 rows of 64: 140 µs without and 107 with; 8192 rows of 8: 86
// and 76; 16384 rows of 4: 141 and 138 (2 cores of a Zen 3).
const ownedStrings = 8

// scatterStrings runs blocks or owners, with a row of strings for each tuple.
func scatterStrings[I Index](c *Call, lo, hi int) int {
	row := c.Inner
	return eachPicks[string, I](c, lo, hi, 1, func(r picks[string]) {
		if c.owners <= 1 {
			writeStrings(r.block, r.updates, r.at, row)
			return
		}
		for i, at := range r.at {
			copyAny(r.block[at:][:row], r.updates[int(r.rows[i])*row:][:row])
		}
	})
}

// scatterStringLines runs blocks or columns, with an index for each element.
func scatterStringLines[I Index](c *Call, lo, hi int) int {
	items, data, idx := num.As[string](c.Items), num.As[string](c.Data), num.As[I](c.Idx)
	blocks, cols := c.cut(lo, hi, c.Batch)
	axis := c.axis(0, 1)
	buf := simd.OffsetsPool.Get().(*simd.Offsets)
	defer simd.OffsetsPool.Put(buf)
	for block := blocks.lo; block < blocks.hi; block++ {
		target := data[block*c.Span:][:c.Span]
		for t := range c.N {
			for col := cols.lo; col < cols.hi; {
				p, n := (block*c.N+t)*c.Inner+col, min(cols.hi-col, simd.OffsetsAtOnce)
				done := simd.Resolve(buf[:], idx[p:][:n], axis, 1)
				writeStrings(target[min(col, len(target)):], items[p:], buf[:done], 1)
				if done < n {
					return p + done
				}
				col += n
			}
		}
	}
	return -1
}

// writeStrings copies rows of strings to some offsets.
func writeStrings(to, from []string, at []int64, row int) {
	if row > 1 {
		for t, offset := range at {
			copyAny(to[offset:][:row], from[t*row:][:row])
		}
		return
	}
	for len(at) >= 4 && len(from) >= 4 {
		a, b, c, d := &to[at[0]], &to[at[1]], &to[at[2]], &to[at[3]]
		four := (*[4]string)(from)
		p, q, r, s := four[0], four[1], four[2], four[3]
		*a, *b, *c, *d = p, q, r, s
		from, at = from[4:], at[4:]
	}
	for i, offset := range at {
		to[offset] = from[i]
	}
}

// gatherWalkStrings runs a piece of an itemWalk of a gather.
func gatherWalkStrings[I Index](c *Call, lo, hi int) int {
	return walkStrings[I](c, lo, hi, func(items, data []string, at []int64) { readStrings(items, data, at, 1) })
}

// scatterWalkStrings runs a piece of an itemWalk of a scatter.
func scatterWalkStrings[I Index](c *Call, lo, hi int) int {
	return walkStrings[I](c, lo, hi, func(items, data []string, at []int64) { writeStrings(data, items, at, 1) })
}

// walkStrings calls move for some items after the other, with the offsets of what
// they pick.
func walkStrings[I Index](c *Call, lo, hi int, move func(items, data []string, at []int64)) int {
	items, data, idx := num.As[string](c.Items), num.As[string](c.Data), num.As[I](c.Idx)
	axis := c.axis(0, 1)
	buf := simd.OffsetsPool.Get().(*simd.Offsets)
	defer simd.OffsetsPool.Put(buf)
	return c.eachRun(lo, hi, func(at walkRun) int {
		for t := 0; t < at.n; {
			n := min(at.n-t, simd.OffsetsAtOnce)
			done := simd.Resolve(buf[:], idx[at.idx+t:][:n], axis, at.step)
			near := data[min(at.data+t*at.step, len(data)):] // which is empty where no index is good
			move(items[at.item+t:][:done], near, buf[:done])
			if t += done; done < n {
				if !c.Fill {
					return at.idx + t
				}
				items[at.item+t] = ""
				t++
			}
		}
		return -1
	})
}
