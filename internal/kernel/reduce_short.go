package kernel

import (
	"sync"

	"gorgonia.org/gather/internal/num"
	"gorgonia.org/gather/internal/simd"
)

// Runs that are too short for item loops go by offsets, which are made of the indices
// of many of them.

// shortRuns reports whether runs of so many columns are too short for item loops.
func (c *Call) shortRuns(columns int) bool { return !c.itemsRun(columns) || c.farRuns(columns) }

// farRuns reports whether there are few items in each of many blocks that lie far apart.
// A run would end as soon as the first of its elements have come from memory.
func (c *Call) farRuns(columns int) bool {
	if columns > 1 || !c.farItems() {
		return false
	}
	return c.N == 1 && c.Outer == 1 || c.N > 1 && c.spanBytes() >= farSpan
}

// farItems reports whether to wait for memory takes longer than all else: items are few
// in each of many blocks, and blocks are pages or more.
func (c *Call) farItems() bool {
	return c.N <= farRun && c.Batch*c.Outer > 1 && c.spanBytes() >= page
}

// farBlocks is how many blocks a goroutine should at least have, where there are
// farItems.
func (c *Call) farBlocks() int { return max(1, stepsGrain/c.N) }

// gatherShort gathers few elements of each of some blocks.
func (c *Call) gatherShort(blocks int) int {
	return c.Run(pick(c.Idx32, gatherShortRuns[int32], gatherShortRuns[int64]), blocks, c.farBlocks())
}

// gatherShortRuns runs the blocks lo to hi.
func gatherShortRuns[I Index](c *Call, lo, hi int) int {
	width := c.rowBytes()
	copyOffset := active.copyOffset[log2(width)]
	return eachShortRun[I](c, lo, hi, true, func(from int, items []byte, at []int64) {
		copyOffset(pointer(c.Data[from:]), pointer(items), &at[0], len(at), width, width, 0)
	})
}

// combineShortRuns runs the blocks lo to hi.
func combineShortRuns[I Index](c *Call, lo, hi int) int {
	return eachShortRun[I](c, lo, hi, false, func(from int, items []byte, at []int64) {
		c.row(pointer(c.Data[from:]), pointer(items), &at[0], &inOrder[0], len(at), c.width, c.width, 0)
	})
}

// startShortRuns sets what the indices of the blocks lo to hi pick to the value
// that a reduction starts from.
func startShortRuns[I Index](c *Call, lo, hi int) int {
	fill := c.filler(c.width)
	return eachShortRun[I](c, lo, hi, false, func(from int, _ []byte, at []int64) { fill.rows(c.Data[from:], at) })
}

// runBuffer is for the offsets of items, and what they have in common with those of
// other blocks.
type runBuffer struct{ at, along simd.Offsets }

var runBuffers = sync.Pool{New: func() any { return new(runBuffer) }}

// eachShortRun calls work for items that lie side by side, with the offsets of
// what their indices pick, which have been checked, from a byte of data on. An item
// whose index is bad is left out, with clears set to zero, if the call does not stop there.
func eachShortRun[I Index](c *Call, lo, hi int, clears bool, work func(from int, items []byte, at []int64)) int {
	if c.Outer > 1 {
		return eachSharedRun[I](c, lo, hi, clears, work)
	}
	idx, axis, item := num.As[I](c.Idx), c.axis(0, c.width), c.width
	if c.Form == Block {
		item = c.rowBytes()
	}
	span, line := c.spanBytes(), c.runItems()
	run := runBuffers.Get().(*runBuffer)
	defer runBuffers.Put(run)
	buf, along := &run.at, &run.along
	step, most := 0, simd.OffsetsAtOnce
	if line == 1 {
		step = span
	} else {
		most = c.along(along[:min(simd.OffsetsAtOnce, (hi-lo)*line)], item)
	}
	for p, end := lo*line, hi*line; p < end; {
		block, t := 0, 0
		if p > 0 { // most calls are small, and divisions slow
			block, t = p/line, p%line
		}
		from := t
		if most < line {
			from %= most
		}
		n := min(most-from, end-p)
		if most < line {
			n = min(n, line-t)
		}
		done := simd.Resolve(buf[:], idx[p:][:n], axis, step)
		if line > 1 {
			addOffsets(buf[:done], along[from:])
		}
		if done > 0 {
			work(block*span, c.Items[p*item:][:done*item], buf[:done])
		}
		if p += done; done == n {
			continue
		}
		if !c.Fill {
			return p // what comes before a bad index may be written
		}
		if clears {
			clear(c.Items[p*item:][:item])
		}
		p++
	}
	return -1
}

