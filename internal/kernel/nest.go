package kernel

import (
	"unsafe"

	"gorgonia.org/gather/internal/num"
	"gorgonia.org/gather/internal/simd"
)

// A nest is a call on single elements: each index addresses one element of data, for one
// of items. It is a nest of loops, the last of which is the run: there items and their
// indices are side by side. All forms of a call are such a nest.
type nest struct {
	*Call
	unit   int       // bytes of an element
	axis   simd.Axis // that the indices address
	dims   []Dim
	run    Dim // the last loop
	line   Dim // the loop around it, of one step if there is none
	shared int // the loop that chunks share: each has some of its steps, and all of the others
	buf    [maxDims + 1]Dim
}

// elementOp is what a nest does to elements.
type elementOp struct {
	loop    simd.ItemLoop
	one     []byte // the item of all indices, if there is only one
	clears  bool   // items whose index is out of range
	counted simd.CountingLoop
}

// describe makes it the nest of a call whose elements have so many bytes. What is addressed
// may be a row that is one word.
func (e *nest) describe(c *Call, unit int) {
	e.Call, e.unit = c, unit
	scale := c.widthInMemory()
	e.axis = c.axis(0, scale)
	span, dims := c.Span*scale, e.buf[:0]
	switch c.Form {
	case Block:
		dims = Nested(dims, 0, Dim{c.Batch, c.Outer * c.N * unit, c.Outer * span, c.N})
		dims = Nested(dims, 0, Dim{c.Outer, c.N * unit, span, 0})
		dims = Nested(dims, 0, Dim{c.N, unit, 0, 1})
	case Elements:
		dims = Nested(dims, 0, Dim{c.Batch, c.N * c.Inner * unit, span, c.N * c.Inner})
		dims = Nested(dims, 0, Dim{c.N, c.Inner * unit, 0, c.Inner})
		dims = Nested(dims, 0, Dim{c.Inner, unit, unit, 1})
	default:
		for _, d := range c.Dims {
			dims = Nested(dims, 0, Dim{d.N, d.Items * unit, d.Data * unit, d.Idx})
		}
	}
	last := len(dims) - 1
	if last < 0 || dims[last].Idx != 1 || dims[last].Items != unit {
		dims = append(dims, Dim{1, unit, 0, 1})
		last++
	}
	e.dims, e.run, e.line = dims, dims[last], Dim{N: 1}
	if last > 0 {
		e.line = dims[last-1]
	}
}

// share chooses the loop that chunks share: the outermost of at least so many steps, or the
// longest if there is none. It returns how many positions all loops have.
func (e *nest) share(steps int) (positions int) {
	positions = 1
	most := 0
	for i := range e.dims {
		n := e.dims[i].N
		if positions *= n; n > most && most < steps {
			e.shared, most = i, n
		}
	}
	return positions
}

// position is where a step of the loops is: in items and data in bytes, and in indices.
type position struct{ items, data, idx int }

func (p position) step(d Dim, n int) position {
	return position{p.items + n*d.Items, p.data + n*d.Data, p.idx + n*d.Idx}
}

// eachLine calls do for the lines of the nest, some lines of n items each at a time, with the
// steps lo to hi of the loop that is shared, until it returns the position of a bad index.
func (e *nest) eachLine(lo, hi int, do func(at position, lines, n int) int) int {
	last := len(e.dims) - 1
	at := position{}.step(e.dims[e.shared], lo)
	lines, n := e.line.N, e.run.N
	switch e.shared {
	case last:
		n = hi - lo
	case last - 1:
		lines = hi - lo
	}
	if last < 2 {
		return do(at, lines, n)
	}
	return e.eachOuter(hi-lo, at, func(at position) int { return do(at, lines, n) })
}

// eachOuter calls do for the steps of the loops around the lines, n of them in the one
// that is shared if it is one of these.
func (e *nest) eachOuter(n int, start position, do func(at position) int) int {
	var buf [maxDims]Dim
	var counts [maxDims]int
	outer := odometer{dims: append(buf[:0], e.dims[:len(e.dims)-2]...), count: counts[:len(e.dims)-2]}
	if e.shared < len(outer.dims) {
		outer.dims[e.shared].N = n
	}
	for more := true; more; more = outer.step() {
		if bad := do(position{start.items + outer.items, start.data + outer.data, start.idx + outer.idx}); bad >= 0 {
			return bad
		}
	}
	return -1
}

