package adjoint

import (
	"math"
	"sync"

	"gorgonia.org/gather/internal/kernel"
	"gorgonia.org/gather/internal/num"
	"gorgonia.org/gather/internal/par"
)

// A tile is a part of data with all updates that go there: some blocks, some columns of
// one, or some rows of one. No two tiles have a target or an update in common, so they run
// in any order, on any thread.
//
// A tile's arrays have an entry for each target or, where data is large and updates are
// few, for each target that has an update.
type tile struct {
	*geometry
	rows    interval // of data, over all blocks
	lines   interval // of updates, likewise
	columns interval // of both

	// targets is the target of each update, as an index of the tile's arrays or, where a
	// tuple addresses a row, the row of each line of updates.
	targets []int64
	// inTile are the lines of the block's updates that go to the tile, in order, if it is
	// some rows of a block.
	inTile []int64
	byRows bool

	seen  []int64 // the targets that have updates, if the arrays are for those alone
	slots []int32 // of each target its index in seen, from 1 on. All 0 between tiles.

	counts  []int
	scratch [6][]byte
}

// interval is lo, lo+1 … hi-1.
type interval struct{ lo, hi int }

func (s interval) len() int { return s.hi - s.lo }

// Geometry is how a scatter of packed tensors divides: blocks of rows of inner elements, and N
// lines of updates for each. Outer blocks in a row have the same tuples.
type Geometry struct {
	Blocks, Outer, N, Inner, Rows int
	// Elements says that each update has an index of its own, on its own line along the axis.
	Elements bool
}

// geometry is a Geometry with what follows from it.
type geometry struct {
	call            *kernel.Call
	lineByLine      bool // a tuple addresses a row, which is the target of a line of updates
	indexed         bool // each update has an index of its own, on its own line along the axis
	blocks, outer   int  // outer blocks have the same tuples
	rows, n, inner  int
	sparse          bool // the arrays are for targets with updates alone: to find them takes longer than to read some more elements
	updatesPerBlock int
}

func (s *Scatter) geometry() geometry {
	d := &s.Geometry
	g := geometry{call: s.Call, blocks: d.Blocks, outer: d.Outer, rows: d.Rows, n: d.N, inner: d.Inner, updatesPerBlock: d.N * d.Inner}
	g.indexed = d.Elements && d.Inner > 1 // with one column it is like tuples
	g.lineByLine = !g.indexed && d.Inner > 1
	density := 2
	if d.Inner == 1 {
		density = 8
	}
	g.sparse = g.rows/density > d.N && d.N < math.MaxInt32/d.Inner
	return g
}

// tileBytes is about how many bytes there should be in those two arrays of a tile
// that a program accesses in the order of the indices: as many as fit into the near
// caches. What it reads from front to back may be larger.
var tileBytes = 512 << 10

// UseTiles makes tiles smaller or larger until restore is called. It is for tests
// of many tiles on small data, and not safe while kernels run.
func UseTiles(bytes int) (restore func()) {
	before := tileBytes
	tileBytes = bytes
	return func() { tileBytes = before }
}

const (
	// grain is how many updates a goroutine should have at least.
	grain = 4 << 10
	// leastColumns is how many columns a tile has at least: a cache line of float32.
	leastColumns = 16
	// fewBlocks is how many blocks are divided between goroutines as they are: fewer would
	// leave one of four cores with nothing to do.
	fewBlocks = 4
)

var tilePool = sync.Pool{New: func() any { return new(tile) }}

// tiles are all tiles of a call. Pieces are some of them, or of its blocks.
type tiles struct {
	geometry
	run func(t *tile)
	// How a block is divided: by columns, or by rows.
	perBlock    int // tiles of a block
	tileColumns int
	tileRows    int    // 0 if blocks are not divided by rows
	tileBlocks  int    // of a tile, if they are not divided
	order       *order // of the only block, if it is divided by rows
	first       int    // the block that the positions begin with
}

