package kernel

import (
	"sync"
	"unsafe"

	"gorgonia.org/gather/internal/num"
	"gorgonia.org/gather/internal/par"
)

// elements is a call on single elements: each index picks one element of data, for one
// of items. It is a nest of loops, the last of which is the run: there items and their
// indices are side by side. All forms of a call are such a nest.
//
// Strides in items and data are in units: bytes or, of strings, elements.
type elements struct {
	*Call
	unit   int         // of an element
	axis   checkedAxis // that the indices address
	dims   []Dim
	shared int // the loop of which a piece has a part, and of all others the whole
	buf    [maxDims + 1]Dim
}

// elementOp is what a nest does to elements.
type elementOp struct {
	loop itemLoop
	// Loops over whole lines, or nil: lines is for elements of data that are side by side,
	// columns for those that their indices pick in a column each.
	lines, columns lineLoop
	one            []byte // the item of all indices, if there is only one
	clears         bool   // items whose index is out of range
	counted        markedLoop
}

// elementsOf reports whether a call, whose elements have so many units, is one on single
// elements, and describes it. What is picked may be a row that is one word.
func (e *elements) describe(c *Call, unit int) bool {
	e.Call, e.unit, e.dims = c, unit, e.buf[:0]
	scale := 1
	if c.width > 0 {
		scale = c.width
	}
	if len(c.Axes) != 1 {
		return false
	}
	e.axis = c.axis(0, scale)
	span := c.Span * scale
	switch c.Form {
	case Block:
		e.add(Dim{c.Batch, c.Outer * c.N * unit, c.Outer * span, c.N})
		e.add(Dim{c.Outer, c.N * unit, span, 0})
		e.add(Dim{c.N, unit, 0, 1})
	case Elements:
		e.add(Dim{c.Batch, c.N * c.Inner * unit, span, c.N * c.Inner})
		e.add(Dim{c.N, c.Inner * unit, 0, c.Inner})
		e.add(Dim{c.Inner, unit, unit, 1})
	default:
		if !c.itemWalk() {
			return false
		}
		for _, d := range c.Dims {
			e.add(Dim{d.N, d.Items * unit, d.Data * unit, d.Idx})
		}
	}
	if last := len(e.dims) - 1; last < 0 || e.dims[last].Idx != 1 || e.dims[last].Items != unit {
		e.dims = append(e.dims, Dim{1, unit, 0, 1})
	}
	return true
}

// add adds an inner loop. It drops one that runs once, and joins two that step as one.
func (e *elements) add(d Dim) {
	if d.N == 1 {
		return
	}
	if last := len(e.dims) - 1; last >= 0 {
		outer := &e.dims[last]
		if outer.Items == d.N*d.Items && outer.Data == d.N*d.Data && outer.Idx == d.N*d.Idx {
			d.N *= outer.N
			*outer = d
			return
		}
	}
	e.dims = append(e.dims, d)
}

// positions is how many items there are.
func (e *elements) positions() int {
	n := 1
	for _, d := range e.dims {
		n *= d.N
	}
	return n
}

// largest chooses the longest loop, of those that move in data where they must.
func (e *elements) largest(moves bool) int {
	best, n := 0, 0
	for i, d := range e.dims {
		if d.N > n && (!moves || d.Data != 0) {
			best, n = i, d.N
		}
	}
	return best
}

// place is where a step of the loops is: in items and data in units, and in indices.
type place struct{ items, data, idx int }

func (p place) step(d Dim, n int) place {
	return place{p.items + n*d.Items, p.data + n*d.Data, p.idx + n*d.Idx}
}

// eachLine calls do for the lines of the nest, with the steps lo to hi of the loop that
// is shared, until it returns the position of a bad index.
func (e *elements) eachLine(lo, hi int, do func(at place, line, run Dim) int) int {
	last := len(e.dims) - 1
	at := place{}.step(e.dims[e.shared], lo)
	run, line := e.dims[last], Dim{N: 1}
	if last > 0 {
		line = e.dims[last-1]
	}
	switch e.shared {
	case last:
		run.N = hi - lo
	case last - 1:
		line.N = hi - lo
	}
	if last < 2 {
		return do(at, line, run)
	}
	return e.eachOuter(hi-lo, at, func(at place) int { return do(at, line, run) })
}

// eachOuter calls do for the steps of the loops around the lines, n of them in the one
// that is shared if it is one of these.
func (e *elements) eachOuter(n int, start place, do func(at place) int) int {
	var buf [maxDims]Dim
	var counts [maxDims]int
	outer := odometer{dims: append(buf[:0], e.dims[:len(e.dims)-2]...), count: counts[:len(e.dims)-2]}
	if e.shared < len(outer.dims) {
		outer.dims[e.shared].N = n
	}
	for more := true; more; more = outer.step() {
		if bad := do(place{start.items + outer.items, start.data + outer.data, start.idx + outer.idx}); bad >= 0 {
			return bad
		}
	}
	return -1
}

// run runs the steps lo to hi of the loop that is shared.
func (e *elements) run(op *elementOp, counts marks, lo, hi int) int {
	return e.eachLine(lo, hi, func(at place, line, run Dim) int {
		if run.N > itemsAtOnce {
			for l := range line.N {
				for t := 0; t < run.N; t += itemsAtOnce {
					if bad := e.lines(op, counts, at.step(line, l).step(run, t), line, 1, run, min(itemsAtOnce, run.N-t)); bad >= 0 {
						return bad
					}
				}
			}
			return -1
		}
		for l, n := 0, itemsAtOnce/run.N; l < line.N; l += n {
			if bad := e.lines(op, counts, at.step(line, l), line, min(n, line.N-l), run, run.N); bad >= 0 {
				return bad
			}
		}
		return -1
	})
}

