package kernel

import "math/bits"

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
	row, ahead := c.rowBytes(), distance(c.rowBytes())
	rows, shift := c.Span/c.Inner, bits.TrailingZeros(uint(row))
	number := func(at int64) int { // a shift where it can be
		if row == 1<<shift {
			return int(at >> shift)
		}
		return int(at) / row
	}
	bad := eachPicks[byte, I](c, lo, hi, c.width, func(r picks[byte]) {
		counts := counts[(r.number-first)*rows:][:rows]
		for _, at := range r.at {
			count := &counts[number(at)]
			if *count == 0 && c.NoInit {
				clearAny(r.block[at:][:row])
			}
			*count++
		}
		c.row.run(pointer(r.block), pointer(r.updates), &r.at[0], &r.rows[0], len(r.at), row, row, ahead)
	})
	if bad >= 0 {
		return bad
	}
	return eachPicks[byte, I](c, lo, hi, c.width, func(r picks[byte]) {
		counts := counts[(r.number-first)*rows:][:rows]
		for _, at := range r.at {
			count := &counts[number(at)]
			if n := int(*count); n > 0 {
				*count = 0
				c.quotient(r.block[at:][:row], n+c.more())
			}
		}
	})
}

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
