package adjoint

import (
	"math/bits"
	"sync"

	"gorgonia.org/gather/internal/num"
)

// order is the lines of updates of a block, sorted by tiles: the lines of the rows of one
// tile, whose number is a power of 2, are side by side, in the order that they had.
type order struct {
	shift       int // of a row, for the number of its tile
	lines, rows []int64
	ends        []int // of each tile
}

var orders = sync.Pool{New: func() any { return new(order) }}

// sort sorts the lines of a block by tiles of at most so many rows. It returns the
// position in Idx of the first bad index, or -1.
func (o *order) sort(g *geometry, block, rows int) int {
	t := tilePool.Get().(*tile)
	defer func() {
		t.geometry = nil
		tilePool.Put(t)
	}()
	t.geometry = g
	t.setBlocks(block, block+1)
	if bad := t.resolve(); bad >= 0 {
		return bad
	}
	o.shift = bits.Len(uint(rows)) - 1
	o.ends = num.Resize(o.ends, (g.rows-1)>>o.shift+1)
	clear(o.ends)
	for _, row := range t.targets {
		o.ends[row>>o.shift]++
	}
	first := 0
	for part, n := range o.ends {
		o.ends[part] = first
		first += n
	}
	o.lines, o.rows = num.Resize(o.lines, g.n), num.Resize(o.rows, g.n)
	for l, row := range t.targets {
		next := &o.ends[row>>o.shift]
		o.lines[*next], o.rows[*next] = int64(l), row
		*next++
	}
	return -1
}

// assign makes t the tile of that number of its block.
func (o *order) assign(t *tile, number int) {
	from := 0
	if number > 0 {
		from = o.ends[number-1]
	}
	first := number << o.shift
	t.byRows = true
	t.inTile = o.lines[from:o.ends[number]]
	t.targets = append(t.targets[:0], o.rows[from:o.ends[number]]...)
	for l := range t.targets {
		t.targets[l] -= int64(first)
	}
	t.rows = interval{t.rows.lo + first, min(t.rows.lo+first+1<<o.shift, t.rows.hi)}
}
