package kernel

import (
	"sync"

	"gorgonia.org/gather/internal/par"
)

// A walk is divided into pieces, each of which is some steps of one of its loops
// and all of the others. So the pieces of a scatter do not meet in data, and each
// has its indices in row-major order.

// maxDims is how many loops a fast walk has at most. A walk with more of them,
// which no tensor of a sensible rank has, takes one step at a time.
const maxDims = 32

// piece is the steps lo to hi of the loop that the call is divided by, and all of
// the other loops.
type piece struct {
	odometer
	buf    [maxDims]Dim
	counts [maxDims]int
}

// pieceMemory is for pieces: on the stack they would not stay, as their slices
// point into them.
var pieceMemory = sync.Pool{New: func() any { return new(threePieces) }}

// threePieces is what the walks need: a piece, and two that it may be split into.
type threePieces struct{ piece, slab, rest piece }

// empty makes it a piece without loops, at the start.
func (p *piece) empty() {
	p.odometer = odometer{dims: p.buf[:0], count: p.counts[:0]}
	p.counts = [maxDims]int{}
}

// add adds a loop.
func (p *piece) add(d Dim) {
	p.dims = append(p.dims, d)
	p.count = p.counts[:len(p.dims)]
}

// cutDims sets the loops of a piece, and their start.
func (p *piece) cutDims(c *Call, lo, hi int) {
	p.empty()
	for _, d := range c.Dims {
		p.add(d)
	}
	if len(p.dims) > 0 {
		d := &p.dims[c.divided]
		p.items, p.data, p.idx = lo*d.Items, lo*d.Data, lo*d.Idx
		d.N = hi - lo
	}
}

// take removes a loop and returns it.
func (p *piece) take(i int) Dim {
	d := p.dims[i]
	p.dims = append(p.dims[:i], p.dims[i+1:]...)
	p.count = p.count[:len(p.dims)]
	return d
}

// runWalk runs a loop over pieces of the walk. Those of a scatter are cut from a
// loop that moves in data; where data has elements twice, the walk is not cut, and
// the loop must go in row-major order.
func (c *Call) runWalk(loop Loop, scatter bool) int {
	n, size := 1, 1
	for _, d := range c.Dims {
		size *= d.N
	}
	if size == 0 {
		return -1
	}
	c.divided = 0
	for i, d := range c.Dims {
		if d.N > n && (!scatter || d.Data != 0) {
			c.divided, n = i, d.N
		}
	}
	each := size / n
	if len(c.Dims) > 0 && (n == 1 || scatter && !c.distinct()) {
		c.divided = 0
		return c.first(c.undone(c.startedWalk(loop, size)(c, 0, c.Dims[0].N)))
	}
	loop = c.startedWalk(loop, max(startedWalk/each, min(4*copyTile, n)))
	least := par.Grain(max(c.width, 16) * each)
	if scatter {
		least = max(1, scatterGrain/each)
	}
	if !c.itemWalk() || c.divided == len(c.Dims)-1 {
		// Pieces are not so narrow that tiles are, if two goroutines can have one.
		least = max(least, min(4*copyTile, n/2))
	}
	return c.first(c.undone(c.Run(loop, n, least)))
}

// startedWalk is how many positions of a walk a reduction without the old value starts
// at a time.
const startedWalk = 16 << 10

// startedWalk is the loop with the start of what the indices pick before it, for so many
// steps of the loop that the walk is divided by at a time.
func (c *Call) startedWalk(loop Loop, each int) Loop {
	if c.stages.start == nil {
		return loop
	}
	c.stages.then, c.stages.each = loop, each
	return inStages
}

// distinct reports whether no two positions of data are one place in memory.
func (c *Call) distinct() bool {
	var buf [2 * maxDims]Axis
	all := append(buf[:0], c.Axes...)
	for _, d := range c.Dims {
		if d.Data != 0 || d.Idx == 0 {
			all = append(all, Axis{d.N, d.Data})
		}
	}
	return Distinct(all)
}

// Distinct reports whether no two positions along some axes are one place in
// memory: from the least stride up, each is beyond all that the others reach. It
// changes the axes.
func Distinct(all []Axis) bool {
	reach := 0
	for range all {
		least := -1
		for i, a := range all {
			if a.Size > 1 && (least < 0 || a.Stride < all[least].Stride) {
				least = i
			}
		}
		if least < 0 {
			return true
		}
		a := &all[least]
		if a.Stride <= reach {
			return false
		}
		reach += (a.Size - 1) * a.Stride
		a.Size = 1
	}
	return true
}

// within makes sure that all that a walk can reach is there: its loops do not look
// again. It slices and does not read: the end of memory may be another goroutine's.
func (c *Call) within() {
	item, datum := 1, 1
	for _, d := range c.Dims {
		item += (d.N - 1) * d.Items
		datum += (d.N - 1) * d.Data
	}
	_ = c.Items[item*c.width:]
	for _, a := range c.Axes {
		if a.Size == 0 {
			return // no index is good
		}
		datum += (a.Size - 1) * a.Stride
	}
	_ = c.Data[datum*c.width:]
}

// first is the position of the first bad index, if a walk has met one: it goes
// through them in another order.
func (c *Call) first(bad int) int {
	if bad >= 0 {
		if first := c.Check(); first >= 0 {
			return first
		}
	}
	return bad
}

