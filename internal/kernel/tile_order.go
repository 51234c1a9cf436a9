package kernel

import (
	"math/bits"
	"sync"

	"gorgonia.org/gather/internal/num"
)

// order is the lines of updates of a block in the order of their rows, as far as
// tiles go: those of the rows of one tile, which are a power of 2, lie together, in
// the order that they had.
type order struct {
	shift       int // of a row, for the number of its tile
	lines, rows []int64
	ends        []int // of each tile
}

var orders = sync.Pool{New: func() any { return new(order) }}

// sort sorts the lines of a block by tiles of at most so many rows. It returns the
// position in Idx of the first bad index, or -1.
func (o *order) sort(c *Call, block, rows int) int {
	t := tilePool.Get().(*tile)
	t.c = c
	t.setBlocks(block, block+1)
	if bad := findTargetsOf(t); bad >= 0 {
		return bad
	}
	o.shift = bits.Len(uint(rows)) - 1
	o.ends = num.Resize(o.ends, (c.blockRows()-1)>>o.shift+1)
	clear(o.ends)
	for _, row := range t.at {
		o.ends[row>>o.shift]++
	}
	first := 0
	for tile, n := range o.ends {
		o.ends[tile] = first
		first += n
	}
	o.lines, o.rows = num.Resize(o.lines, c.N), num.Resize(o.rows, c.N)
	for l, row := range t.at {
		place := &o.ends[row>>o.shift]
		o.lines[*place], o.rows[*place] = int64(l), row
		*place++
	}
	t.c = nil
	tilePool.Put(t)
	return -1
}

// give gives a tile the lines and rows that are its own.
func (o *order) give(t *tile, number int) {
	from := 0
	if number > 0 {
		from = o.ends[number-1]
	}
	first := number << o.shift
	t.sorted = true
	t.places = o.lines[from:o.ends[number]]
	t.at = append(t.at[:0], o.rows[from:o.ends[number]]...)
	for l := range t.at {
		t.at[l] -= int64(first)
	}
	t.rows = span{t.rows.lo + first, min(t.rows.lo+first+1<<o.shift, t.rows.hi)}
}