// runItems is how many items a block has that are picked one by one.
func (c *Call) runItems() int {
	if c.Form == Block {
		return c.N
	}
	return c.N * c.Inner
}

// along sets offsets to where the block and the column of items begin, from the first
// block on: those of whole blocks or, of a long one, of whole lines. It returns how many
// they are.
func (c *Call) along(to []int64, item int) int {
	columns, line, span := 1, c.runItems(), c.spanBytes()
	if c.Form == Elements {
		columns = c.Inner
	}
	n := len(to)
	if n >= line {
		n -= n % line
	} else {
		n -= n % columns
	}
	for t, block, column := 0, 0, 0; t < n; {
		for end := min(t+line, n); t < end; t++ {
			to[t] = int64(block + column*item)
			if column++; column == columns {
				column = 0
			}
		}
		block += span
	}
	return n
}

// addOffsets adds others to all.
func addOffsets(all, others []int64) {
	if active.addOffsets != nil && len(all) > 0 {
		active.addOffsets(&all[0], &others[0], len(all))
		return
	}
	others = others[:len(all)]
	for i := range all {
		all[i] += others[i]
	}
}

// missing stands for the offset of a bad index.
const missing = -1

// eachSharedRun is eachShortRun where blocks share the indices of their batch.
func eachSharedRun[I Index](c *Call, lo, hi int, clears bool, work func(from int, items []byte, at []int64)) int {
	idx, axis, item, span := num.As[I](c.Idx), c.axis(0, c.width), c.rowBytes(), c.spanBytes()
	run := runBuffers.Get().(*runBuffer)
	defer runBuffers.Put(run)
	shared, buf := &run.along, &run.at
	for lo < hi {
		batch := lo / c.Outer
		all, end := true, min((batch+1)*c.Outer, hi)
		for t := 0; t < c.N; t++ {
			t += simd.Resolve(shared[t:], idx[batch*c.N+t:][:c.N-t], axis, 0)
			if t < c.N {
				if !c.Fill {
					return batch*c.N + t
				}
				shared[t], all = missing, false
			}
		}
		if !all {
			for ; lo < end; lo++ {
				c.withGaps(lo*span, c.Items[lo*c.N*item:][:c.N*item], shared[:c.N], clears, work)
			}
			continue
		}
		blocks := min(simd.OffsetsAtOnce/c.N, end-lo)
		at := buf[:c.along(buf[:blocks*c.N], item)]
		for b := range blocks {
			addOffsets(at[b*c.N:][:c.N], shared[:])
		}
		for ; lo < end; lo += blocks {
			blocks = min(blocks, end-lo)
			work(lo*span, c.Items[lo*c.N*item:][:blocks*c.N*item], at[:blocks*c.N])
		}
	}
	return -1
}

// withGaps calls work for the items of a block between those whose offset is missing.
func (c *Call) withGaps(from int, items []byte, at []int64, clears bool, work func(from int, items []byte, at []int64)) {
	item := len(items) / len(at)
	for t := 0; t < len(at); t++ {
		first := t
		for t < len(at) && at[t] != missing {
			t++
		}
		if t > first {
			work(from, items[first*item:t*item], at[first:t])
		}
		if t < len(at) && clears {
			clear(items[t*item:][:item])
		}
	}
}
