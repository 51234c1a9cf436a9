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
// average fewer than fewPositions or, if they end at random, scatterPositions. Rows that
// no index names need no prefetch: if they have few positions they may be as long as
// segmentBytes. Of up to learntPositions a processor learns the ends that offsets give, when
// they come again. See benchmarks/results/bags.md and thresholds.md.
const (
	scatterBytes, scatterPositions = 64, 12
	segmentBytes, fewPositions     = 256, 3
	learntPositions                = 64 << 10
)

// scatters reports whether bags are reduced so.
func (r *reduction) scatters() bool {
	few := r.n/fewPositions < r.Bags
	unlearnt := r.n >= learntPositions && (r.Offsets != nil || r.Segments != nil)
	fewAtRandom := (unlearnt || r.Segments != nil) && r.n/scatterPositions < r.Bags
	switch {
	case len(r.Stored.Bytes) > 0, r.Weights != nil && r.Kind >= num.Complex64: // the loop takes the weights' conjugates
		return false
	case r.short != nil:
		if r.Idx == nil {
			return fewAtRandom
		}
		return few && unlearnt
	case r.row <= scatterBytes:
		return few || fewAtRandom
	}
	return r.row <= segmentBytes && r.Idx == nil && few
}

// The results of so many bags, of so many bytes, are made at a time: they stay in the cache.
const (
	scatterBags    = 1024
	scatterResults = 32 << 10
)

// scatterRows reduces some bags, and returns the first position with a bad index, or -1.
func (r *reduction) scatterRows(bags interval) int {
	buf, start, atOnce := buffers.Get().(*buffer), r.start(), scatterBags
	defer buffers.Put(buf)
	if r.Reduction != num.Mean {
		atOnce = max(atOnce, scatterResults/r.row)
	}
	for p := r.First(bags.lo, r.n); bags.lo < bags.hi; {
		now := interval{bags.lo, min(bags.lo+atOnce, bags.hi)}
		in := interval{p, r.End(now.hi-1, p, r.n)}
		r.setEmpty(r.out[now.lo*r.row:now.hi*r.row], 0)
		if r.short != nil && r.Idx == nil {
			r.scatterItems(in, start != nil)
		} else if bad := r.scatterSome(in, now.lo, start); bad >= 0 {
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
func (r *reduction) scatterSome(in interval, bag int, startRow []byte) int {
	w := par.WindowOf(simd.OffsetsAtOnce, 0)
	defer w.Release()
	out, table, start := num.Pointer(r.out), num.Pointer(r.Table), num.Pointer(startRow)
	combine, set, scaled := simd.Active().Combine[r.Kind][r.op()].Rows, simd.SetLoop(r.row), simd.Active().Bags[r.Kind].AddScaledRows
	before := int64(-1) // the bag, times the bytes of a row, whose result has been begun
	return r.each(w, in, bag, r.row, whole, func(n int) {
		if start != nil {
			begun := 0
			for begun < n && w.Places[begun] == before {
				begun++
			}
			if begun < n {
				set(out, start, &w.Places[begun], &simd.Iota[0], n-begun, r.row, 0, 0)
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

// scatterItems is scatterSome for rows of a few numbers that have segment ids: a loop reads
// and checks these itself. An id that is out of range has been changed during the call, and
// the rest is left out.
func (r *reduction) scatterItems(in interval, anew bool) {
	width, which, step := 8, 1, 0
	if r.Short {
		width, which = 4, 0
	}
	if anew {
		step = 1
	}
	if n := in.hi - in.lo; n > 0 {
		r.short.Items[which](num.Pointer(r.out), &r.Table[in.lo*r.row], &r.Segments[in.lo*width], n, r.Bags, 0, r.row, step)
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
