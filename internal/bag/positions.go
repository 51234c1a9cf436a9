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
	case r.Idx == nil:
		for t := range to {
			to[t] = int64(p+t) * r.axis.Stride
		}
		return len(to)
	case r.Idx32:
		return simd.Resolve(to, num.As[int32](r.Idx)[p:p+len(to)], r.axis, 0, 0)
	}
	return simd.Resolve(to, num.As[int64](r.Idx)[p:p+len(to)], r.axis, 0, 0)
}

// fill adds some of the positions to a window, with their weights if there are any. It
// returns how many, and whether the one behind them has a bad index.
func (r *reader) fill(w *par.Window, in interval) (n int, leavesOut, bad bool) {
	from, free := w.Len(), w.Free(in.hi-in.lo)
	n = r.offsets(free, in.lo)
	for r.SkipBad && n < len(free) {
		free[n], leavesOut = par.LeftOut, true
		n++
		n += r.offsets(free[n:], in.lo+n)
	}
	if r.Weights != nil {
		copy(w.Weights()[from*r.width:], r.Weights[in.lo*r.width:(in.lo+n)*r.width])
	}
	w.Add(n)
	return n, leavesOut, n < len(free)
}

// positions is how many there are.
func (d *Description) positions() int {
	if d.Idx == nil {
		return d.Rows
	}
	return len(d.Idx) / num.IndexBytes(d.Idx32)
}

// each resolves some positions, the first of which is in the bag given or a later one:
// each row has its bag, times unit, as its place, and its weight if there are any. Those that
// are left out and those of other partitions are not in the window. It calls do whenever n
// rows are ready, and returns the first position with a bad index, or -1.
func (r *reader) each(w *par.Window, in interval, bag, unit int, part par.Partition, do func(n int)) int {
	w.UsePlaces()
	if r.Weights != nil {
		w.UseWeights(r.width)
	}
	for in.lo < in.hi || w.Len() > 0 {
		from := w.Len()
		n, leavesOut, bad := r.fill(w, in)
		bag = r.places(w.Places[from:][:n], in.lo, bag, unit)
		switch offsets := w.Offsets[from:][:n]; {
		case leavesOut && part == everything:
			for t, offset := range offsets {
				offsets[t] = max(offset, 0)
			}
		case leavesOut || part.Of > 1:
			w.Keep(from, part, nil)
		}
		if in.lo += n; bad {
			return in.lo
		}
		if now := w.Ready(in.lo == in.hi); now > 0 {
			do(now)
			w.Drop(now)
		}
	}
	return -1
}

// whole is the partition that has all rows, and everything that of all positions.
var whole, everything = par.Partition{Of: 1}, par.Partition{}

// index is the index of a position, counted from the front. There must be indices.
func (r *reader) index(p int) uint64 {
	return simd.Row(num.Index(r.Idx, r.Idx32, p), r.axis.NegativeOffset)
}

// rowAt is the row of a position, if its index is good.
func (r *reader) rowAt(p int) (row int, ok bool) {
	if r.Idx == nil {
		return p, true
	}
	j := r.index(p)
	return int(j), j < r.axis.Size
}

// leftOut reports whether a position is skipped.
func (r *reader) leftOut(p int) bool { return r.SkipBad && r.Idx != nil && r.index(p) >= r.axis.Size }

// refused is the first of some positions with a bad index, or -1, as it is where these are
// left out.
func (r *reader) refused(lo, hi int) int {
	if r.SkipBad || r.Idx == nil || lo == hi {
		return -1
	}
	n := lo
	if r.Idx32 {
		n += simd.Good(num.As[int32](r.Idx)[lo:hi], 1, r.axis)
	} else {
		n += simd.Good(num.As[int64](r.Idx)[lo:hi], 1, r.axis)
	}
	if n < hi {
		return n
	}
	return -1
}

// count is how many of the positions are not left out.
func (r *reader) count(in interval) int {
	n := in.hi - in.lo
	for p := in.lo; r.SkipBad && p < in.hi; p++ {
		if r.leftOut(p) {
			n--
		}
	}
	return n
}

// counts writes how many positions of each of some bags are not left out; in are those of all these bags.
func (r *reader) counts(buf *buffer, bags, in interval) {
	to := buf.counts[:bags.hi-bags.lo]
	switch {
	case r.Segments != nil && !r.SkipBad && r.Short:
		countIDs(to, num.As[int32](r.Segments)[in.lo:in.hi], bags.lo)
	case r.Segments != nil && !r.SkipBad:
		countIDs(to, num.As[int64](r.Segments)[in.lo:in.hi], bags.lo)
	default:
		p, ends := in.lo, buf.ends[:len(to)]
		r.ends(ends, bags.lo, in)
		for t, end := range ends {
			now := interval{p, in.lo + int(end)}
			to[t], p = int32(r.count(now)), now.hi
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

// inBags are the positions that belong to a bag. If there is nothing to be computed ok is false, and they are none: outside then
// checks all.
func (r *reader) inBags() (in interval, ok bool) {
	if r.row == 0 || r.Bags == 0 {
		return in, false
	}
	return interval{r.First(0, r.n), r.First(r.Bags, r.n)}, true
}

// outside checks the indices of the positions before and behind those in bags. bad is the first position in bags with a bad index, or
// -1; outside returns the first of all.
func (r *reader) outside(in interval, bad int) int {
	if before := r.refused(0, in.lo); before >= 0 {
		return before
	}
	if bad >= 0 {
		return bad
	}
	return r.refused(in.hi, r.n)
}
