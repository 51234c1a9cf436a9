package kernel

import (
	"unsafe"

	"gorgonia.org/gather/internal/par"
	"gorgonia.org/gather/internal/simd"
)

// The tail of a nest is the loops that do not move the index and stand inside those that do:
// what a tuple addresses is not contiguous, as in a transposed matrix.

// fewRows is up to how many rows run through the whole tail one after the other, and fewCopied
// up to how many whose items lie side by side, and are copied to. More go together, element by
// element.
const fewRows, fewCopied = 8, 16

// few reports whether so many rows of words that are copied to items are few: of more than fewRows
// the items lie side by side, and so do the elements of data that they may be copied from.
func (e *nest) few(rows int) bool {
	if rows <= fewRows || rows > fewCopied {
		return rows <= fewRows
	}
	a := e.axis(0, e.widthInMemory())
	return e.loops[e.tail-1].Items <= simd.CacheLine && int(a.Size)*int(a.Stride) < farSpan
}

// tailLines is how many cache lines of items are worked on at a time where elements of many
// rows are copied: so many stay in the nearest caches.
const tailLines = 1024

// copyTile is how many elements of each of two loops are copied at a time where
// one is the fastest in data and the other in items: as many as a cache line of
// float32 has. Lines that are read for one row of items serve the next, too.
const copyTile = 16

// eachOfTail runs op on some rows and the loops of the tail.
func (p *part) eachOfTail(op *rowOp, r *rowsAt) {
	words, n := p.Width > 0 && simd.IsWord(p.unit), len(r.offsets)
	switch {
	case p.separate && words && op.copy != nil && p.few(n):
		copyTails[simd.Log2(p.unit)](p, *r)
	case p.separate && n <= fewRows:
		p.alongTail(op, r)
	case p.separate && words:
		p.tailInTiles(op, r)
	default:
		p.inner.reset(p.loops[p.tail:], position{})
		for more := true; more; more = p.inner.step() {
			p.apply(op, r, p.inner.items, p.inner.data)
		}
	}
}

// at is where the item of row t is.
func (r *rowsAt) at(t int) int { return r.item + int(r.places[t])*r.step }

// alongTail runs op on the tail of one row after the other: the innermost loop of the tail
// takes the place of the rows.
func (p *part) alongTail(op *rowOp, r *rowsAt) {
	last := len(p.loops) - 1
	line, w := &p.loops[last], par.WindowFor(p.unit)
	defer w.Release()
	n := min(line.N, simd.OffsetsAtOnce)
	for i := range n {
		w.Offsets[i] = int64(i * line.Data)
	}
	clear(w.Offsets[n:][:w.Ahead])
	along := rowsAt{step: line.Items, ahead: w.Ahead}
	for t, at := range r.offsets {
		p.inner.reset(p.loops[p.tail:last], position{r.at(t), int(at), 0})
		for more := true; more; more = p.inner.step() {
			for l := 0; l < line.N; l += n {
				some := min(n, line.N-l)
				along.offsets, along.places = w.Offsets[:some], simd.Iota[:some]
				p.apply(op, &along, p.inner.items+l*line.Items, p.inner.data+l*line.Data)
			}
		}
	}
}

// tailInTiles runs op on the elements of the tail, each of many rows. The loop that is the
// fastest in data and the one that is the fastest in items take turns, tile by tile, so
// that the cache lines read for one serve the other.
func (p *part) tailInTiles(op *rowOp, r *rowsAt) {
	fastest, line := p.fastest()
	rows := Loop{N: 1}
	if fastest != line {
		rows = p.loops[fastest]
	}
	others := p.withoutLoops(fastest, line)
	n, width := len(r.offsets), p.loops[line]
	some := *r
	atOnce := tailLines / min(copyTile, rows.N)
	p.inner.reset(others, position{})
	for more := true; more; more = p.inner.step() {
		for i := 0; i < rows.N; i += copyTile {
			for l := 0; l < width.N; l += copyTile {
				for t := 0; t < n; t += atOnce {
					end := min(t+atOnce, n)
					some.offsets, some.places = r.offsets[t:end], r.places[t:end]
					if !some.placed {
						some.item, some.places = r.item+t*r.step, r.places[:end-t]
					}
					for j := l; j < min(l+copyTile, width.N); j++ {
						for k := i; k < min(i+copyTile, rows.N); k++ {
							p.apply(op, &some, p.inner.items+k*rows.Items+j*width.Items, p.inner.data+k*rows.Data+j*width.Data)
						}
					}
				}
			}
		}
	}
}

