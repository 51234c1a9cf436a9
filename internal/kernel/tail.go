package kernel

import (
	"slices"
	"unsafe"

	"gorgonia.org/gather/internal/par"
	"gorgonia.org/gather/internal/simd"
)

// The tail of a nest is the loops that do not move the index and stand inside those that do:
// what a tuple addresses is not contiguous, as in a transposed matrix.

// There are three ways through a tail:
//
//   - Words of few rows are copied to items, or overwritten, by loops of their own. So few tuples move all other loops into
//     the tail, too.
//   - Some rows go along one of the tail's loops, one after the other or, if they lie between two iterations of
//     that loop, in turns: fewRows, or as many as that loop is long, or any number if it has two long lines and the axes reach
//     farther than it goes, as they are apart then.
//   - More rows go through it together, element by element.
//
// Few are
//
//   - fewRows, or fewCombined if words are combined;
//   - fewCopied if words are copied to items that lie side by side, and the axes do not reach far;
//   - as many of these as have fewBytes, if the axes reach over nearSpan bytes at most;
//   - fewStreams if a line of the tail is contiguous in data, which is not far: as in a gather along the last axis of a transposed
//     tensor.
const fewRows, fewCopied, fewBytes, nearSpan, fewStreams, fewCombined = 8, 16, 96, 16, 64, 3

// few reports whether a number of rows of words are few, of which fewRows, fewCopied or fewCombined are most.
func (e *nest) few(rows, most int) bool {
	return rows <= min(most, fewRows) ||
		(rows <= most && e.span() < farSpan || most == fewCopied && rows*e.unit <= fewBytes && e.span() <= nearSpan) && e.loops[e.tail-1].Items <= simd.CacheLine ||
		most >= fewRows && rows <= fewStreams && e.positions >= 2*longLine*rows && len(e.Data) < turnedBytes &&
			slices.ContainsFunc(e.loops, func(l Loop) bool { return l.Idx == 0 && l.Data == e.unit && l.N >= longLine/2 })
}

// longLine is from how many elements on a loop of the tail is long: as many as a cache line of
// float32 has.
const longLine = 16

// eachOfTail runs op on some rows and the loops of the tail.
func (p *part) eachOfTail(op *rowOp, r *rowsAt) {
	n := len(r.offsets)
	if p.separate && p.few(n, op.few) && p.Width > 0 && simd.IsWord(p.unit) {
		copyTails[simd.Log2(p.unit)](p, *r, op.copy == nil)
		return
	}
	line, other, others, length := p.lines(false)
	if p.separate && (n <= max(fewRows, length) || line.N >= 2*longLine && line.N*line.Data <= p.span()) {
		p.alongTail(op, r, line, append(others, other))
		return
	}
	p.inner.reset(p.loops[p.tail:], position{})
	for more := true; more; more = p.inner.step() {
		p.apply(op, r, p.inner.items, p.inner.data)
	}
}

// at is where the item of row t is.
func (r *rowsAt) at(t int) int { return r.item + int(r.places[t])*r.step }

// alongTail runs op on the tails of some rows: a loop of the tail, the line, takes their place. All other loops are run for some
// of the line, as they may need the same cache lines. So may rows that lie between two iterations of the line, as columns of a
// matrix do: all of them go through that part before the next. Else each goes through all of the line before the next row.
// The offsets are those of a quarter of a long line: a scatter that copies old values goes through a part of the line at a time,
// and they are made for each.
func (p *part) alongTail(op *rowOp, r *rowsAt, line Loop, others []Loop) {
	w := par.WindowFor(p.unit)
	defer w.Release()
	n := min(line.N, simd.OffsetsAtOnce, max(line.N, simd.OffsetsAtOnce)/4, max(2*longLine, line.atOnce(1)))
	for i := range n {
		w.Offsets[i] = int64(i * line.Data)
	}
	clear(w.Offsets[n:][:w.Ahead])
	along := rowsAt{step: line.Items, ahead: w.Ahead}
	rows, chunks, turns := len(r.offsets), (line.N+n-1)/n, p.span() <= line.Data
	for k := range rows * chunks {
		t, l := k/chunks, k%chunks*n
		if turns {
			t, l = k%rows, k/rows*n
		}
		some := min(n, line.N-l)
		along.offsets, along.places = w.Offsets[:some], simd.Iota[:some]
		p.inner.reset(others, position{r.at(t) + l*line.Items, int(r.offsets[t]) + l*line.Data, 0})
		for more := true; more; more = p.inner.step() {
			p.apply(op, &along, p.inner.items, p.inner.data)
		}
	}
}

