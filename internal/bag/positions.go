package bag

import (
	"gorgonia.org/gather/internal/num"
	"gorgonia.org/gather/internal/par"
	"gorgonia.org/gather/internal/simd"
)

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
