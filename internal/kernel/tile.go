package kernel

import (
	"math"
	"sync"

	"gorgonia.org/gather/internal/num"
	"gorgonia.org/gather/internal/par"
)

// What a gradient or a mean must know of a target - how many updates it has, their
// product, the greatest - is kept for as many targets at a time as fit into the near
// caches. A tile is such a part of data with all updates that go there: some blocks,
// some columns of one, or some rows of one. No two tiles have a target or an update in
// common, so they run in any order, on any thread.
//
// A tile's arrays have an entry for each target, or where data is large and its
// updates are few, for each target that has an update.
type tile struct {
	c     *Call
	rows  span // of data, over all blocks. A row has c.Inner elements.
	lines span // of updates, likewise
	cols  span // of both

	// at is the target of each update, as a place in the tile's arrays, or where
	// a tuple picks a row, the row of each line of updates. If the lines are not
	// those of some blocks, places are the places in lines of those that it has.
	at     []int64
	places []int64
	sorted bool

	picked []int64 // the targets that are kept, as at was before they were picked
	slots  []int32 // of each target its place in picked, from 1 on. All 0 between tiles.

	counts  []int
	scratch [6][]byte
}

// tileBytes is about how many bytes there should be in those two arrays of a tile
// that a program goes through in the order of the indices: as many as are near.
// What it goes through from front to back may be farther away.
var tileBytes = 512 << 10

// UseTiles makes tiles smaller or larger until restore is called. It is for tests
// of many tiles on small data, and not safe while kernels run.
func UseTiles(bytes int) (restore func()) {
	before := tileBytes
	tileBytes = bytes
	return func() { tileBytes = before }
}

// tileGrain is how many updates a goroutine should at least have to be worth its
// start. Each takes several times as long as in a scatter.
const tileGrain = scatterGrain / 4

var tilePool = sync.Pool{New: func() any { return new(tile) }}

// tiles are all tiles of a call, as pieces.
type tiles struct {
	c   *Call
	run func(t *tile)
	// How blocks are divided: by columns, so many a tile, or by rows.
	across int // tiles of a block
	cols   int
	rows   int // of a tile, 0 if blocks are not divided by rows
	blocks int // of a tile, if they are not divided
	order  *order
	first  int // the block that the positions begin with
}

// tiles runs a program on each tile, for elements of the given width, and returns
// the position in Idx of the first bad index, or -1. Some programs need the updates
// of a tile side by side, as they are or in columns.
func (c *Call) tiles(width int, sideBySide bool, run func(t *tile)) int {
	if c.Inner == 1 {
		c.Form = Block // which is the same then
	}
	if c.Form == Block {
		for i := range c.Axes {
			c.Axes[i].Stride /= c.Inner // rows from here on
		}
	}
	w := tiles{c: c, run: run, across: 1, cols: c.Inner, blocks: 1}
	blocks, rows, updates := c.Batch*c.Outer, c.blockRows(), c.N*c.Inner
	if row := 2 * width * c.Inner; c.Form == Block && !sideBySide && rows*row > 2*tileBytes {
		w.rows = max(1, tileBytes/row)
		if blocks >= fewBlocks {
			return par.Run(&w, blocks, max(1, tileGrain/updates))
		}
		return w.byRows()
	}
	column := 2 * width * rows
	if c.picks() {
		column = max(2*width*c.N, 4*rows) // the slots
	}
	if c.Inner >= 2*pieceColumns && (blocks < fewBlocks || c.Inner*column > tileBytes) {
		w.cols = max(pieceColumns, tileBytes/column)
		if blocks < fewBlocks {
			w.cols = min(w.cols, (c.Inner+par.Threads()-1)/par.Threads())
		}
		w.cols = (w.cols + pieceColumns - 1) &^ (pieceColumns - 1)
		w.across = (c.Inner + w.cols - 1) / w.cols
		return par.Run(&w, blocks*w.across, max(1, tileGrain/(c.N*w.cols)))
	}
	w.blocks = max(1, tileBytes/64/(c.Inner*column)) // in the nearest cache
	return par.Run(&w, blocks, max(1, tileGrain/updates))
}

