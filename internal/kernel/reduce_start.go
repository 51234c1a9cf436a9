package kernel

import "sync"

// Without the old value a reduction starts from its neutral element. What the
// indices pick is set to it first, block by block where that can be, so that the
// reduction finds the block in the cache. Rows that are too many for that are set
// one by one, right before the first update of each: that one costs a map.

// touchedLeast is from how many bytes of rows on there is a map of them. The
// nearer caches keep fewer until they are updated.
const touchedLeast = 256 << 10

// touchedMemory is for maps, for the next call, too.
var touchedMemory = sync.Pool{New: func() any { return new([]byte) }}

// touch makes a map of the rows of data, with a byte for each, if it is worth it.
func (c *Call) touch(blocks int) bool {
	rows, items := blocks*(c.Span/c.Inner), blocks*c.N*c.rowBytes()
	if c.Inner == 1 || items < touchedLeast || 8*rows > items {
		return false
	}
	c.touches, c.touched = marksOf(rows)
	clearAny(c.touched)
	return true
}

func (c *Call) untouch() {
	if c.touches != nil {
		touchedMemory.Put(c.touches)
		c.touches, c.touched = nil, nil
	}
}

// startTouched sets the rows that have not been touched before to the neutral
// element.
func (c *Call) startTouched(r picks[byte]) {
	row := c.rowBytes()
	touched := c.touched[r.number*(c.Span/c.Inner):][:c.Span/c.Inner]
	for _, at := range r.at {
		if t := &touched[int(at)/row]; *t == 0 {
			*t = 1
			fillRow(r.block[at:][:row], c.neutral)
		}
	}
}

// startRows sets all rows that the indices pick to the neutral element.
func startRows[I Index](c *Call, lo, hi int) int {
	row := c.rowBytes()
	fill := inGo.fillOffset[log2(c.width)]
	return eachPicks[byte, I](c, lo, hi, c.width, func(r picks[byte]) {
		if c.Inner == 1 {
			fill(pointer(r.block), pointer(c.neutral), &r.at[0], len(r.at), row, 0, 0)
			return
		}
		for _, at := range r.at {
			fillRow(r.block[at:][:row], c.neutral)
		}
	})
}

// fillRow fills a row with the elements that there are, again and again, in ever larger
// copies.
func fillRow(row, elements []byte) {
	for n := copy(row, elements); n < len(row); {
		more := min(n, len(row)-n, copiedBefore)
		copyAny(row[n:n+more], row[:more])
		n += more
	}
}
