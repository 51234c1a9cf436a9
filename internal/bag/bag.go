// Package bag reduces bags of rows of a table, none of which is written down before it
// is summed, and makes the gradients of that.
//
// A Description says what the bags are. It is made once, by the caller, and read by all
// that runs. A function that runs it has a job of its own, a value from a pool, with the
// results it writes to. Jobs are work for package par: their pieces are bags, columns,
// positions, or partitions of the table.
//
// Segments of rows are bags, too: position p is row p. The softmax of segments is in
// softmax.go.
package bag

import (
	"sync"

	"gorgonia.org/gather/internal/num"
	"gorgonia.org/gather/internal/par"
	"gorgonia.org/gather/internal/quant"
	"gorgonia.org/gather/internal/simd"
)

// Description is sums of rows of a table: bag b is some of the positions 0 to n, each of
// which has an index of a row,
//
//	out[b, c] = Σ table[idx[p], c] over the positions p of bag b
//
// or the mean, product, least or greatest of them. Sums begin with 0 and go through the
// positions in order, each step rounded to the kind: they are the same for any number of
// goroutines.
//
// All memory is packed and in row-major order. What is checked here is the
// indices' values; that the borders are ascending is checked by Borders.Check,
// and memory is safe if they are not.
type Description struct {
	Kind      num.Kind
	Reduction num.Reduction // Add, Mean, Mul, Min or Max; complex numbers have no Min and Max

	Table       []byte // (Rows, Inner); Check and AddGradient of Add and Mean need none
	Rows, Inner int
	// Stored are the rows where they are not elements of the kind, which is float32 or
	// float64, in memory of their alignment: each is decoded before it is used, and there
	// is no Table. For Reduce and WeightsGradient.
	Stored quant.Rows

	Idx         []byte // the row of each position, as int32 or int64; nil if position p has row p
	Idx32       bool
	NonNegative bool // negative indices are out of range
	// SkipBad leaves out positions whose index is out of range, as if they were not
	// there: the mean does not count them.
	SkipBad bool

	Weights []byte // what each position's row is multiplied by, of the table's kind; nil: 1. For Add only
	Borders
	// Default is the row that is the result of a bag without positions, or -1: the
	// elements of such a result are Empty, or 0 if that is nil.
	Default int
	Empty   []byte
}

// interval is a range from lo to hi.
type interval struct{ lo, hi int }

// elementGrain is how many elements a goroutine should at least add to be worth its start.
const elementGrain = 16 << 10

// reader is a Description with its indices as numbers.
type reader struct {
	Description
	n     int // how many positions
	idx32 []int32
	idx64 []int64
	axis  simd.Axis
	width int // bytes of an element
	row   int // bytes of a row
}

func (d *Description) reader() reader {
	r := reader{Description: *d, width: d.Kind.Width(), row: d.Inner * d.Kind.Width(), n: d.positions()}
	if d.Table != nil {
		r.Table = d.Table[:d.Rows*r.row]
	}
	switch {
	case d.Idx == nil:
	case d.Idx32:
		r.idx32 = num.As[int32](d.Idx)
	default:
		r.idx64 = num.As[int64](d.Idx)
	}
	r.axis = simd.Axis{Size: uint64(d.Rows), NegativeOffset: uint64(d.Rows), Stride: int64(r.row)}
	if r.Stored.Bytes != nil {
		r.axis.Stride = int64(r.Stored.Storage.RowBytes(r.Inner))
	}
	if d.NonNegative {
		r.axis.NegativeOffset = 0
	}
	return r
}

// offsets turns the indices of positions from p on into offsets of rows, in bytes, up
// to the first bad one, and returns how many.
func (r *reader) offsets(to []int64, p int) int {
	switch {
	case r.idx32 != nil:
		return simd.Resolve(to, r.idx32[p:p+len(to)], r.axis, 0, 0)
	case r.idx64 != nil:
		return simd.Resolve(to, r.idx64[p:p+len(to)], r.axis, 0, 0)
	}
	for t := range to {
		to[t] = int64(p+t) * r.axis.Stride
	}
	return len(to)
}

// resolve is offsets with par.LeftOut for the positions that are left out, if there are
// any.
func (r *reader) resolve(to []int64, p int) (n int, leavesOut bool) {
	n = r.offsets(to, p)
	for r.SkipBad && n < len(to) {
		to[n], leavesOut = par.LeftOut, true
		n++
		n += r.offsets(to[n:], p+n)
	}
	return n, leavesOut
}

// prefetchIndices prefetches those of n positions from p on, which are resolved next.
func (r *reader) prefetchIndices(p, n int) {
	if width := r.idxWidth(); width > 0 {
		simd.Prefetch(num.Pointer(r.Idx), p*width, min(n, r.n-p)*width)
	}
}

// idxWidth is the bytes of an index, or 0 if there are none.
func (d *Description) idxWidth() int {
	switch {
	case d.Idx == nil:
		return 0
	case d.Idx32:
		return 4
	}
	return 8
}

// positions is how many there are.
func (d *Description) positions() int {
	if d.Idx == nil {
		return d.Rows
	}
	return len(d.Idx) / d.idxWidth()
}

