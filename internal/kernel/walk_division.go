package kernel

import "sync"

// A walk is divided into chunks, each of which is some steps of one of its loops
// and all of the others. So the chunks of a scatter do not meet in data, and each
// has its indices in row-major order.

// maxDims is how many loops a fast walk has at most. A walk with more of them,
// which no tensor of a sensible rank has, takes one step at a time.
const maxDims = 32

// chunk is the steps lo to hi of the loop that the call is divided by, and all of
// the other loops.
type chunk struct {
	odometer
	buf    [maxDims]Dim
	counts [maxDims]int
}

// walkChunks is what the walks need: a chunk, and two that it may be split into.
type walkChunks struct{ chunk, slab, rest chunk }

// walkChunksPool holds *walkChunks: on the stack they would not stay, as their slices point
// into them.
var walkChunksPool = sync.Pool{New: func() any { return new(walkChunks) }}

// empty makes it a chunk without loops, at the start.
func (p *chunk) empty() {
	p.odometer = odometer{dims: p.buf[:0], count: p.counts[:0]}
	p.counts = [maxDims]int{}
}

// add adds a loop.
func (p *chunk) add(d Dim) {
	p.dims = append(p.dims, d)
	p.count = p.counts[:len(p.dims)]
}

// setDims sets the loops of a chunk of a call, and their start.
func (p *chunk) setDims(c *Call, shared, lo, hi int) {
	p.empty()
	for _, d := range c.Dims {
		p.add(d)
	}
	if len(p.dims) > 0 {
		d := &p.dims[shared]
		p.items, p.data, p.idx = lo*d.Items, lo*d.Data, lo*d.Idx
		d.N = hi - lo
	}
}

// remove removes a loop and returns it.
func (p *chunk) remove(i int) Dim {
	d := p.dims[i]
	p.dims = append(p.dims[:i], p.dims[i+1:]...)
	p.count = p.count[:len(p.dims)]
	return d
}

// longest chooses the loop that goroutines share: the longest one, which in a scatter must
// move in data. It runs n times, or cannot be divided if that is 1. all is the number of
// positions of all loops.
func longest(dims []Dim, scatter bool) (loop, n, all int) {
	n, all = 1, 1
	for i, d := range dims {
		all *= d.N
		if d.N > n && (!scatter || d.Data != 0) {
			loop, n = i, d.N
		}
	}
	return loop, n, all
}

// distinct reports whether no two positions of data share memory.
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

// Distinct reports whether no two positions along some axes share memory:
// from the least stride up, each is beyond all that the others reach. It
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

// within makes sure that all that a walk can reach is there: its loops do not
// check again. It slices and does not read: the end of memory may be another goroutine's.
func (c *Call) within(axes []Axis, data []byte) {
	item, datum := 1, 1
	for _, d := range c.Dims {
		item += (d.N - 1) * d.Items
		datum += (d.N - 1) * d.Data
	}
	_ = c.Items[item*c.Width:]
	for _, a := range axes {
		if a.Size == 0 {
			return // no index is good
		}
		datum += (a.Size - 1) * a.Stride
	}
	_ = data[datum*c.Width:]
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

// itemWalk reports whether each index of the walk addresses one element, and runs of
// items and indices are packed: an item loop does them.
func (c *Call) itemWalk() bool {
	last := len(c.Dims) - 1
	return len(c.Axes) == 1 && c.Head > 0 && c.Head == last+1 && last < maxDims &&
		c.Dims[last].Items == 1 && c.Dims[last].Idx == 1
}