// apply runs op for the steps lo to hi of the loop that is shared. Only loops that count need
// counts.
func (e *nest) apply(op *elementOp, counts *elementCounts, lo, hi int) int {
	return e.eachLine(lo, hi, func(at position, lines, n int) int {
		if n > simd.ItemsAtOnce {
			for l := range lines {
				for t := 0; t < n; t += simd.ItemsAtOnce {
					if bad := e.lines(op, counts, at.step(e.line, l).step(e.run, t), 1, min(simd.ItemsAtOnce, n-t)); bad >= 0 {
						return bad
					}
				}
			}
			return -1
		}
		atOnce, items, far := lines, simd.ItemsAtOnce, e.far()
		if far {
			items = prefetched
		}
		if lines*n > items { // a division takes as long as a few items
			atOnce = items / n
		}
		for l := 0; l < lines; l += atOnce {
			if next := l + atOnce; far && next < lines {
				e.prefetch(at.step(e.line, next), min(atOnce, lines-next), n)
			}
			if bad := e.lines(op, counts, at.step(e.line, l), min(atOnce, lines-l), n); bad >= 0 {
				return bad
			}
		}
		return -1
	})
}

// far reports whether lines are to be prefetched, as the loops, which see no further than a
// run, would wait for memory at the end of each.
func (e *nest) far() bool {
	far := len(e.Data) >= farData && int(e.axis.Size)*int(e.axis.Stride) >= farSpan
	return far && e.run.N <= shortRun && simd.Active().PrefetchLines[0] != nil
}

// grains is how many grains so many items are: as many as given, or more if each waits for
// memory.
func (e *nest) grains(items, grains int) int {
	if e.far() {
		return max(grains, items/farGrain)
	}
	return grains
}

// prefetch asks for what the indices of some lines of n items address.
func (e *nest) prefetch(at position, lines, n int) {
	size := e.indexBytes()
	idx := e.Idx[at.idx*size:][:((lines-1)*e.line.Idx+n)*size]
	byIndexWidth(e.Call, &simd.Active().PrefetchLines)(num.Pointer(e.Data[at.data:]), num.Pointer(idx), lines, n,
		int(e.axis.NegativeOffset), int(e.axis.Stride), e.run.Data, e.line.Data, e.line.Idx*size)
}

// lines runs n items of each of some lines. It slices what the loops, which do not
// check again, may read and write.
//
//go:noinline
func (e *nest) lines(op *elementOp, counts *elementCounts, at position, lines, n int) int {
	size, negativeOffset, stride, step := int(e.axis.Size), int(e.axis.NegativeOffset), int(e.axis.Stride), e.run.Data
	line := &e.line
	indexSize := e.indexBytes()
	idx := e.Idx[at.idx*indexSize:][:((lines-1)*line.Idx+n)*indexSize]
	items, itemLine, itemStride := op.one, 0, 0
	if items == nil {
		items, itemLine, itemStride = e.Items[at.items:][:(lines-1)*line.Items+n*e.unit], line.Items, e.unit
	}
	var data []byte // there is none where no index is good
	if size > 0 {
		data = e.Data[at.data:][:(lines-1)*line.Data+(size-1)*stride+(n-1)*step+e.unit]
	}
	if op.counted != nil && size > 0 {
		_ = counts.mem[(at.data-counts.from+(lines-1)*line.Data+(size-1)*stride+(n-1)*step)/e.unit*4+3]
	}
	for l := range lines {
		for t := 0; ; {
			from, to, first := byteOf(data, l*line.Data+t*step), byteOf(items, l*itemLine+t*itemStride), byteOf(idx, (l*line.Idx+t)*indexSize)
			if op.counted != nil {
				mark := byteOf(counts.mem, (at.data-counts.from+l*line.Data+t*step)/e.unit*4)
				t += op.counted(from, to, first, mark, n-t, size, negativeOffset, stride/e.unit, step/e.unit)
			} else {
				t += op.loop(from, to, first, n-t, size, negativeOffset, stride, step)
			}
			if t == n {
				break
			}
			if !e.Fill {
				return at.idx + l*line.Idx + t
			}
			if missed := items[l*itemLine+t*itemStride:]; op.clears && e.Width == 0 {
				num.As[string](missed)[0] = ""
			} else if op.clears {
				clear(missed[:e.unit])
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

// elementCounts have an int32 for each element of data, from a byte of data on.
type elementCounts struct {
	mem  []byte
	from int
}

// offsets calls work with the offsets in data of some items at a time, from the item at a
// position on. An item whose index is out of range is left out, and missing is called with
// it.
func (e *nest) offsets(lo, hi int, work func(at position, offsets []int64), missing func(item int)) int {
	buf := simd.OffsetsFor(e.run.N)
	defer simd.OffsetsPool.Put(buf)
	return e.eachLine(lo, hi, func(start position, lines, items int) int {
		for l := range lines {
			for t := 0; t < items; {
				at := start.step(e.line, l).step(e.run, t)
				n := min(items-t, simd.OffsetsAtOnce)
				done := e.resolveLine(buf[:n], at.idx, e.axis, e.run.Data)
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

// byIndexWidth is the loop for the width of the indices.
func byIndexWidth[L any, P ~*[2]L](c *Call, loops P) L {
	if c.Idx32 {
		return loops[0]
	}
	return loops[1]
}
