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
	Geometry
	call       *kernel.Call
	indexed    bool // each update has an index of its own, on its own line along the axis
	lineByLine bool // a tuple addresses a row, which is the target of a line of updates
	sparse     bool // the arrays are for targets with updates alone: to find them takes longer than to read some more elements
}

func (s *Scatter) geometry() geometry {
	d, density := s.Geometry, 2
	if d.Inner == 1 {
		density = 8
	}
	// With one column elements are like tuples.
	return geometry{
		Geometry: d, call: s.Call, indexed: d.Elements && d.Inner > 1, lineByLine: !d.Elements && d.Inner > 1,
		sparse: d.Rows/density > d.N && d.N < math.MaxInt32/d.Inner,
	}
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

// tiles are all tiles of a call. Pieces are some of them or, if blocks are divided by rows, of
// those.
type tiles struct {
	geometry
	run         func(t *tile)
	perBlock    int // tiles of a block
	tileColumns int
	tileBlocks  int // of a tile, if they are not divided
	tileRows    int // 0 if blocks are not divided by rows
}

// run runs a program on each tile, and returns
// the position in Idx of the first bad index, or -1. Some programs need the updates
// of a tile side by side, as they are or in columns.
func (s *Scatter) run(sideBySide bool, run func(t *tile)) int {
	width := s.Kind.Width()
	w := tiles{geometry: s.geometry(), run: run, perBlock: 1, tileColumns: s.Geometry.Inner, tileBlocks: 1}
	few := w.Blocks < fewBlocks
	row, column := 2*width*w.Inner, 2*width*w.Rows
	if w.sparse {
		column = max(2*width*w.N, 4*w.Rows) // the slots
	}
	switch {
	case !w.indexed && !sideBySide && w.Rows*row > 2*tileBytes:
		w.tileRows = max(1, tileBytes/row)
		if few {
			bad := -1
			for block := 0; block < w.Blocks && bad < 0; block += w.Outer {
				bad = w.runByRows(block, w.Outer, w.grains(w.Outer))
			}
			return bad
		}
	case w.Inner >= 2*leastColumns && (few || w.Inner*column > tileBytes):
		w.tileColumns = max(leastColumns, tileBytes/column)
		if few {
			w.tileColumns = min(w.tileColumns, (w.Inner+par.Threads()-1)/par.Threads())
		}
		w.tileColumns = (w.tileColumns + leastColumns - 1) &^ (leastColumns - 1)
		w.perBlock = (w.Inner + w.tileColumns - 1) / w.tileColumns
	default:
		w.tileBlocks = max(1, tileBytes/64/(w.Inner*column)) // in the nearest cache
	}
	return par.Run(&w, w.Blocks*w.perBlock, w.grains(w.Blocks))
}

// grains is how many grains some blocks are, for package par.
func (w *tiles) grains(blocks int) int { return blocks * w.N * w.Inner / grain }

// Piece runs tiles, or whole blocks.
func (w *tiles) Piece(lo, hi int) int {
	t, bad := tileOf(&w.geometry), -1
	defer t.release()
	for ; lo < hi && bad < 0; lo += w.tileBlocks {
		if w.tileRows > 0 {
			bad = w.runByRows(lo, 1, 0)
			continue
		}
		block, part := lo/w.perBlock, lo%w.perBlock
		t.setBlocks(block, min(block+w.tileBlocks, (hi-1)/w.perBlock+1))
		t.columns = interval{part * w.tileColumns, min((part+1)*w.tileColumns, w.Inner)}
		if bad = t.resolve(); bad < 0 {
			w.runTile(t)
		}
	}
	return bad
}

func (w *tiles) runTile(t *tile) {
	t.findSeen()
	w.run(t)
}

func tileOf(g *geometry) *tile {
	t := tilePool.Get().(*tile)
	t.geometry = g
	return t
}

func (t *tile) release() {
	t.geometry = nil
	tilePool.Put(t)
}

// setBlocks makes t the tile of some blocks.
func (t *tile) setBlocks(lo, hi int) {
	t.rows, t.lines = interval{lo * t.Rows, hi * t.Rows}, interval{lo * t.N, hi * t.N}
	t.columns, t.byRows = interval{0, t.Inner}, false
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
func (t *tile) contiguous() bool { return !t.sparse && t.columns.len() == t.Inner }

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
	num.Fill(t.counts, value)
}
