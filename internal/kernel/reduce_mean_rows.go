package kernel

import "gorgonia.org/gather/internal/num"

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
		return addDivided[I](c, lo, hi, 0, c.counts.counts)
	}
	each := max(1, copiedBefore/max(1, c.spanBytes()))
	memory, bad := c.countsFor(min(each, hi-lo)*(c.Span/c.Inner)), -1
	for ; lo < hi && bad < 0; lo += each {
		bad = addDivided[I](c, lo, min(lo+each, hi), lo, memory.counts)
	}
	memory.give(bad)
	return bad
}

// addDivided adds rows and divides the sums. There are counts for the blocks from the
// first one on.
func addDivided[I Index](c *Call, lo, hi, first int, counts []int32) int {
	row, rows := c.rowBytes(), c.Span/c.Inner
	ahead, number, fill := distance(row), numbersOf(row), filler{}
	firsts := buffers.Get().(*offsetBuffer)
	defer buffers.Put(firsts)
	if c.NoInit {
		fill = c.filler(row)
		defer fill.release()
	}
	bad := eachPicks[byte, I](c, lo, hi, c.width, func(r picks[byte]) {
		counts := counts[(r.number-first)*rows:][:rows]
		if c.Inner == 1 {
			preloadCounts(counts, r.at, number)
		}
		own := 0
		for _, at := range r.at {
			count := &counts[number.of(at)]
			firsts[own] = at
			own += int(uint32(*count-1) >> 31) // 1 if it is 0
			*count++
		}
		if c.NoInit {
			fill.rows(r.block, firsts[:own])
		}
		c.row.run(pointer(r.block), pointer(r.updates), &r.at[0], &r.rows[0], len(r.at), row, row, ahead)
	})
	if bad >= 0 {
		return bad
	}
	if c.counts == nil && c.Inner <= narrowRow && meanDensity*c.N >= rows {
		for block := lo; block < hi; block++ {
			c.divideRows(block, counts[(block-first)*rows:][:rows])
		}
		return -1
	}
	return eachPicks[byte, I](c, lo, hi, c.width, func(r picks[byte]) {
		counts := counts[(r.number-first)*rows:][:rows]
		if c.Inner == 1 {
			preloadCounts(counts, r.at, number)
		}
		for left := r.at; len(left) > 0; {
			now := left[:min(len(left), max(1, preloaded/row))]
			left = left[len(now):]
			if row <= preloaded {
				preload(pointer(r.block), now, row)
			}
			for _, at := range now {
				count := &counts[number.of(at)]
				if n := int(*count); n > 0 {
					*count = 0
					c.quotient(r.block[at:][:row], n+c.more())
				}
			}
		}
	})
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

// preloadCounts reads the counts of single elements before they are worked on, as
// preload does with rows: what comes next hangs on them, and the processor would wait
// for one after the other.
//
//go:noinline
func preloadCounts(counts []int32, offsets []int64, number numbers) (all int32) {
	for _, at := range offsets {
		all |= counts[number.of(at)]
	}
	return all
}

// preloaded is up to how many bytes of rows are read before they are divided.
const preloaded = 16 << 10

// quotient divides a row of sums by a number.
func (c *Call) quotient(row []byte, by int) {
	for len(row) > 0 {
		n := min(len(row)/c.width, rowBytesAtOnce/c.width)
		c.quotientPiece(row[:n*c.width], n, by)
		row = row[n*c.width:]
	}
}

//go:noinline
func (c *Call) quotientPiece(row []byte, n, by int) { c.mean.quotient(pointer(row), n, by) }
