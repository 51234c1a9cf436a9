package kernel

import (
	"sync"

	"gorgonia.org/gather/internal/par"
	"gorgonia.org/gather/internal/simd"
)

// walkLines is how many cache lines of items are worked on at a time where the elements of
// a slab are not side by side: so many stay in the nearest caches while their elements are
// copied one after the other.
const walkLines = 1024

// rowWalk reports whether walkRows can run the walk: tuples lie side by side.
func (c *Call) rowWalk() bool { return c.Head > 0 && len(c.Dims) <= maxDims }

// A walkRows is a walk in any layout. Index tuples are turned into offsets once, some
// hundred at a time, which serve all elements of their slabs: row by row where elements
// lie side by side in data and items, and else element by element, each for many tuples.
type walkRows struct {
	*Call
	move     strideMove
	combine  simd.AddLoop // of a reduction: rows
	combine1 simd.AddLoop // and single elements
	neutral  []byte       // what targets are set to first, or nil
	shared   int          // the loop that is shared
	steps    int          // of that at a time, where something comes before the loop
}

var walkRowsMemory = sync.Pool{New: func() any { return new(walkRows) }}

// walkPositions is how many positions of a walk a reduction without the old value
// initialises at a time.
const walkPositions = 16 << 10

// runRows runs a walk as rows.
func (c *Call) runRows(move strideMove, combine *simd.CombineLoops, neutral []byte) int {
	scatter := move != toItems
	shared, n, all := longest(c.Dims, scatter)
	if all == 0 {
		return -1
	}
	w := walkRowsMemory.Get().(*walkRows)
	defer walkRowsMemory.Put(w)
	each := all / n
	*w = walkRows{Call: c, move: move, neutral: neutral, shared: shared, steps: max(walkPositions/each, min(4*copyTile, n))}
	if combine != nil {
		w.combine, w.combine1 = combine.Rows, combine.Offsets
	}
	if n == 1 {
		n = c.Dims[shared].N
		w.steps = n
		return w.first(w.Piece(0, n))
	}
	grains := par.Grains(all, max(c.Width, 16))
	if scatter {
		grains = all / scatterGrain
	}
	// Chunks are not so narrow that tiles are, if two goroutines can have one.
	return w.first(par.RunParts(w, n, max(2, n/(4*copyTile)), grains))
}

// Piece runs some steps of the loop that is shared.
func (w *walkRows) Piece(lo, hi int) int {
	if w.neutral == nil {
		return w.rows(w.move, lo, hi)
	}
	for ; lo < hi; lo += w.steps {
		end := min(lo+w.steps, hi)
		bad := w.rows(ontoData, lo, end)
		if bad < 0 {
			bad = w.rows(w.move, lo, end)
		}
		if bad >= 0 {
			return bad
		}
	}
	return -1
}

func (w *walkRows) rows(move strideMove, lo, hi int) int {
	c := w.Call
	c.within(c.Axes, c.Data)
	memory := walkChunksPool.Get().(*walkChunks)
	defer walkChunksPool.Put(memory)
	outer, slab, rest := &memory.chunk, &memory.slab, &memory.rest
	outer.setDims(c, w.shared, lo, hi)
	slab.empty()
	tuples, width := Dim{N: 1}, c.Width
	for i := len(outer.dims) - 1; i >= 0; i-- {
		switch d := outer.dims[i]; {
		case d.Idx == 0:
			slab.add(outer.remove(i))
		case tuples.Idx == 0:
			tuples = outer.remove(i) // the last of those that move in the indices
		}
	}
	slab.order()
	row := Dim{N: 1}
	if n := len(slab.dims) - 1; n >= 0 && slab.dims[n].Items == 1 && slab.dims[n].Data == 1 {
		row = slab.remove(n)
	}
	loop := w.loop(move, row.N)
	defer loop.fill.release()
	buf := simd.OffsetsFor(tuples.N)
	defer simd.OffsetsPool.Put(buf)
	for more := true; more; more = outer.step() {
		for t := 0; t < tuples.N; {
			n := min(simd.OffsetsAtOnce, tuples.N-t)
			first := outer.idx + t*tuples.Idx
			done, bad := c.offsets(buf[:], first/len(c.Axes), n, width)
			if tuples.Data != 0 {
				for i := range done {
					buf[i] += int64((t + i) * tuples.Data * width)
				}
			}
			item := outer.items + t*tuples.Items
			slab.each(rest, done, row.N > 1, func(t, n int) {
				loop.run(c, outer.data+slab.data, item+t*tuples.Items+slab.items, buf, t, n, row.N, tuples.Items)
			})
			if t += done; done == n {
				continue
			}
			if !c.Fill {
				return first + done*len(c.Axes) + bad
			}
			if loop.copy != nil {
				item += done * tuples.Items
				slab.each(rest, 1, true, func(_, _ int) { par.Clear(c.Items[(item+slab.items)*width:][:row.N*width]) })
			}
			t++
		}
	}
	return -1
}

