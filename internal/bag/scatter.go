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

// Bags are reduced so if their rows are no longer than scatterBytes and their positions on
// average fewer than fewPositions or, if these have segment ids, scatterPositions. Rows that
// no index names need no prefetch: if they have few positions they may be as long as
// segmentBytes. See benchmarks/results/bags.md.
const (
	scatterBytes, scatterPositions = 64, 16
	segmentBytes, fewPositions     = 256, 4
)

// scatters reports whether bags are reduced so.
func (r *reduction) scatters() bool {
	few := r.n/fewPositions < r.Bags
	switch {
	case len(r.Stored.Bytes) > 0, r.Weights != nil && r.Kind >= num.Complex64: // the loop takes the weights' conjugates
		return false
	case r.isShort():
		return r.isItems() && r.n/scatterPositions < r.Bags
	case r.row <= scatterBytes:
		return few || r.Segments != nil && r.n/scatterPositions < r.Bags
	}
	return r.row <= segmentBytes && r.Idx == nil && few
}

// isItems reports whether rows of a few numbers are added that have segment ids: a loop
// reads and checks these itself.
func (r *reduction) isItems() bool {
	return r.isShort() && r.op() == num.Add && r.Idx == nil && r.Segments != nil && r.start() == nil
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
		if r.isItems() {
			r.addItems(in)
		} else {
			bad = r.scatterSome(in, now.lo)
		}
		if bad >= 0 {
			return bad
		}
		if r.Reduction == num.Mean {
			r.counts(buf.counts[:now.hi-now.lo], buf.ends[:], now.lo, in)
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
	combine, set, scaled := simd.Active().Combine[r.Kind][r.op()].Rows, simd.FillLoop(r.row), simd.Active().Bags[r.Kind].AddScaledRows
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

// addItems adds the rows of some positions to the results. An id that is out of range has
// been changed during the call, and the rest is left out.
func (r *reduction) addItems(in interval) {
	width, which := 8, 1
	if r.Short {
		width, which = 4, 0
	}
	if n := in.hi - in.lo; n > 0 {
		simd.AddShortItems[r.Kind][which](num.Pointer(r.out), &r.Table[in.lo*r.row], &r.Segments[in.lo*width], n, r.Bags, 0, r.row, 0)
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
