// Package bag reduces bags of rows of a table, none of which is written down before it
// is summed, and makes the gradients of that.
//
// A Description says what the bags are. It is made once, by the caller, and read by all
// that runs. A function that runs it has a job of its own, a value from a pool, with the
// results it writes to. Jobs are work for package par: their pieces are bags, columns,
// positions, or partitions of the table.
package bag

import (
	"gorgonia.org/gather/internal/num"
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
	// Fill leaves out positions whose index is out of range, as if they were not
	// there: the mean does not count them.
	Fill bool

	Weights []byte // what each position's row is multiplied by, of the table's kind; nil: 1. For Add only
	Borders
	// Default is the row that is the result of a bag without positions, or -1: such
	// a result is 0.
	Default int
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
	r := reader{Description: *d, width: d.Kind.Width(), row: d.Inner * d.Kind.Width(), n: d.Rows}
	if d.Table != nil {
		r.Table = d.Table[:d.Rows*r.row]
	}
	switch {
	case d.Idx == nil:
	case d.Idx32:
		r.idx32 = num.As[int32](d.Idx)
		r.n = len(r.idx32)
	default:
		r.idx64 = num.As[int64](d.Idx)
		r.n = len(r.idx64)
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

// offsets turns the indices of n positions from p on into offsets of rows, in
// bytes, up to the first bad one, and returns how many.
func (r *reader) offsets(to []int64, p, n int) int {
	switch {
	case r.idx32 != nil:
		return simd.Resolve(to[:n], r.idx32[p:p+n], r.axis, 0, 0)
	case r.idx64 != nil:
		return simd.Resolve(to[:n], r.idx64[p:p+n], r.axis, 0, 0)
	}
	for t := range n {
		to[t] = int64(p+t) * r.axis.Stride
	}
	return n
}

// prefetchIndices prefetches those of n positions from p on, which are resolved next.
func (r *reader) prefetchIndices(p, n int) {
	width := 8
	switch {
	case r.Idx == nil:
		return
	case r.Idx32:
		width = 4
	}
	simd.Prefetch(num.Pointer(r.Idx), p*width, min(n, r.n-p)*width)
}

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
	buf := simd.OffsetsPool.Get().(*simd.Offsets)
	defer simd.OffsetsPool.Put(buf)
	for lo < hi {
		n := min(simd.OffsetsAtOnce, hi-lo)
		done := r.offsets(buf[:], lo, n)
		if lo += done; done < n {
			return lo
		}
	}
	return -1
}

// refused is firstBad, but -1 where positions with a bad index are left out.
func (r *reader) refused(lo, hi int) int {
	if r.Fill {
		return -1
	}
	return r.firstBad(lo, hi)
}

// count is how many of the positions count: all, or those with a good index.
func (r *reader) count(lo, hi int) int {
	if !r.Fill {
		return hi - lo
	}
	switch {
	case r.idx32 != nil:
		return countGood(r.idx32[lo:hi], &r.axis)
	case r.idx64 != nil:
		return countGood(r.idx64[lo:hi], &r.axis)
	}
	return hi - lo
}

func countGood[I simd.Index](idx []I, axis *simd.Axis) int {
	n := 0
	for _, v := range idx {
		if _, ok := axis.Fix(int64(v)); ok {
			n++
		}
	}
	return n
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

// search is the first of 0 to n for which a condition holds, or n; it holds for
// all that follow. Borders that change meanwhile make it wrong, not unsafe.
func search(n int, holds func(int) bool) int {
	lo := 0
	for lo < n {
		middle := int(uint(lo+n) >> 1)
		if holds(middle) {
			n = middle
		} else {
			lo = middle + 1
		}
	}
	return lo
}