// run runs a program on each tile, and returns
// the position in Idx of the first bad index, or -1. Some programs need the updates
// of a tile side by side, as they are or in columns.
func (s *Scatter) run(sideBySide bool, run func(t *tile)) int {
	width := s.Kind.Width()
	w := tiles{geometry: s.geometry(), run: run, perBlock: 1, tileColumns: s.Geometry.Inner, tileBlocks: 1}
	few := w.blocks < fewBlocks
	if row := 2 * width * w.inner; !w.indexed && !sideBySide && w.rows*row > 2*tileBytes {
		w.tileRows = max(1, tileBytes/row)
		if few {
			return w.runByRows()
		}
		return par.Run(&w, w.blocks, w.grains(w.blocks))
	}
	column := 2 * width * w.rows
	if w.sparse {
		column = max(2*width*w.n, 4*w.rows) // the slots
	}
	if w.inner >= 2*leastColumns && (few || w.inner*column > tileBytes) {
		w.tileColumns = max(leastColumns, tileBytes/column)
		if few {
			w.tileColumns = min(w.tileColumns, (w.inner+par.Threads()-1)/par.Threads())
		}
		w.tileColumns = (w.tileColumns + leastColumns - 1) &^ (leastColumns - 1)
		w.perBlock = (w.inner + w.tileColumns - 1) / w.tileColumns
		return par.Run(&w, w.blocks*w.perBlock, w.grains(w.blocks))
	}
	w.tileBlocks = max(1, tileBytes/64/(w.inner*column)) // in the nearest cache
	return par.Run(&w, w.blocks, w.grains(w.blocks))
}

// grains is how many grains some blocks are, for package par.
func (w *tiles) grains(blocks int) int { return blocks * w.updatesPerBlock / grain }

// runByRows runs the tiles of few blocks: the updates of one after the other are put in
// order, and then its tiles are divided between goroutines.
func (w *tiles) runByRows() int {
	w.order = orders.Get().(*order)
	defer orders.Put(w.order)
	for w.first = 0; w.first < w.blocks; w.first += w.outer {
		if bad := w.order.sort(&w.geometry, w.first, w.tileRows); bad >= 0 {
			return bad
		}
		w.perBlock = len(w.order.ends)
		if bad := par.Run(w, w.outer*w.perBlock, w.grains(w.outer)); bad >= 0 {
			return bad
		}
	}
	return -1
}

// Piece runs tiles, or whole blocks.
func (w *tiles) Piece(lo, hi int) int {
	t, bad := tilePool.Get().(*tile), -1
	t.geometry = &w.geometry
	for ; lo < hi && bad < 0; lo += w.tileBlocks {
		block, part := w.first+lo/w.perBlock, lo%w.perBlock
		switch {
		case w.order != nil:
			w.runPart(t, w.order, block, part)
		case w.tileRows > 0:
			o := orders.Get().(*order)
			if bad = o.sort(&w.geometry, block, w.tileRows); bad < 0 {
				for part := range o.ends {
					w.runPart(t, o, block, part)
				}
			}
			orders.Put(o)
		default:
			end := block + 1
			if w.perBlock == 1 {
				end = min(block+w.tileBlocks, hi)
			}
			t.setBlocks(block, end)
			t.columns = interval{part * w.tileColumns, min((part+1)*w.tileColumns, w.inner)}
			if bad = t.resolve(); bad < 0 {
				t.findSeen()
				w.run(t)
			}
		}
	}
	t.geometry = nil
	tilePool.Put(t)
	return bad
}

// runPart runs a tile of a block whose updates are in order.
func (w *tiles) runPart(t *tile, o *order, block, part int) {
	t.setBlocks(block, block+1)
	if o.assign(t, part); len(t.targets) > 0 || !w.sparse {
		t.findSeen()
		w.run(t)
	}
}

// setBlocks makes t the tile of some blocks.
func (t *tile) setBlocks(lo, hi int) {
	rows, n := t.geometry.rows, t.n
	t.rows, t.lines = interval{lo * rows, hi * rows}, interval{lo * n, hi * n}
	t.columns, t.byRows = interval{0, t.inner}, false
}

// width is how many elements a target has.
func (t *tile) width() int {
	if t.lineByLine {
		return t.columns.len()
	}
	return 1
}

// size is the number of targets that the tile's arrays are for.
func (t *tile) size() int {
	if t.sparse {
		return len(t.seen)
	}
	return t.rows.len() * t.columns.len() / t.width()
}

// contiguous reports whether the tile's elements of data lie side by side.
func (t *tile) contiguous() bool { return !t.sparse && t.columns.len() == t.inner }

// count is how often each target is one, beside the number given.
func (t *tile) count(beside int) []int {
	t.fillCounts(t.size(), beside)
	for _, target := range t.targets {
		t.counts[target]++
	}
	return t.counts
}

func (t *tile) fillCounts(n, value int) {
	t.counts = num.Resize(t.counts, n)
	fill(t.counts, value)
}