// job makes out of grad, by pieces of positions or of bags.
type job struct {
	reader
	out, grad []byte
	piece     func(j *job, lo, hi int) int
}

var jobs = sync.Pool{New: func() any { return new(job) }}

func (j *job) Piece(lo, hi int) int { return j.piece(j, lo, hi) }

// run runs a job of n positions or bags, of so many bytes each.
func (d *Description) run(out, grad []byte, n, bytes int, piece func(j *job, lo, hi int) int) int {
	j := jobs.Get().(*job)
	*j = job{d.reader(), out, grad, piece}
	bad := par.Run(j, n, par.Grains(n, bytes))
	*j = job{}
	jobs.Put(j)
	return bad
}

// each resolves some positions, the first of which is in the bag given or a later one:
// each row has its bag, times unit, as its place, and its weight if there are any. Those that are left out and those
// of other partitions are not in the window. It calls do whenever n rows are ready, and
// returns the first position with a bad index, or -1.
func (r *reader) each(w *par.Window, in interval, bag, unit int, part par.Partition, do func(n int)) int {
	w.UsePlaces()
	if r.Weights != nil {
		w.UseWeights(r.width)
	}
	for p := in.lo; p < in.hi || w.Len() > 0; {
		from := w.Len()
		free := w.Free(in.hi - p)
		n, leavesOut := r.resolve(free, p)
		bag = r.places(w.Places[from:][:n], p, r.n, bag, unit)
		if r.Weights != nil {
			copy(w.Weights()[from*r.width:], r.Weights[p*r.width:(p+n)*r.width])
		}
		w.Add(n)
		switch {
		case leavesOut && part == everything:
			for t, offset := range free {
				free[t] = max(offset, 0)
			}
		case leavesOut || part.Of > 1:
			w.Keep(from, part, nil)
		}
		if p += n; n < len(free) {
			return p
		}
		r.prefetchIndices(p, len(free))
		if now := w.Ready(p == in.hi); now > 0 {
			do(now)
			w.Drop(now)
		}
	}
	return -1
}

// whole is the partition that has all rows, and everything that of all positions.
var whole, everything = par.Partition{Of: 1}, par.Partition{}

// rowAt is the row of a position.
func (r *reader) rowAt(p int) (row int, ok bool) {
	v := int64(p)
	switch {
	case r.idx32 != nil:
		v = int64(r.idx32[p])
	case r.idx64 != nil:
		v = r.idx64[p]
	}
	j, ok := r.axis.Fix(v)
	return int(j), ok
}

// firstBad is the first of some positions with a bad index, or -1.
func (r *reader) firstBad(lo, hi int) int {
	if r.Idx == nil {
		return -1
	}
	w := par.WindowOf(simd.OffsetsAtOnce, 0)
	defer w.Release()
	for lo < hi {
		free := w.Free(hi - lo)
		n := r.offsets(free, lo)
		if lo += n; n < len(free) {
			return lo
		}
	}
	return -1
}

// refused is firstBad, but -1 where positions with a bad index are left out.
func (r *reader) refused(lo, hi int) int {
	if r.SkipBad {
		return -1
	}
	return r.firstBad(lo, hi)
}

// count is how many of the positions are not left out.
func (r *reader) count(lo, hi int) int {
	if !r.SkipBad {
		return hi - lo
	}
	n := 0
	for p := lo; p < hi; p++ {
		if _, ok := r.rowAt(p); ok {
			n++
		}
	}
	return n
}

// counts writes how many of some positions each of some bags, the first of which is
// given, has that are not left out. ends is memory.
func (r *reader) counts(to []int32, ends []int64, bag int, in interval) {
	switch {
	case r.Segments != nil && !r.SkipBad && r.Short:
		countIDs(to, num.As[int32](r.Segments)[in.lo:in.hi], bag)
	case r.Segments != nil && !r.SkipBad:
		countIDs(to, num.As[int64](r.Segments)[in.lo:in.hi], bag)
	default:
		start := 0
		r.ends(ends[:len(to)], bag, in.lo, r.n)
		for t, end := range ends[:len(to)] {
			to[t] = int32(r.count(in.lo+start, in.lo+int(end)))
			start = int(end)
		}
	}
}

// countIDs counts the segment ids from first on.
func countIDs[I simd.Index](to []int32, ids []I, first int) {
	clear(to)
	for _, id := range ids {
		if bag := uint64(id) - uint64(first); bag < uint64(len(to)) {
			to[bag]++
		}
	}
}

// inBags are the positions that belong to a bag, or none if there is nothing to be
// computed.
func (r *reader) inBags() interval {
	if r.row == 0 || r.Bags == 0 {
		return interval{r.n, r.n}
	}
	return interval{r.First(0, r.n), r.First(r.Bags, r.n)}
}

// around runs a job on the positions that belong to a bag, and checks the indices of the
// others. It returns the first position with a bad index, or -1.
func (r *reader) around(run func(positions int) int) int {
	in := r.inBags()
	bad := r.refused(0, in.lo)
	if bad < 0 && r.row > 0 && r.Bags > 0 {
		bad = run(in.hi - in.lo)
	}
	if bad < 0 {
		bad = r.refused(in.hi, r.n)
	}
	return bad
}
