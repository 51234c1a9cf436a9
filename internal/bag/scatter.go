package bag

import (
	"bytes"

	"gorgonia.org/gather/internal/num"
	"gorgonia.org/gather/internal/par"
	"gorgonia.org/gather/internal/simd"
)

// Short bags of short rows: their results are set to what bags without positions have,
// and each row is combined with its bag's result in memory. A loop over each bag would be
// a branch at each end, and no processor can predict those.

// Bags are reduced so if their positions are fewer than this on average, and their rows
// are no longer, or for segments of fewer positions than fewPositions no longer than
// segmentBytes: rows of a table should be prefetched then. See benchmarks/results/bags.md.
const (
	scatterBytes, scatterPositions = 64, 16
	segmentBytes, fewPositions     = 256, 4
)

// scatters reports whether bags are reduced so.
func (r *reduction) scatters() bool {
	switch {
	case r.ofNumbers() && (r.Idx != nil || r.Segments == nil), len(r.Stored.Bytes) > 0:
		return false
	case r.Weights != nil && r.Kind >= num.Complex64: // the loop takes the weights' conjugates
		return false
	case r.row <= scatterBytes && r.n/scatterPositions < r.Bags:
		return true
	}
	return r.row <= segmentBytes && r.Idx == nil && r.n/fewPositions < r.Bags
}

// scatterBags is how many bags are reduced at a time: their results stay in the cache.
const scatterBags = 512

// scatterRows reduces some bags, and returns the first position with a bad index, or -1.
func (r *reduction) scatterRows(bags interval) int {
	buf := buffers.Get().(*buffer)
	defer buffers.Put(buf)
	for p := r.First(bags.lo, r.n); bags.lo < bags.hi; {
		now := interval{bags.lo, min(bags.lo+scatterBags, bags.hi)}
		in := interval{p, r.End(now.hi-1, p, r.n)}
		r.setEmpty(r.out[now.lo*r.row:now.hi*r.row], 0)
		bad := -1
		if items := simd.ShortBags[r.Kind][r.op()].Items; items != nil && r.Inner <= 3 && r.Idx == nil && r.Segments != nil && r.Weights == nil {
			r.scatterItems(in, items)
		} else {
			bad = r.scatterSome(in, now.lo)
		}
		if bad >= 0 {
			return bad
		}
		if r.Reduction == num.Mean {
			r.counts(buf.counts[:now.hi-now.lo], now.lo, in)
			r.divide(buf, r.out[now.lo*r.row:], now.hi-now.lo, r.row)
		}
		bags.lo, p = now.hi, in.hi
	}
	return -1
}

// scatterSome combines the rows of some positions with the results of their bags, from the
// one given on.
func (r *reduction) scatterSome(in interval, bag int) int {
	w := par.WindowOf(simd.OffsetsAtOnce, 0)
	defer w.Release()
	out, table, start := num.Pointer(r.out), num.Pointer(r.Table), num.Pointer(r.start())
	combine, set, scaled := simd.CombineLoop(r.Kind, r.op(), r.row), simd.FillLoop(r.row), simd.Active().Bags[r.Kind].AddScaledRows
	before := int64(-1) // the bag, times the bytes of a row, whose result has been begun
	return r.each(w, in, bag, r.row, whole, func(n int) {
		if start != nil {
			begun := 0
			for begun < n && w.Places[begun] == before {
				begun++
			}
			if begun < n {
				set(out, start, &w.Places[begun], &simd.InOrder[0], n-begun, r.row, 0, 0)
			}
			before = w.Places[n-1]
		}
		if r.Weights != nil {
			scaled(out, table, &w.Places[0], &w.Offsets[0], num.Pointer(w.Weights()), n, r.row, 1, 0)
		} else {
			combine(out, table, &w.Places[0], &w.Offsets[0], n, r.row, 1, 0)
		}
	})
}

// scatterItems is scatterSome where each row is a few numbers and has a segment id: loops
// read and check these themselves.
func (r *reduction) scatterItems(in interval, items simd.ItemLoops) {
	start, which := r.start(), 1
	if r.Short {
		which = 0
	}
	combine, set := items[which], simd.SetShortItems(r.row)[which]
	for p := in.lo; p < in.hi; {
		n := min(simd.ItemsAtOnce, in.hi-p)
		if start != nil {
			begun := p
			for before := r.segment(p - 1); p > in.lo && begun < p+n && r.segment(begun) == before; {
				begun++
			}
			r.runItems(set, start, begun, p+n-begun)
		}
		r.runItems(combine, r.Table[p*r.row:], p, n)
		p += n
	}
}

// segment is the id of a position, or -1 for none.
func (r *reader) segment(p int) int {
	switch {
	case p < 0:
		return -1
	case r.Short:
		return int(num.As[int32](r.Segments)[p])
	}
	return int(num.As[int64](r.Segments)[p])
}

// runItems runs a loop over rows and n segment ids from position p on. An id
// that is out of range ends it: it has been changed during the call. It is not inlined:
// here a goroutine can be stopped between two loops.
//
//go:noinline
func (r *reduction) runItems(loop simd.ItemLoop, items []byte, p, n int) {
	if n > 0 {
		width := 8
		if r.Short {
			width = 4
		}
		loop(num.Pointer(r.out), num.Pointer(items), &r.Segments[p*width], n, r.Bags, 0, r.row, 0)
	}
}

// op is what combines two rows: those of a mean are added, and divided afterwards.
func (r *reader) op() num.Reduction {
	if r.Reduction == num.Mean {
		return num.Add
	}
	return r.Reduction
}

// start is the row that a result starts from, or nil if bags without positions have it,
// too.
func (r *reduction) start() []byte {
	neutral, empty := num.Neutral(r.Kind, r.Reduction)[:r.row], r.Empty
	if empty == nil {
		empty = zeros[:r.width]
	}
	if r.Default < 0 && bytes.Equal(empty, neutral[:r.width]) {
		return nil
	}
	return neutral
}

var zeros [16]byte