// lines runs n items of each of some lines. It slices what the loops, which look no
// more, may read and write.
//
//go:noinline
func (e *elements) lines(op *elementOp, counts marks, at place, line Dim, lines int, run Dim, n int) int {
	size, lift, stride, step := int(e.axis.size), int(e.axis.lift), int(e.axis.stride), run.Data
	indexSize := e.indexBytes()
	idx := e.Idx[at.idx*indexSize:][:((lines-1)*line.Idx+n)*indexSize]
	items, itemLine, apart := op.one, 0, 0
	if items == nil {
		items, itemLine, apart = e.Items[at.items:][:(lines-1)*line.Items+n*e.unit], line.Items, e.unit
	}
	var data []byte // there is none where no index is good
	if size > 0 {
		data = e.Data[at.data:][:(lines-1)*line.Data+(size-1)*stride+(n-1)*step+e.unit]
	}
	l, t := 0, 0
	if fast, apart := op.fast(e, line, lines, step, n); fast != nil {
		done := fast(pointer(data), pointer(items), pointer(idx), lines, n, size, lift, apart)
		if done == lines*n {
			return -1
		}
		l, t = done/n, done%n
	}
	for ; l < lines; l, t = l+1, 0 {
		for {
			from, to, first := byteOf(data, l*line.Data+t*step), byteOf(items, l*itemLine+t*apart), byteOf(idx, (l*line.Idx+t)*indexSize)
			if op.counted != nil {
				mark := byteOf(counts.mem, (at.data-counts.from+l*line.Data+t*step)/e.unit*4)
				t += op.counted(from, to, first, mark, n-t, size, lift, stride/e.unit, step/e.unit)
			} else {
				t += op.loop(from, to, first, n-t, size, lift, stride, step)
			}
			if t == n {
				break
			}
			if !e.Fill {
				return at.idx + l*line.Idx + t
			}
			if op.clears {
				clear(items[l*itemLine+t*apart:][:e.unit])
			}
			if t++; t == n {
				break
			}
		}
	}
	return -1
}

// byteOf is the address of a byte. There may be no memory, where no index is good.
func byteOf(mem []byte, offset int) *byte {
	if len(mem) == 0 {
		return nil
	}
	return (*byte)(unsafe.Add(unsafe.Pointer(unsafe.SliceData(mem)), offset))
}

// marks have an int32 for each element of data, from a byte of data on.
type marks struct {
	mem  []byte
	from int
}

// fast is the loop over whole lines that fits, if there is one, and how far apart lines,
// or the elements of a column, are in data.
func (op *elementOp) fast(e *elements, line Dim, lines, step, n int) (lineLoop, int) {
	switch {
	case op.lines == nil || lines > 1 && (line.Items != n*e.unit || line.Idx != n):
	case step == 0 && int(e.axis.stride) == e.unit:
		return op.lines, line.Data
	case step == e.unit && (lines == 1 || line.Data == 0):
		return op.columns, int(e.axis.stride)
	}
	return nil, 0
}

// offsets calls work with the offsets in data of some items after the other, whose
// indices have been checked, from the item at a place on. An item whose index is out of
// range is left out, and missing called with it.
func (e *elements) offsets(lo, hi int, work func(at place, offsets []int64), missing func(item int)) int {
	if e.Idx32 {
		return offsetsOf[int32](e, lo, hi, work, missing)
	}
	return offsetsOf[int64](e, lo, hi, work, missing)
}

func offsetsOf[I Index](e *elements, lo, hi int, work func(at place, offsets []int64), missing func(item int)) int {
	idx := num.As[I](e.Idx)
	buf := buffers.Get().(*offsetBuffer)
	defer buffers.Put(buf)
	return e.eachLine(lo, hi, func(start place, line, run Dim) int {
		for l := range line.N {
			for t := 0; t < run.N; {
				at := start.step(line, l).step(run, t)
				n := min(run.N-t, resolved)
				done := resolveAxis(buf[:], idx[at.idx:][:n], e.axis, run.Data)
				if done > 0 {
					work(at, buf[:done])
				}
				if t += done; done < n {
					if !e.Fill {
						return at.idx + done
					}
					missing(at.items + done*e.unit)
					t++
				}
			}
		}
		return -1
	})
}

var elementsMemory = sync.Pool{New: func() any { return new(elementWork) }}

// elementWork is an operation on a nest, for package par.
type elementWork struct {
	elements
	op elementOp
}

func (w *elementWork) Piece(lo, hi int) int { return w.run(&w.op, marks{}, lo, hi) }

// gatherWords gathers single elements, of so many bytes each.
func (c *Call) gatherWords(bytes int) (bad int, ok bool) {
	w := elementsMemory.Get().(*elementWork)
	defer elementsMemory.Put(w)
	defer w.release()
	if !w.describe(c, bytes) {
		return 0, false
	}
	l := log2(bytes)
	w.op = elementOp{
		loop: byIndexWidth(c, *active.copyItem[l]), clears: true,
		lines: byIndexWidth(c, *active.copyLines[l]), columns: byIndexWidth(c, *active.copyColumns[l]),
	}
	n := w.positions()
	if n == 0 {
		return -1, true
	}
	w.shared = w.largest(false)
	of := w.dims[w.shared].N
	return par.Run(w, of, par.Grain(max(bytes, 16)*(n/of))), true
}

func (w *elementWork) release() { w.Call, w.op = nil, elementOp{} }

// byIndexWidth is the loop for the width of the indices.
func byIndexWidth[L any](c *Call, loops [2]L) L {
	if c.Idx32 {
		return loops[0]
	}
	return loops[1]
}
