package kernel

import (
	"sync"

	"gorgonia.org/gather/internal/num"
	"gorgonia.org/gather/internal/par"
)

// Dim is one loop of the walk form: how often it runs, and how far each step
// moves in the items, in data and in the indices, in elements. A stride of 0
// means that the loop does not move there.
type Dim struct{ N, Items, Data, Idx int }

// A LineFunc moves or combines n elements of the items and of data, which are the
// given steps apart. itemAt and dataAt are the offsets of the first ones; dataAt is
// below 0 where the index is out of range and Fill is set.
type LineFunc[T any] func(items, data []T, itemAt, dataAt, n, stepItems, stepData int)

// Nested adds an inner loop to others: it drops one that runs once, and joins it to the
// one before, unless that is below first, where the two step as one.
func Nested(dims []Dim, first int, d Dim) []Dim {
	if d.N == 1 {
		return dims
	}
	if last := len(dims) - 1; last >= first {
		outer := &dims[last]
		if outer.Items == d.N*d.Items && outer.Data == d.N*d.Data && outer.Idx == d.N*d.Idx {
			d.N *= outer.N
			*outer = d
			return dims
		}
	}
	return append(dims, d)
}

// walkGrains is how many positions a walk has, and how many grains they are.
func (c *Call) walkGrains() (n, grains int) {
	n, tail := 1, 1
	for _, d := range c.Dims[:c.Head] {
		n *= d.N
	}
	for _, d := range c.Dims[c.Head:] {
		tail *= d.N
	}
	if tail == 0 {
		n = 0
	}
	return n, par.Grains(n, max(c.Width, 16)*tail)
}

// stepLoop is a loop over a walk one index tuple at a time, in any layout, for one type
// of elements.
type stepLoop struct {
	line any // the LineFunc
	walk func(w *stepWork, lo, hi int) int
}

func stepLoopOf[T any](line LineFunc[T]) stepLoop {
	return stepLoop{line, walk[T]}
}

// stepWork is a walk by such a loop.
type stepWork struct {
	*Call
	items []byte // those of the call, or what stands for them
	line  any
	walk  func(w *stepWork, lo, hi int) int
}

var stepWorks = sync.Pool{New: func() any { return new(stepWork) }}

func (w *stepWork) Piece(lo, hi int) int { return w.walk(w, lo, hi) }

// steps runs a walk step by step, alone in one goroutine where two steps may write to the
// same element.
func (c *Call) steps(loop *stepLoop, items []byte, alone bool) int {
	n, grains := c.walkGrains()
	if n == 0 {
		return -1
	}
	w := stepWorks.Get().(*stepWork)
	defer stepWorks.Put(w)
	*w = stepWork{c, items, loop.line, loop.walk}
	if alone {
		return w.Piece(0, n)
	}
	return par.Run(w, n, grains)
}

// walk runs the positions lo to hi of the loops over index tuples, and for each the loops
// over its slab.
func walk[T any](w *stepWork, lo, hi int) int {
	c := w.Call
	items, data := num.As[T](w.items), num.As[T](c.Data)
	run := w.line.(LineFunc[T])
	tail, inner := c.Dims[c.Head:], Dim{N: 1}
	if last := len(tail) - 1; last >= 0 {
		tail, inner = tail[:last], tail[last]
	}
	units := unitsOf[T](c)
	if units > 1 {
		// Bytes lie side by side in each element. Where elements do, too, all of
		// them are one line; else each is one.
		if inner.Items == 1 && inner.Data == 1 || inner.N == 1 {
			inner.N *= units
		} else {
			tail, inner.N = c.Dims[c.Head:], units
		}
		inner.Items, inner.Data = 1, 1
	}
	var buf [32]int // the loop counters of every rank but the absurd
	counters := buf[:]
	if len(c.Dims) > len(buf) {
		counters = make([]int, len(c.Dims))
	}
	head := odometer{dims: c.Dims[:c.Head], count: counters[:c.Head]}
	slab := odometer{dims: tail, count: counters[c.Head:]}
	head.skip(lo)
	for range hi - lo {
		at, bad := c.resolve(head.idx)
		if bad >= 0 && !c.Fill {
			return head.idx + bad
		}
		for more := true; more; more = slab.step() {
			datum := -1
			if bad < 0 {
				datum = (head.data + at + slab.data) * units
			}
			run(items, data, (head.items+slab.items)*units, datum, inner.N, inner.Items, inner.Data)
		}
		head.step()
	}
	return -1
}

// odometer steps through nested loops, the last fastest, and has the offsets that they
// have reached.
type odometer struct {
	dims             []Dim
	count            []int
	items, data, idx int
}

// skip makes n steps from the start.
func (o *odometer) skip(n int) {
	for i := len(o.dims) - 1; i >= 0; i-- {
		d := &o.dims[i]
		c := n % d.N
		n /= d.N
		o.count[i] = c
		o.items += c * d.Items
		o.data += c * d.Data
		o.idx += c * d.Idx
	}
}

// step makes one step; after the last one it is back at the start and returns
// false.
func (o *odometer) step() bool {
	for i := len(o.dims) - 1; i >= 0; i-- {
		d := &o.dims[i]
		o.count[i]++
		o.items += d.Items
		o.data += d.Data
		o.idx += d.Idx
		if o.count[i] < d.N {
			return true
		}
		o.count[i] = 0
		o.items -= d.N * d.Items
		o.data -= d.N * d.Data
		o.idx -= d.N * d.Idx
	}
	return false
}