// itemWalk reports whether each index of the walk picks one element, and runs of
// items and indices are packed: an item loop does them.
func (c *Call) itemWalk() bool {
	last := len(c.Dims) - 1
	return len(c.Axes) == 1 && c.Head > 0 && c.Head == last+1 && last < maxDims &&
		c.Dims[last].Items == 1 && c.Dims[last].Idx == 1
}

// walkItems runs a piece of an itemWalk.
func walkItems(c *Call, lo, hi int) int {
	if c.Fill {
		return c.item.walk(c, lo, hi, nil)
	}
	return c.item.walkLines(c, lo, hi)
}

// startWalkItems has a piece of an itemWalk start from the neutral element.
func startWalkItems(c *Call, lo, hi int) int { return c.startItem.walk(c, lo, hi, nil) }

// walk runs a piece of an itemWalk, with marks for all of data.
func (w *itemWork) walk(c *Call, lo, hi int, marks []byte) int {
	return c.eachRun(lo, hi, func(at walkRun) int {
		// Data whose axis has size 0 is empty: no index is good then, and nothing read.
		data := c.Data[min(at.data*c.width, len(c.Data)):]
		var marked []byte
		if marks != nil {
			marked = marks[min(at.data*w.mark, len(marks)):]
		}
		return w.run(c, data, w.from(c.Items, at.item), marked, at.idx, at.n, c.Axes[0].Stride*c.width, at.step*c.width)
	})
}

// walkLines is walk for many lines at a time, with less to do between them: a sum of
// 1024×1024 numbers into 1024 of 2048 columns takes 850 µs, line by line 927 (2 cores of a
// Zen 3, one thread).
func (w *itemWork) walkLines(c *Call, lo, hi int) int {
	memory := pieceMemory.Get().(*threePieces)
	defer pieceMemory.Put(memory)
	p := &memory.piece
	p.cutDims(c, lo, hi)
	run, line := p.take(len(p.dims)-1), Dim{N: 1}
	if last := len(p.dims) - 1; last >= 0 {
		line = p.take(last)
	}
	first := -1
	for more := true; more; more = p.step() {
		for done := 0; done < line.N; {
			some := line
			some.N = min(max(1, itemsAtOnce/run.N), line.N-done)
			start := walkRun{p.data + done*line.Data, p.items + done*line.Items, p.idx + done*line.Idx, run.N, run.Data}
			done += some.N
			if bad := w.someLines(c, start, some, first >= 0); bad < 0 || first >= 0 {
				continue
			} else if first = bad; c.lines == nil {
				return first
			}
		}
	}
	return first
}

// someLines runs some lines, of which start is the first, and keeps each before, if data
// is kept. At a bad index it still keeps the rest: what has been kept must be complete.
// It does nothing else if the work is over.
//
//go:noinline
func (w *itemWork) someLines(c *Call, start walkRun, line Dim, over bool) int {
	n, size := start.n, c.Axes[0].Size
	stride, step, next := c.Axes[0].Stride*c.width, start.step*c.width, line.Data*c.width
	data := c.Data[min(start.data*c.width, len(c.Data)):] // which is empty where no index is good
	items, apart := w.from(c.Items, start.item), line.Items*w.apart()
	indexSize, lift := c.indexBytes(), int(c.lift(size))
	idx := c.Idx[start.idx*indexSize:][:((line.N-1)*line.Idx+n)*indexSize]
	// The assembly reads and writes what is checked here to be there.
	if size > 0 {
		_ = data[(line.N-1)*next+(size-1)*stride+(n-1)*step+w.bytes-1]
	}
	_ = items[(line.N-1)*apart+(n-1)*w.apart()+w.bytes-1]
	bad := -1
	for l := range line.N {
		first := start.idx + l*line.Idx
		if c.lines != nil {
			c.stages.copy(c.keptLine(first), data[l*next:][:c.lineBytes()])
		}
		switch {
		case over:
			continue
		case n > itemsAtOnce:
			bad = w.run(c, data[min(l*next, len(data)):], items[l*apart:], nil, first, n, stride, step)
		default:
			if t := w.loop(at(data, l*next), at(items, l*apart), &idx[l*line.Idx*indexSize], n, size, lift, stride, step); t < n {
				bad = first + t
			}
		}
		if over = bad >= 0; over && c.lines == nil {
			return bad
		}
	}
	return bad
}

// walkRun is n items of an itemWalk side by side, with where they and their indices begin,
// where data does that the first index may pick, and how far it is from there to the next.
type walkRun struct{ data, item, idx, n, step int }

// eachRun calls do for the runs of a piece of an itemWalk, until it returns the position
// of a bad index.
func (c *Call) eachRun(lo, hi int, do func(at walkRun) int) int {
	memory := pieceMemory.Get().(*threePieces)
	defer pieceMemory.Put(memory)
	p := &memory.piece
	p.cutDims(c, lo, hi)
	last := p.take(len(p.dims) - 1)
	for more := true; more; more = p.step() {
		if bad := do(walkRun{p.data, p.items, p.idx, last.N, last.Data}); bad >= 0 {
			return bad
		}
	}
	return -1
}
