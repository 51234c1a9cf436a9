package kernel

import (
	"slices"
	"sync"
	"unsafe"

	"gorgonia.org/gather/internal/num"
	"gorgonia.org/gather/internal/par"
	"gorgonia.org/gather/internal/simd"
)

// A nest is the loops of a call as they run: neighbours that are contiguous have been
// joined, and a contiguous run of elements that one tuple addresses is one unit. All
// strides are in bytes.
type nest struct {
	*Call
	loops     []Loop
	tail      int  // loops[tail:] do not move the index, and stand inside those that do
	unit      int  // bytes that are moved at once
	positions int  // how many units there are
	divided   int  // the loop that is divided between goroutines: len(loops) is that over a unit
	separate  bool // no two positions of what is written are the same
	buf       [12]Loop
}

// describe makes it the nest of a call. It reports whether there is nothing to do. The
// loops of the tail are put in the order of items if any order will do.
func (e *nest) describe(c *Call, anyOrder bool) (empty bool) {
	width := c.widthInMemory()
	e.Call, e.unit, e.positions, e.tail, e.divided, e.separate = c, width, 1, 0, 0, c.Separate
	loops := e.buf[:0]
	for _, l := range c.Loops {
		if l.N == 0 {
			return true
		}
		loops = join(loops, Loop{l.N, l.Items * width, l.Data * width, l.Idx})
	}
	for i := range loops {
		if loops[i].Idx != 0 {
			e.tail = i + 1
		}
	}
	if anyOrder && len(loops) > e.tail+1 {
		loops = order(loops, e.tail)
	}
	if n := len(loops) - 1; n >= e.tail && loops[n].Items == width && loops[n].Data == width {
		e.unit *= loops[n].N
		loops = loops[:n]
	}
	e.loops = loops
	e.within()
	if e.tail == 0 && e.positions <= fewPositions {
		e.tail = len(loops) // the one tuple is resolved again and again
	}
	return false
}

// join adds an inner loop to others. It leaves out one that runs once, and makes one loop
// of two that move as one.
func join(loops []Loop, l Loop) []Loop {
	if l.N == 1 {
		return loops
	}
	if last := len(loops) - 1; last >= 0 {
		outer := &loops[last]
		if outer.Items == l.N*l.Items && outer.Data == l.N*l.Data && outer.Idx == l.N*l.Idx {
			l.N *= outer.N
			*outer = l
			return loops
		}
	}
	return append(loops, l)
}

// order puts the loops from first on in the order of their strides in items, the longest
// first, and joins them.
func order(loops []Loop, first int) []Loop {
	tail := loops[first:]
	for i := range tail {
		for j := i; j > 0 && tail[j].Items > tail[j-1].Items; j-- {
			tail[j], tail[j-1] = tail[j-1], tail[j]
		}
	}
	joined := loops[:min(first+1, len(loops))]
	for _, l := range loops[len(joined):] {
		joined = join(joined, l)
	}
	return joined
}

// turn moves the loops that do not move the index into the tail, if there are few tuples, most at most: their words are then
// moved without a look at an index for each. Loops around the index move, too: a resolved offset does not have what
// these add. Where each iteration reads other cache lines, and all of them are more than the caches hold, they stay: data is
// read in order then.
func (e *nest) turn(most int) {
	if e.tail < 2 || e.positions <= fewPositions || !e.separate || e.Width == 0 || !simd.IsWord(e.unit) {
		return
	}
	moving, tuples, step := 0, 1, simd.CacheLine
	for _, l := range e.loops {
		if l.Idx != 0 {
			moving, tuples = moving+1, tuples*l.N
		} else {
			step = min(step, l.Data)
		}
	}
	inOrder := tuples > 1 && step == simd.CacheLine && e.singles() && min(len(e.Data), e.positions*simd.CacheLine)+e.positions*e.unit >= turnedBytes
	if moving < e.tail && e.few(tuples, most) && !inOrder {
		slices.SortStableFunc(e.loops, func(a, b Loop) int { return min(b.Idx, 1) - min(a.Idx, 1) })
		e.tail = moving
		e.loops = order(e.loops, e.tail)
	}
}

