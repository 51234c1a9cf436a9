package adjoint

import (
	"math/bits"
	"sync"

	"gorgonia.org/gather/internal/num"
	"gorgonia.org/gather/internal/par"
)

// order is the lines of updates of a block, sorted by tiles: the lines of the rows of one
// tile, whose number is a power of 2, are side by side, in the order that they had.
type order struct {
	shift       int // of a row, for the number of its tile
	lines, rows []int64
	ends        []int // of each tile

	*tiles
	first int // the block
}

var orders = sync.Pool{New: func() any { return new(order) }}

// runByRows runs the tiles of some blocks that have the same tuples: the updates are put in
// order, and then the tiles are divided between goroutines.
func (w *tiles) runByRows(first, blocks, grains int) int {
	o := orders.Get().(*order)
	o.tiles, o.first = w, first
	bad := o.sort()
	if bad < 0 {
		bad = par.Run(o, blocks*len(o.ends), grains)
	}
	o.tiles = nil
	orders.Put(o)
	return bad
}

// sort sorts the lines of the block by tiles. It returns the position in Idx of the first
// bad index, or -1.
func (o *order) sort() int {
	t := tileOf(&o.geometry)
	defer t.release()
	t.setBlocks(o.first, o.first+1)
	if bad := t.resolve(); bad >= 0 {
		return bad
	}
	o.shift = bits.Len(uint(o.tileRows)) - 1
	o.ends = num.Resize(o.ends, (o.Rows-1)>>o.shift+1)
	clear(o.ends)
	for _, row := range t.targets {
		o.ends[row>>o.shift]++
	}
	first := 0
	for part, n := range o.ends {
		o.ends[part] = first
		first += n
	}
	o.lines, o.rows = num.Resize(o.lines, o.N), num.Resize(o.rows, o.N)
	for l, row := range t.targets {
		next := &o.ends[row>>o.shift]
		o.lines[*next], o.rows[*next] = int64(l), row
		*next++
	}
	return -1
}

// Piece runs tiles of blocks whose updates are in order.
func (o *order) Piece(lo, hi int) int {
	t := tileOf(&o.geometry)
	defer t.release()
	for ; lo < hi; lo++ {
		block, part := o.first+lo/len(o.ends), lo%len(o.ends)
		t.setBlocks(block, block+1)
		if o.assign(t, part); len(t.targets) > 0 || !o.sparse {
			o.runTile(t)
		}
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