// byRows runs the tiles of few blocks: one after the other is put in order, and
// then its tiles are dealt out.
func (w *tiles) byRows() int {
	c := w.c
	w.order = orders.Get().(*order)
	defer orders.Put(w.order)
	for batch := range c.Batch {
		w.first = batch * c.Outer
		if bad := w.order.sort(c, w.first, w.rows); bad >= 0 {
			return bad
		}
		w.across = len(w.order.ends)
		grain := max(1, tileGrain*w.across/(c.N*c.Inner))
		if bad := par.Run(w, c.Outer*w.across, grain); bad >= 0 {
			return bad
		}
	}
	return -1
}

// blockRows is the number of rows of a block of data.
func (c *Call) blockRows() int { return c.Span / c.Inner }

// picks reports whether tiles keep only targets that have updates. To find them
// takes longer than to read some more elements.
func (c *Call) picks() bool {
	more := 2
	if c.Inner == 1 {
		more = 8
	}
	return c.blockRows()/more > c.N && c.N < math.MaxInt32/c.Inner
}

// piece runs tiles, or whole blocks.
func (w *tiles) Piece(lo, hi int) int {
	t, bad := tilePool.Get().(*tile), -1
	t.c = w.c
	for ; lo < hi && bad < 0; lo += w.blocks {
		block, part := w.first+lo/w.across, lo%w.across
		switch {
		case w.order != nil:
			w.part(t, w.order, block, part)
		case w.rows > 0:
			o := orders.Get().(*order)
			if bad = o.sort(w.c, block, w.rows); bad < 0 {
				for part := range o.ends {
					w.part(t, o, block, part)
				}
			}
			orders.Put(o)
		default:
			end := block + 1
			if w.across == 1 {
				end = min(block+w.blocks, hi)
			}
			t.setBlocks(block, end)
			t.cols = span{part * w.cols, min((part+1)*w.cols, w.c.Inner)}
			if bad = findTargetsOf(t); bad < 0 {
				t.pick()
				w.run(t)
			}
		}
	}
	t.c = nil
	tilePool.Put(t)
	return bad
}

// part runs a tile of a block in order.
func (w *tiles) part(t *tile, o *order, block, part int) {
	t.setBlocks(block, block+1)
	if o.give(t, part); len(t.at) > 0 || !w.c.picks() {
		t.pick()
		w.run(t)
	}
}

// setBlocks makes t the tile of some blocks.
func (t *tile) setBlocks(lo, hi int) {
	rows, n := t.c.blockRows(), t.c.N
	t.rows, t.lines = span{lo * rows, hi * rows}, span{lo * n, hi * n}
	t.cols, t.sorted = span{0, t.c.Inner}, false
}

// own reports whether each update has a target of its own, and not each line.
func (t *tile) own() bool { return t.c.Form == Elements || t.c.Inner == 1 }

// width is how many elements a target has.
func (t *tile) width() int {
	if t.own() {
		return 1
	}
	return t.cols.len()
}

func (s span) len() int { return s.hi - s.lo }

// targets is the number of targets that the tile's arrays are for.
func (t *tile) targets() int {
	if t.c.picks() {
		return len(t.picked)
	}
	return t.rows.len() * t.cols.len() / t.width()
}

// whole reports whether the tile's elements of data lie side by side.
func (t *tile) whole() bool { return !t.c.picks() && t.cols.len() == t.c.Inner }

// count is how often each target is one, beside the number given.
func (t *tile) count(beside int) []int {
	t.fillCounts(t.targets(), beside)
	for _, target := range t.at {
		t.counts[target]++
	}
	return t.counts
}

func (t *tile) fillCounts(n, value int) {
	t.counts = num.Resize(t.counts, n)
	for i := range t.counts {
		t.counts[i] = value
	}
}