// lines takes two loops out of the tail: the one that is the fastest in items, and the one that is
// in data, if that is another. The longer one is the line, but in copies the first from longLine elements on, and the
// other one repeats it, while the cache lines that it has read are near.
//
// If both are long and one moves by a large power of two, its cache lines share few sets of the cache. Then the one that
// moves by the lesser power is the line, of data that is changed, or if the powers are equal the second. In a copy it is the
// second if that does not share sets at all.
//
// Where both are short, a longer loop takes the place of the line. It counts as a long line, and all others are to be
// run for some of it, as they may need the same cache lines.
func (p *part) lines(copies bool) (line, rows Loop, others []Loop, length int) {
	p.others = append(p.others[:0], p.loops[p.tail:]...)
	last := len(p.others) - 1
	line, rows, others = p.others[last], Loop{N: 1}, p.others[:last]
	fastest := last
	for i := range others {
		if others[i].Data < p.others[fastest].Data {
			fastest = i
		}
	}
	if fastest < last {
		rows = others[fastest]
		others = slices.Delete(others, fastest, fastest+1)
	}
	long, most := p.positions, line.power()
	if copies {
		long, most = longLine, min(most, simd.CacheLine)
	}
	swaps := line.N < min(long, rows.N)
	if min(line.N, rows.N) >= 2*longLine && max(line.power(), rows.power()) >= sameSets/longLine {
		swaps = rows.power() <= most
	}
	if swaps {
		line, rows = rows, line
	}
	length = line.N
	for i := range others {
		if o := &others[i]; line.N < longLine && o.N > 4*line.N {
			line, *o, length = *o, line, longLine
		}
	}
	return line, rows, others, length
}

// copyTails copy the tails of rows of elements of 1 to 16 bytes from data to items or, if it sets them, from items to data, at
// the logarithm of the width.
var copyTails = [...]func(p *part, r rowsAt, sets bool){copyTail[uint8], copyTail[uint16], copyTail[uint32], copyTail[uint64], copyTail[pair]}

// pair is 16 bytes that Go keeps in registers, as it does not an array.
type pair struct{ A, B uint64 }

// tailBytes are the cache lines of what is copied before the next elements, which may need the
// same ones, at most: so many stay in the nearest cache.
const tailBytes = 28 << 10

// sameSets, divided by the greatest power of two in a stride, is how many elements are worked on at
// a time, or sameLines if that is more: cache lines that lie a multiple of a large power of two
// apart share few sets of the nearest cache, each of which has room for some.
const sameSets, sameLines = 16 << 10, 8

// rowsOfTail is how many times a line is repeated for one index before the next: the cache lines of items that
// have elements of several indices are near then.
const rowsOfTail = 16

// copyTail copies the tails of some rows: some of the line for one row after the other, and that for the loops around it.
func copyTail[T any](p *part, r rowsAt, sets bool) {
	line, rows, others, length := p.lines(true)
	atOnce := line.atOnce(len(r.offsets))
	around := max(length, atOnce)
	for from := 0; from < line.N; from += around {
		p.inner.reset(others, position{})
		for more := true; more; more = p.inner.step() {
			for l := from; l < min(from+around, line.N); l += atOnce {
				n := min(atOnce, line.N-l)
				for row := 0; row < rows.N; row += rowsOfTail {
					from := p.inner.position.plus(l, &line).plus(row, &rows)
					for t, at := range r.offsets {
						item, datum := byteOf(p.Items, r.at(t)+from.items), byteOf(p.Data, int(at)+from.data)
						if times := min(rowsOfTail, rows.N-row); sets {
							copyLines[T](datum, item, n, times, line.Data, line.Items, rows.Data, rows.Items)
						} else {
							copyLines[T](item, datum, n, times, line.Items, line.Data, rows.Items, rows.Data)
						}
					}
				}
			}
		}
	}
}

// atOnce is how many iterations of a line are run for some rows before what repeats it: they stay in the nearest cache.
func (l *Loop) atOnce(rows int) int {
	most := simd.CacheLine * rows
	return max(sameLines, min(tailBytes/max(1, min(l.Data*rows, most)+min(l.Items, most)), sameSets/l.power()))
}

// power is the greatest power of two in the longer stride of a loop.
func (l *Loop) power() int {
	stride := max(1, l.Data, l.Items)
	return stride & -stride
}

// copyLines copies n elements of a line, and of it repeated some times: step and jump are from one element to the next, and
// nextTo and nextFrom from one repetition to the next.
func copyLines[T any](to, from *byte, n, times, step, jump, nextTo, nextFrom int) {
	items, data := unsafe.Pointer(to), unsafe.Pointer(from)
	for t := range times {
		to, from := t*nextTo, t*nextFrom
		for range n / 4 {
			a, b := *(*T)(unsafe.Add(data, from)), *(*T)(unsafe.Add(data, from+jump))
			c, d := *(*T)(unsafe.Add(data, from+2*jump)), *(*T)(unsafe.Add(data, from+3*jump))
			*(*T)(unsafe.Add(items, to)), *(*T)(unsafe.Add(items, to+step)) = a, b
			*(*T)(unsafe.Add(items, to+2*step)), *(*T)(unsafe.Add(items, to+3*step)) = c, d
			to, from = to+4*step, from+4*jump
		}
		for range n % 4 {
			*(*T)(unsafe.Add(items, to)) = *(*T)(unsafe.Add(data, from))
			to, from = to+step, from+jump
		}
	}
}
