package kernel

import (
	"math"
	"sync"

	"gorgonia.org/gather/internal/num"
)

// What a gradient or a mean must know of a target - how many updates it has, their
// product, the greatest - is kept for as many targets at a time as fit into the near
// caches. A tile is such a part of data with all updates that go there: some blocks,
// or some columns of one. No two tiles have a target or an update in common, so
// they run in any order, on any thread.
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

// tileBytes is about how many bytes a tile's arrays and updates should have: what
// is near.
var tileBytes = 256 << 10

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
	c      *Call
	run    func(t *tile)
	across int // tiles that a block is divided into
	cols   int // of a tile, if blocks are divided by columns
	blocks int // of a tile, if they are not divided
	order  *order
}

// tiles runs a program on each tile, for elements of the given width, and returns
// the position in Idx of the first bad index, or -1. Some programs need the updates
// of a tile side by side, in columns or as they are.
func (c *Call) tiles(width int, sideBySide bool, run func(t *tile)) int {
	if c.Form == Block {
		for i := range c.Axes {
			c.Axes[i].Stride /= c.Inner // rows from here on
		}
	}
	w := tiles{c: c, run: run, across: 1, cols: c.Inner, blocks: 1}
	blocks, rows := c.Batch*c.Outer, c.blockRows()
	row := c.Inner * (3*width + 8) // three arrays and a count
	if c.Form == Block && c.Batch == 1 && !sideBySide && rows*row > 2*tileBytes {
		w.order = orders.Get().(*order)
		defer orders.Put(w.order)
		if bad := w.order.sort(c, max(1, tileBytes/row)); bad >= 0 {
			return bad
		}
		w.across = len(w.order.ends)
		return split(&w, blocks*w.across, max(1, tileGrain*w.across/(c.N*c.Inner)), false)
	}
	if c.picks() {
		rows = c.N
	}
	column := rows*(3*width+8) + c.N*(2*width+8)
	if c.Inner >= 2*pieceColumns && (blocks < fewBlocks || c.Inner*column > tileBytes) {
		w.cols = max(pieceColumns, tileBytes/column)
		if blocks < fewBlocks {
			w.cols = min(w.cols, (c.Inner+threads()-1)/threads())
		}
		w.cols = (w.cols + pieceColumns - 1) &^ (pieceColumns - 1)
		w.across = (c.Inner + w.cols - 1) / w.cols
		return split(&w, blocks*w.across, max(1, tileGrain/(c.N*w.cols)), false)
	}
	w.blocks = max(1, tileBytes/8/(c.Inner*column))
	return split(&w, blocks, max(1, tileGrain/(c.N*c.Inner)), false)
}

// blockRows is the number of rows of a block of data.
func (c *Call) blockRows() int { return c.Span / c.Inner }

// picks reports whether tiles keep only targets that have updates. To find them
// takes longer than to look at some more elements.
func (c *Call) picks() bool {
	more := 2
	if c.Inner == 1 {
		more = 8
	}
	return c.blockRows()/more > c.N && c.N < math.MaxInt32/c.Inner
}

// piece runs tiles, or whole blocks.
func (w *tiles) piece(lo, hi int) int {
	c := w.c
	t := tilePool.Get().(*tile)
	t.c, t.sorted = c, w.order != nil
	rows := c.blockRows()
	for ; lo < hi; lo += w.blocks {
		first, part := lo/w.across, lo%w.across
		end := min(lo+w.blocks, hi)
		if w.across > 1 {
			end = first + 1
		}
		t.rows, t.lines = span{first * rows, end * rows}, span{first * c.N, end * c.N}
		t.cols = span{part * w.cols, min((part+1)*w.cols, c.Inner)}
		if w.order != nil {
			t.cols = span{0, c.Inner}
			if w.order.give(t, part); len(t.at) == 0 && c.picks() {
				continue
			}
		} else if bad := findTargetsOf(t); bad >= 0 {
			return bad
		}
		t.pick()
		w.run(t)
	}
	t.c = nil
	tilePool.Put(t)
	return -1
}