// order puts the loops of a slab in the order of their strides in items, the
// longest first.
func (p *chunk) order() {
	for i := range p.dims {
		for j := i; j > 0 && p.dims[j].Items > p.dims[j-1].Items; j-- {
			p.dims[j], p.dims[j-1] = p.dims[j-1], p.dims[j]
		}
	}
}

// each calls do for each step of the loops of a slab, with n tuples or, where
// elements are not side by side, with a few of them at a time. It uses rest.
func (p *chunk) each(rest *chunk, n int, whole bool, do func(t, n int)) {
	last := len(p.dims) - 1
	if n == 0 {
		return
	}
	if whole || last < 0 {
		for more := true; more; more = p.step() {
			do(0, n)
		}
		return
	}
	// The loop that is the fastest in data and the one that is the fastest in items take
	// turns, tile by tile, so that the cache lines read for one serve the other.
	line, near := p.dims[last], last
	for i, d := range p.dims {
		if d.Data < p.dims[near].Data {
			near = i
		}
	}
	rows := Dim{N: 1}
	if near != last {
		rows = p.dims[near]
	}
	rest.empty()
	for i, d := range p.dims {
		if i != near && i != last {
			rest.add(d)
		}
	}
	tuples := walkLines / min(copyTile, rows.N)
	for more := true; more; more = rest.step() {
		for r := 0; r < rows.N; r += copyTile {
			for l := 0; l < line.N; l += copyTile {
				for t := 0; t < n; t += tuples {
					for j := l; j < min(l+copyTile, line.N); j++ {
						for i := r; i < min(r+copyTile, rows.N); i++ {
							p.items = rest.items + i*rows.Items + j*line.Items
							p.data = rest.data + i*rows.Data + j*line.Data
							do(t, min(tuples, n-t))
						}
					}
				}
			}
		}
	}
	p.items, p.data = 0, 0
}

// stridedLoop is what walkRows runs over rows: a copy to items, what writes them to
// data, or else what sets data to one value.
type stridedLoop struct {
	copy  simd.RowLoop
	write simd.AddLoop
	fill  filler // what it sets data to, without either
}

// run runs the loop over rows of some elements, of n tuples from number t of those
// in the buffer on. Items are step elements apart.
func (s stridedLoop) run(c *Call, datum, item int, at *simd.Offsets, t, n, length, step int) {
	w := c.Width
	bytes := length * w
	ahead := simd.Distance(bytes)
	data, items := byteOf(c.Data, datum*w), byteOf(c.Items, item*w)
	if s.copy != nil {
		s.copy.Run(data, items, &at[t], n, bytes, step*w, ahead)
		return
	}
	if s.write == nil {
		s.fill.rows(c.Data[datum*w:], at[t:][:n])
		return
	}
	s.write.Run(data, items, &at[t], &simd.InOrder[0], n, bytes, step*w, ahead)
}

type strideMove uint8

const (
	toItems strideMove = iota
	toData
	intoData // combined
	ontoData // the neutral element
)

// loop chooses the loop over rows of some elements. Items have gaps, which those for
// single elements in assembly know nothing of.
func (w *walkRows) loop(move strideMove, length int) stridedLoop {
	bytes := length * w.Width
	switch {
	case move == ontoData:
		return stridedLoop{fill: fillerOf(w.neutral, bytes)}
	case move == toItems:
		return stridedLoop{copy: simd.CopyLoop(bytes)}
	case move == toData:
		return stridedLoop{write: simd.SetLoop(bytes)}
	case length == 1:
		return stridedLoop{write: w.combine1}
	}
	return stridedLoop{write: w.combine}
}
