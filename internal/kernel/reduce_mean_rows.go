package kernel

import (
	"unsafe"

	"gorgonia.org/gather/internal/num"
)

// meanRows is Mean for rows, or for items that tuples pick.
func (c *Call) meanRows(loops *combineLoops, blocks int, few division) int {
	c.row = loops.row
	if c.Inner == 1 {
		c.row = loops.offset
	}
	if few == byOwners && blocks < fewBlocks {
		c.counts = c.countsFor(blocks * (c.Span / c.Inner))
	}
	return c.sharedCounts(c.scatter([2]Loop{meanOfRows[int32], meanOfRows[int64]}, blocks, few))
}

// meanOfRows runs blocks, or owners.
func meanOfRows[I Index](c *Call, lo, hi int) int {
	if c.counts != nil {
		return addDivided[I](c, lo, hi, 0, c.counts)
	}
	each := max(1, copiedBefore/max(1, c.spanBytes()))
	memory, bad := c.countsFor(min(each, hi-lo)*(c.Span/c.Inner)), -1
	for ; lo < hi && bad < 0; lo += each {
		bad = addDivided[I](c, lo, min(lo+each, hi), lo, memory)
	}
	memory.give(bad)
	return bad
}

// addDivided adds rows and divides the sums. There are counts for the blocks from the
// first one on.
func addDivided[I Index](c *Call, lo, hi, first int, k *counter) int {
	row, rows, counts, left := c.rowBytes(), c.Span/c.Inner, k.counts, 0
	ahead, number, fill := distance(row), numbersOf(row), filler{}
	firsts := buffers.Get().(*offsetBuffer)
	defer buffers.Put(firsts)
	if c.NoInit {
		fill = c.filler(row)
		defer fill.release()
	}
	bad := eachPicks[byte, I](c, lo, hi, c.width, func(r picks[byte]) {
		counts := counts[(r.number-first)*rows:][:rows]
		left += len(r.at)
		own := number.addCounts(firsts, r.at, counts)
		if c.NoInit {
			fill.rows(r.block, firsts[:own])
		}
		c.row.run(pointer(r.block), pointer(r.updates), &r.at[0], &r.rows[0], len(r.at), row, row, ahead)
	})
	if bad >= 0 {
		return bad
	}
	density := 1 // counts of rows must be written out for each element
	if c.Inner == 1 {
		density = meanDensity
	}
	if c.counts == nil && c.Inner <= narrowRow && density*c.N >= rows {
		for block := lo; block < hi; block++ {
			c.divideRows(block, counts[(block-first)*rows:][:rows])
		}
		return -1
	}
	divisors := buffers.Get().(*offsetBuffer)
	defer buffers.Put(divisors)
	by := unsafe.Slice((*int32)(unsafe.Pointer(divisors)), resolved)
	bad = eachPicks[byte, I](c, lo, hi, c.width, func(r picks[byte]) {
		own, terms := number.takeCounts(firsts, by, r.at, counts[(r.number-first)*rows:][:rows], int32(c.more()))
		left -= terms
		c.quotientRows(r.block, firsts[:own], by, row)
	})
	k.left.Add(int64(left))
	return bad
}

// addCounts counts rows at offsets, and finds the offsets of those that had no count.
//
//go:noinline
func (n numbers) addCounts(to *offsetBuffer, at []int64, counts []int32) (own int) {
	n.preload(at, counts)
	for _, at := range at {
		count := &counts[n.of(at)]
		to[own&(resolved-1)] = at
		own += int(uint32(*count-1) >> 31) // 1 if it is 0
		*count++
	}
	return own
}

// takeCounts finds the offsets of rows that have a count, by what their sums are to be
// divided, and how many terms those have. It leaves counts that are 0: of offsets that are
// alike only the first is found. There is no branch to guess.
//
//go:noinline
func (n numbers) takeCounts(to *offsetBuffer, by []int32, at []int64, counts []int32, more int32) (own, terms int) {
	n.preload(at, counts)
	for _, at := range at {
		count := &counts[n.of(at)]
		to[own&(resolved-1)], by[own&(resolved-1)] = at, *count+more
		own += 1 - int(uint32(*count-1)>>31)
		terms += int(*count)
		*count = 0
	}
	return own, terms
}

// quotientRows divides rows of a block, of so many bytes, at offsets, behind which there
// is room to look ahead.
func (c *Call) quotientRows(block []byte, at []int64, by []int32, row int) {
	for n := 0; len(at) > 0; at, by = at[n:], by[n:] {
		n = min(len(at), max(1, rowBytesAtOnce/row))
		for from := 0; from < row; from += rowBytesAtOnce {
			c.quotientPiece(block[from:], at[:n], by, min(row-from, rowBytesAtOnce))
		}
	}
}

//go:noinline
func (c *Call) quotientPiece(block []byte, at []int64, by []int32, bytes int) {
	c.mean.rows(pointer(block), pointer(by), &at[0], len(at), bytes, 0, distance(bytes))
}

// narrowRow is up to how many elements a row has a count for each of them where most
// rows of a block are divided, so that vectors go over many rows.
const narrowRow = 16

// divideRows divides all rows of a block that have a count.
func (c *Call) divideRows(block int, counts []int32) {
	if c.Inner == 1 {
		c.quotients(block*c.spanBytes(), num.Bytes(counts))
		return
	}
	k := c.countsFor(itemsAtOnce)
	defer k.give(-1)
	for at := block * c.spanBytes(); len(counts) > 0; {
		n := min(len(counts), itemsAtOnce/c.Inner)
		each := k.counts[:n*c.Inner]
		for i, count := range counts[:n] {
			row := each[i*c.Inner:][:c.Inner]
			for j := range row {
				row[j] = count
			}
		}
		clearAny(counts[:n])
		c.quotients(at, num.Bytes(each))
		at, counts = at+n*c.rowBytes(), counts[n:]
	}
}

// preload reads the counts of rows before they are worked on: what comes next hangs on
// them, and the processor would wait for one after the other.
//
//go:noinline
func (n numbers) preload(at []int64, counts []int32) (all int32) {
	for _, at := range at {
		all |= counts[n.of(at)]
	}
	return all
}