// fastest is the loop of the tail that is the fastest in data, and the one that is in items.
func (p *part) fastest() (data, items int) {
	items = len(p.loops) - 1
	data = items
	for i := p.tail; i < items; i++ {
		if p.loops[i].Data < p.loops[data].Data {
			data = i
		}
	}
	return data, items
}

// withoutLoops is the tail without two of its loops.
func (p *part) withoutLoops(a, b int) []Loop {
	p.others = p.others[:0]
	for i := p.tail; i < len(p.loops); i++ {
		if i != a && i != b {
			p.others = append(p.others, p.loops[i])
		}
	}
	return p.others
}

// copyTails copy the tails of rows of elements of 1 to 16 bytes from data to items, at the
// logarithm of the width.
var copyTails = [...]func(p *part, r rowsAt){copyTail[uint8], copyTail[uint16], copyTail[uint32], copyTail[uint64], copyTail[pair]}

// pair is 16 bytes that Go keeps in registers, as it does not an array.
type pair struct{ A, B uint64 }

// tailBytes are the cache lines of what is copied before the next elements, which may need the
// same ones, at most: so many stay in the nearest cache.
const tailBytes = 28 << 10

// sameSets is a stride in data at which cache lines share few sets of the nearest cache: fewer
// of them stay there.
const sameSets = 1 << 10

func copyTail[T any](p *part, r rowsAt) {
	fastest, last := p.fastest()
	others, line, rows := p.withoutLoops(fastest, last), p.loops[last], Loop{N: 1}
	if fastest != last {
		rows = p.loops[fastest]
	}
	if line.N < min(copyTile, rows.N) {
		line, rows = rows, line
	}
	// Where both are short, a longer loop takes the place of the line, and all others are run
	// for some of it, which may need the same cache lines.
	around := line.N
	for i := range others {
		if o := &others[i]; line.N < copyTile && o.N > 4*line.N {
			line, *o, around = *o, line, 0
		}
	}
	lines := simd.CacheLine * len(r.offsets)
	atOnce := max(16, tailBytes/(min(line.Data, lines)+min(line.Items, lines)))
	if line.Data%sameSets == 0 {
		atOnce /= 4
	}
	around = max(around, atOnce)
	for from := 0; from < line.N; from += around {
		p.inner.reset(others, position{})
		for more := true; more; more = p.inner.step() {
			for l := from; l < min(from+around, line.N); l += atOnce {
				some := line
				some.N = min(atOnce, line.N-l)
				for t, at := range r.offsets {
					item, datum := r.at(t)+p.inner.items+l*line.Items, int(at)+p.inner.data+l*line.Data
					for range rows.N {
						copyLoop[T](byteOf(p.Items, item), byteOf(p.Data, datum), &some)
						item, datum = item+rows.Items, datum+rows.Data
					}
				}
			}
		}
	}
}

// copyLoop copies the elements of one loop.
func copyLoop[T any](item, datum *byte, line *Loop) {
	items, data, to, from := unsafe.Pointer(item), unsafe.Pointer(datum), 0, 0
	for range line.N / 4 {
		a, b := *(*T)(unsafe.Add(data, from)), *(*T)(unsafe.Add(data, from+line.Data))
		c, d := *(*T)(unsafe.Add(data, from+2*line.Data)), *(*T)(unsafe.Add(data, from+3*line.Data))
		*(*T)(unsafe.Add(items, to)), *(*T)(unsafe.Add(items, to+line.Items)) = a, b
		*(*T)(unsafe.Add(items, to+2*line.Items)), *(*T)(unsafe.Add(items, to+3*line.Items)) = c, d
		to, from = to+4*line.Items, from+4*line.Data
	}
	for range line.N % 4 {
		*(*T)(unsafe.Add(items, to)) = *(*T)(unsafe.Add(data, from))
		to, from = to+line.Items, from+line.Data
	}
}
