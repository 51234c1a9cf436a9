package bag

import (
	"math/bits"

	"gorgonia.org/gather/internal/num"
	"gorgonia.org/gather/internal/par"
	"gorgonia.org/gather/internal/simd"
)

// divide divides the sums of n bags, of which so many bytes are in out, by their counts,
// which are in the buffer. Those without positions stay as they are.
func (r *reduction) divide(buf *buffer, out []byte, n, bytes int) {
	counts, means := buf.counts[:n], simd.Active().Means[r.Kind]
	switch {
	case r.Kind == num.Int64 || r.Kind == num.Uint64:
		r.divideWords(out, counts, bytes)
		return
	case r.Inner == 1:
		means.Divide(out[:n*r.row], num.Bytes(counts), 0)
		return
	}
	full := 0
	for b, count := range counts {
		counts[full], buf.places[full] = count, int64(b*r.row)
		full += int(uint32(-count) >> 31)
	}
	means.DivideRows(out, buf.places[:full], counts[:full], bytes)
}

// divideWords divides sums of integers of 64 bits, of which none overflows an int64.
func (r *reduction) divideWords(out []byte, counts []int32, bytes int) {
	for b, count := range counts {
		if count == 0 {
			continue
		}
		row, n := num.As[int64](out[b*r.row:][:bytes]), int64(count)
		for i, sum := range row {
			quo, rem := sum/n, sum%n
			row[i] = quo + rem>>63 // Go rounds toward zero
		}
	}
}

// A mean of integers of 64 bits is a sum, divided, if that cannot overflow. The numbers
// tell: they are read for that, as a table or, if that is much larger, by their positions.

// overflows reports whether sums of integers may overflow their kind.
func (r *reduction) overflows() bool {
	if r.Kind != num.Int64 && r.Kind != num.Uint64 {
		return true
	}
	r.magnitude.Store(0)
	rows := r.n
	if r.readsTable() {
		rows = r.Rows
	}
	par.Run((*magnitudes)(r), rows, par.Grains(rows, r.row))
	return bits.Len64(r.magnitude.Load())+bits.Len(uint(r.n)) > 63
}

// readsTable reports whether magnitudes reads the table from front to back: short rows that
// are not needed take less time than to find those that are.
func (r *reduction) readsTable() bool { return r.Rows <= r.n || r.Inner < 8 && r.Rows/4 <= r.n }

// rowsAhead is how many rows ahead magnitudes prefetches one.
const rowsAhead = 8

// magnitudes is a reduction whose pieces are rows of the table or, if that has many more,
// positions: it has all bits that their numbers have beside the sign.
type magnitudes reduction

func (m *magnitudes) Piece(lo, hi int) int {
	var all uint64
	table := num.As[int64](m.Table)
	if !(*reduction)(m).readsTable() {
		for p := lo; p < hi; p++ {
			if j, ok := m.rowAt(min(p+rowsAhead, hi-1)); ok {
				simd.Prefetch(num.Pointer(m.Table), j*m.row, m.row)
			}
			if j, ok := m.rowAt(p); ok {
				all |= magnitude(table[j*m.Inner:][:m.Inner], m.Kind)
			}
		}
	} else {
		all = magnitude(table[lo*m.Inner:hi*m.Inner], m.Kind)
	}
	m.magnitude.Or(all)
	return -1
}

func magnitude(numbers []int64, kind num.Kind) uint64 {
	var a, b int64
	signed := int64(-1)
	if kind == num.Uint64 {
		signed = 0
	}
	for ; len(numbers) >= 2; numbers = numbers[2:] {
		a |= numbers[0] ^ numbers[0]>>63&signed
		b |= numbers[1] ^ numbers[1]>>63&signed
	}
	for _, x := range numbers {
		a |= x ^ x>>63&signed
	}
	return uint64(a | b)
}

// meanColumns is how many columns a mean of integers works on at a time, and meanSums how
// many sums: they stay in the near caches.
const (
	meanColumns = 512
	meanSums    = 2048
)

// intMeans has what makes the means of integers, for each kind. Its functions are made
// once: a generic function made into a value where it is used would be an allocation in
// every call.
var intMeans = [num.Kinds]func(r *reduction, bags, columns interval) int{
	num.Int8: meanIntegers[int8], num.Int16: meanIntegers[int16], num.Int32: meanIntegers[int32], num.Int64: meanIntegers[int64],
	num.Uint8: meanIntegers[uint8], num.Uint16: meanIntegers[uint16], num.Uint32: meanIntegers[uint32], num.Uint64: meanIntegers[uint64],
}

// meanIntegers writes the exact means of some columns of some bags, rounded toward
// minus infinity.
func meanIntegers[T num.Integer](r *reduction, bags, columns interval) int {
	buf := buffers.Get().(*buffer)
	defer buffers.Put(buf)
	for part := columns.lo; part < columns.hi; part += meanColumns * r.width {
		c := interval{part, min(part+meanColumns*r.width, columns.hi)}
		n := (c.hi - c.lo) / r.width
		atOnce := min(meanSums/n, len(buf.counts))
		for lo, p := bags.lo, r.First(bags.lo, r.n); lo < bags.hi; {
			hi := min(lo+atOnce, bags.hi)
			in := interval{p, r.End(hi-1, p, r.n)}
			if bad := meanSome[T](r, buf, interval{lo, hi}, c, in); bad >= 0 {
				return bad
			}
			lo, p = hi, in.hi
		}
	}
	return -1
}

// meanSome writes the means of some columns of some bags, which have some positions.
func meanSome[T num.Integer](r *reduction, buf *buffer, bags, columns, in interval) int {
	n := (columns.hi - columns.lo) / r.width
	buf.sums = num.Resize(buf.sums, (bags.hi-bags.lo)*n)
	clear(buf.sums)
	w := r.window(r.row)
	defer w.Release()
	table := num.As[T](r.Table[columns.lo:])
	counts := buf.counts[:bags.hi-bags.lo]
	clear(counts)
	bad := r.each(w, in, bags.lo, 1, whole, func(rows int) {
		for t, bag := range w.Places[:rows] {
			// Borders that are changed during the call may give other bags.
			if b := int(bag) - bags.lo; uint(b) < uint(len(counts)) {
				counts[b]++
				num.AddWide(buf.sums[b*n:][:n], table[int(w.Offsets[t])/r.width:][:n])
			}
		}
	})
	for b, count := range counts {
		out := r.out[(bags.lo+b)*r.row:][columns.lo:columns.hi]
		if count == 0 {
			r.setEmpty(out, columns.lo)
			continue
		}
		to := num.As[T](out)
		for i, sum := range buf.sums[b*n:][:n] {
			to[i] = num.MeanOf[T](sum, int(count))
		}
	}
	return bad
}