func findTargetsOf(t *tile) int {
	if t.c.Idx32 {
		return findTargets[int32](t)
	}
	return findTargets[int64](t)
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

// findTargets fills at, and returns the position of the first bad index, or -1.
func findTargets[I Index](t *tile) int {
	c, idx := t.c, num.As[I](t.c.Idx)
	n, each, axis := t.cols.len(), 1, checkedAxis{}
	if c.Form == Elements {
		each, axis = n, c.axis(0, 1)
		axis.stride = int64(n)
	}
	t.at = grow(t.at, t.lines.len()*each)
	to := t.at
	for block := t.lines.lo / c.N; block < t.lines.hi/c.N; block++ {
		first, more := block/c.Outer*c.N, c.N // lines of indices
		base := int64((block*c.blockRows() - t.rows.lo) * each)
		for more > 0 {
			now := min(resolved, more)
			position, place, done := 0, 0, 0
			switch {
			case c.Form == Block:
				position = first * len(c.Axes)
				done, place = offsets(c, to[:now], idx[position:][:now*len(c.Axes)], 1)
				place += done * len(c.Axes)
			case n == c.Inner && n == 1:
				position = first
				done = resolveAxis(to[:now], idx[position:][:now], axis, 0)
				place = done
			default:
				now = 1
				position = first*c.Inner + t.cols.lo
				place = rowTargets(to[:n], idx[position:][:n], axis)
				done = place / n
			}
			if done < now {
				return position + place
			}
			if base > 0 {
				for i := range to[:now*each] {
					to[i] += base
				}
			}
			first, more, to = first+now, more-now, to[now*each:]
		}
	}
	return -1
}

// rowTargets is resolveAxis for neighbours, any number of them.
func rowTargets[I Index](to []int64, idx []I, axis checkedAxis) int {
	for done := 0; done < len(idx); {
		now := min(resolved, len(idx)-done)
		good := resolveAxis(to[done:][:now], idx[done:][:now], axis, 1)
		if done > 0 {
			for i := range to[done:][:good] {
				to[done+i] += int64(done)
			}
		}
		if done += good; good < now {
			return done
		}
	}
	return len(idx)
}

// pick leaves out the targets without updates, if they are many.
func (t *tile) pick() {
	t.picked = t.picked[:0]
	if !t.c.picks() {
		return
	}
	t.slots = grow(t.slots, t.rows.len()*t.cols.len()/t.width())
	for i, target := range t.at {
		slot := t.slots[target]
		if slot == 0 {
			t.picked = append(t.picked, target)
			slot = int32(len(t.picked))
			t.slots[target] = slot
		}
		t.at[i] = int64(slot - 1)
	}
	for _, target := range t.picked {
		t.slots[target] = 0
	}
}

// targets is the number of targets that the tile's arrays are for.
func (t *tile) targets() int {
	if t.c.picks() {
		return len(t.picked)
	}
	return t.rows.len() * t.cols.len() / t.width()
}

// whole reports whether the tile's elements of data lie side by side.
func (t *tile) whole() bool { return !t.c.picks() && t.cols.len() == t.c.Inner }

// room is the scratch of that number, for an element of each target.
func room[T any](t *tile, i int) []T {
	var element [1]T
	n := t.targets() * t.width()
	// There is room for one more, see shareTied, and for 64 bytes, which are aligned.
	t.scratch[i] = grow(t.scratch[i], max(64, (n+1)*len(num.Bytes(element[:]))))
	return num.As[T](t.scratch[i])[:n]
}

// load is the tile's part of memory that is like data: that memory itself, or a
// copy in the scratch of that number.
func load[T any](t *tile, from []T, i int) []T {
	if t.whole() {
		return from[t.rows.lo*t.c.Inner : t.rows.hi*t.c.Inner]
	}
	return loadCopy(t, from, i)
}

// loadCopy is load with a copy in any case.
func loadCopy[T any](t *tile, from []T, i int) []T {
	to := room[T](t, i)
	t.eachRow(func(at, place, n int) { copyAny(to[at:][:n], from[place:][:n]) })
	return to
}

// result is where to work out the tile's part of out, which is then given to
// store: the memory itself, or the scratch of that number.
func result[T any](t *tile, out []T, i int) []T {
	if t.whole() {
		return load(t, out, i)
	}
	return room[T](t, i)
}

// into is a result that begins with what is in from.
func into[T any](t *tile, out, from []T, i int) []T {
	if !t.whole() {
		return loadCopy(t, from, i)
	}
	to := load(t, out, i)
	if from := load(t, from, i); len(to) > 0 && &to[0] != &from[0] {
		copyAny(to, from)
	}
	return to
}

// store writes a result to out, if it is not there already.
func store[T any](t *tile, out, values []T) {
	if !t.whole() {
		t.eachRow(func(at, place, n int) { copyAny(out[place:][:n], values[at:][:n]) })
	}
}

// eachRow calls do for the elements of data that the tile's arrays are for: n of
// them from a place in data on, and from at on in the arrays.
func (t *tile) eachRow(do func(at, place, n int)) {
	inner, n := t.c.Inner, t.cols.len()
	switch {
	case t.whole():
		do(0, t.rows.lo*inner, t.rows.len()*inner)
	case !t.c.picks():
		for r := range t.rows.len() {
			do(r*n, (t.rows.lo+r)*inner+t.cols.lo, n)
		}
	case t.own() && n == 1:
		for i, target := range t.picked {
			do(i, t.rows.lo+int(target), 1)
		}
	case t.own():
		for i, target := range t.picked {
			do(i, (t.rows.lo+int(target)/n)*inner+t.cols.lo+int(target)%n, 1)
		}
	default:
		for i, row := range t.picked {
			do(i*n, (t.rows.lo+int(row))*inner+t.cols.lo, n)
		}
	}
}

// A step works on some updates, from the item on, whose targets are base+at[i].
type step func(at []int64, base, item int)

// forwards takes the updates in their order.
func (t *tile) forwards(do step) {
	if n := t.cols.len(); t.own() {
		for l := range t.runs() {
			t.ownRun(l, do)
		}
	} else {
		for l := range t.at {
			t.row(l, n, do)
		}
	}
}

// backwards takes the last update first. The step must, too.
func (t *tile) backwards(do step) {
	if n := t.cols.len(); t.own() {
		for l := t.runs() - 1; l >= 0; l-- {
			t.ownRun(l, do)
		}
	} else {
		for l := len(t.at) - 1; l >= 0; l-- {
			t.row(l, n, do)
		}
	}
}

// runs is how many runs of neighbours the updates with targets of their own are.
func (t *tile) runs() int {
	if t.cols.len() == t.c.Inner {
		return 1
	}
	return t.lines.len()
}

func (t *tile) ownRun(l int, do step) {
	n, inner := t.cols.len(), t.c.Inner
	switch {
	case t.sorted:
		do(t.at, 0, 0) // see items
	case n == inner:
		do(t.at, 0, t.lines.lo*inner)
	default:
		do(t.at[l*n:][:n], 0, (t.lines.lo+l)*inner+t.cols.lo)
	}
}

// row takes a line of n updates whose target is a row. No two of them meet.
func (t *tile) row(l, n int, do step) {
	line := l
	if t.sorted {
		line = int(t.places[l])
	}
	item, base := (t.lines.lo+line)*t.c.Inner+t.cols.lo, int(t.at[l])*n
	for n > resolved {
		do(inOrder[:resolved], base, item)
		item, base, n = item+resolved, base+resolved, n-resolved
	}
	do(inOrder[:n], base, item)
}

// items are what steps find the tile's part of memory in that is like updates: that
// memory itself or, where a step could not take many at a time, a copy in the
// scratch of that number.
func items[T any](t *tile, from []T, i int) []T {
	if !t.sorted || !t.own() {
		return from
	}
	to := newItems(t, from, i)
	from = from[t.lines.lo:]
	for j, place := range t.places {
		to[j] = from[place]
	}
	return to
}

// newItems are items to be written, and given to putItems.
func newItems[T any](t *tile, out []T, i int) []T {
	if !t.sorted || !t.own() {
		return out
	}
	var element [1]T
	t.scratch[i] = grow(t.scratch[i], max(64, len(t.at)*len(num.Bytes(element[:]))))
	return num.As[T](t.scratch[i])[:len(t.at)]
}

// putItems writes items to out, if they are not there already.
func putItems[T any](t *tile, out, values []T) {
	if !t.sorted || !t.own() {
		return
	}
	out = out[t.lines.lo:]
	for j, place := range t.places {
		out[place] = values[j]
	}
}

// count is how often each target is one, beside the number given.
func (t *tile) count(beside int) []int {
	t.fillCounts(t.targets(), beside)
	for _, target := range t.at {
		t.counts[target]++
	}
	return t.counts
}

func (t *tile) fillCounts(n, value int) {
	t.counts = grow(t.counts, n)
	for i := range t.counts {
		t.counts[i] = value
	}
}