// within counts the positions, and makes sure that all that the loops can reach is there: they do
// not check again. It slices and does not read: the end of memory may be another goroutine's.
func (e *nest) within() {
	item, datum, tuple, tuples := e.unit, e.unit, len(e.Axes)*num.IndexBytes(e.Idx32), 1
	for _, l := range e.loops {
		e.positions *= l.N
		item += (l.N - 1) * l.Items
		datum += (l.N - 1) * l.Data
		tuples += (l.N - 1) * l.Idx
	}
	_, _ = e.Items[item:], e.Idx[tuples*tuple:]
	for _, a := range e.Axes {
		if a.Size == 0 {
			return // no index is good
		}
		datum += (a.Size - 1) * a.Stride * e.widthInMemory()
	}
	if e.Data != nil { // Targets needs none
		_ = e.Data[datum:]
	}
}

// steps is how many iterations the divided loop has.
func (e *nest) steps() int {
	if e.divided == len(e.loops) {
		return e.unit / e.widthInMemory()
	}
	return e.loops[e.divided].N
}

// First is the position of the first bad index, if the loops have met one: they may go
// through the indices in another order.
func (c *Call) First(bad int) int {
	if bad >= 0 {
		if first := c.Check(); first >= 0 {
			return first
		}
	}
	return bad
}

// position is where the loops are: in items and data in bytes, and in tuples.
type position struct{ items, data, idx int }

func (p position) plus(n int, l *Loop) position {
	return position{p.items + n*l.Items, p.data + n*l.Data, p.idx + n*l.Idx}
}

// A part is some iterations of the divided loop of a nest, and all of the others.
type part struct {
	nest
	at     position   // where it begins
	line   simd.Line  // of single elements
	window par.Window // of rows
	around odometer   // the loops around the lines, or around the last two of rows
	inner  odometer   // those of the tail
	others []Loop     // some of the tail
}

var parts = sync.Pool{New: func() any { return new(part) }}

// part is a part of the nest, in memory of the pool. All of a nest is in the memory given, if
// there is any: nothing else runs then.
func (e *nest) part(whole *part, lo, hi int) *part {
	p, all := whole, hi-lo == e.steps()
	if !all || whole == nil {
		p = parts.Get().(*part)
	}
	p.Call, p.tail, p.unit, p.positions, p.separate, p.at = e.Call, e.tail, e.unit, e.positions, e.separate, position{}
	if all {
		p.loops = e.loops
		return p
	}
	p.loops = append(p.buf[:0], e.loops...)
	if e.divided == len(e.loops) {
		width := e.widthInMemory()
		p.unit = (hi - lo) * width
		p.at = position{lo * width, lo * width, 0}
		return p
	}
	l := &p.loops[e.divided]
	p.at = p.at.plus(lo, l)
	l.N = hi - lo
	return p
}

// release returns a part to the pool, unless it is all.
func (p *part) release(whole *part) {
	p.Call, p.loops = nil, nil
	if p != whole {
		parts.Put(p)
	}
}

// odometer iterates over nested loops, the last fastest, and has the offsets that they
// have reached.
type odometer struct {
	position
	loops []Loop
	count []int
	buf   [12]int
}

// reset makes it the odometer of some loops, at their start.
func (o *odometer) reset(loops []Loop, start position) {
	o.position, o.loops, o.count = start, loops, o.buf[:0]
	for range loops {
		o.count = append(o.count, 0)
	}
}

// step makes one iteration; after the last one it is back at the start and returns
// false.
func (o *odometer) step() bool {
	for i := len(o.loops) - 1; i >= 0; i-- {
		l := &o.loops[i]
		o.count[i]++
		o.position = o.plus(1, l)
		if o.count[i] < l.N {
			return true
		}
		o.count[i] = 0
		o.position = o.plus(-l.N, l)
	}
	return false
}

// byteOf is the address of a byte. There may be no memory, where no index is good.
func byteOf(mem []byte, offset int) *byte {
	if len(mem) == 0 {
		return nil
	}
	return (*byte)(unsafe.Add(unsafe.Pointer(unsafe.SliceData(mem)), offset))
}
