package bag

import (
	"bytes"

	"gorgonia.org/gather/internal/num"
	"gorgonia.org/gather/internal/simd"
)

// Short bags of short rows: their results are set to what bags without positions have,
// and each row is combined with its bag's result in memory. A loop over each bag would be
// a branch at each end, and no processor can predict those.

// Bags are reduced so if their rows are no longer than scatterBytes, and their positions on average fewer than
//
//   - scatterPositions or, of floats of 32 or 64 bits, floatPositions: in memory each sum waits for the one before. In rows of
//     up to itemSums columns simd.ItemLoops add those of several segments meanwhile.
//   - maxPositions for the greatest floats, as each comparison waits longer, or one for each learntSegments
//     positions that there are, but at least learntRows, in rows of more than three columns.
//   - half of those where a processor learns the ends: of bags that all have as many, and of those of up to
//     learntPositions that offsets give, when they come again.
//
// There are these exceptions:
//
//   - Rows may have segmentBytes if no index names them, as they need no prefetch, and if they are 16-bit floats of which each
//     bag is a call of a loop: all but sums in assembly, which have no weights.
//   - Such a call takes as long where ends are learnt as where they are not. So extremes of 16-bit floats have scatterPositions there, but in bags
//     that all have as many only in rows longer than vectorBytes: those of shorter rows are combined together.
//   - Rows of floats of a vector, vectorBytes, or more, and sums of 16-bit floats, are reduced by assembly. They have half as
//     many positions, or none where offsets or equal bags are learnt. In rows longer than scatterBytes extremes have none, and
//     sums of floats one for each learntPositions that there are, but at least one.
//
// See benchmarks/results/bags.md and thresholds.md.
const (
	scatterBytes, segmentBytes, vectorBytes                  = 64, num.NeutralBytes, 32
	scatterPositions, floatPositions, maxPositions           = 12, 7, 4
	learntPositions, learntShort, learntSegments, learntRows = 64 << 10, 16 << 10, 2 << 10, 2
)

// Extremes of segments are found by simd.ItemLoops in rows of up to itemColumns integers of 64 bits or, if there are more
// segments than rows, floats of 32 bits or more; of up to learntShort rows in up to itemFloats, if there are fewer than
// learntRows to a segment. If most results are copies of a row, or empty, rows may have up to copiedBytes: those of floats if there
// are fewer than one for two segments, those of integers of 64 bits if there are fewer than two for one.
const itemColumns, itemFloats, itemSums, copiedBytes = 20, 12, 2, 512

// longestShort is how many bytes the longest row has that has shortLoops or itemLoops, or is scattered. Of longer ones none of that is
// asked.
const longestShort = max(copiedBytes, segmentBytes, 16*simd.ShortColumns)

// itemLoops are loops that read segment ids and the rows themselves, or nil.
func (j *job) itemLoops() *simd.ItemLoops {
	loops, most := simd.ShortLoops[j.Kind][j.op()], simd.ShortColumns
	switch {
	case !j.extreme() || j.Kind.IsInteger() && j.width < 8 || j.width == 2:
	case j.n < j.Bags/2 || j.n < 2*j.Bags && j.Kind.IsInteger():
		most = copiedBytes / j.width
	case j.Kind.IsInteger() || j.n < j.Bags:
		most = itemColumns
	case j.n <= learntShort && j.n/learntRows < j.Bags:
		most = itemFloats
	}
	if loops == nil || j.Idx != nil || j.Segments == nil || j.Weights != nil || len(j.Stored.Bytes) > 0 || j.Pitch > 0 || j.Inner > most ||
		!j.extreme() && (j.Empty != nil || j.Default >= 0) { // they copy the first row, and a sum must begin with 0
		return nil
	}
	return &loops.Items
}

// scatterLimit is the number of positions below which, on average, bags are reduced so, or 0 if none are.
func (j *job) scatterLimit() int {
	calls, ends, most := j.short == nil && j.half() && !j.registers, j.Offsets != nil || j.Segments != nil, scatterPositions
	unlearnt := ends && j.n >= learntPositions || calls && (ends || j.row > vectorBytes)
	switch {
	case j.Kind.IsInteger() || calls || j.items != nil && j.Reduction == num.Add && j.Inner <= itemSums:
	case j.Reduction != num.Max:
		most = floatPositions
	case j.short != nil:
		most = maxPositions
	default:
		most = min(maxPositions, max(learntRows, j.n/learntSegments))
	}
	if j.items != nil {
		return most
	}
	few, narrow := most/2, j.row <= scatterBytes || calls && j.row <= segmentBytes
	vector := j.registers && (j.row >= vectorBytes || j.half())
	if vector {
		if most = few; !j.half() {
			few = min(few, 1+j.n/learntPositions) // for rows longer than scatterBytes
		}
	}
	switch {
	case len(j.Stored.Bytes) > 0, j.Weights != nil && j.Kind >= num.Complex64, // the loop takes the weights' conjugates
		(j.short != nil || calls && j.Weights == nil && !j.SkipBad) && !unlearnt, vector && (j.Segments == nil && !unlearnt || j.extreme() && !narrow):
		return 0
	case j.short == nil && narrow && (unlearnt || j.Segments != nil):
		return most
	case narrow, j.row <= segmentBytes && j.Idx == nil:
		return few
	}
	return 0
}

// The results of scatterBags bags or, of sums that are not divided, of scatterResults bytes if these are more bags, are made at a time:
// they stay in the cache.
const scatterBags, scatterResults = 1024, 32 << 10

// scatterRows reduces some bags, and returns the first position with a bad index, or -1.
func (j *job) scatterRows(buf *buffer, bags interval) int {
	start, atOnce := j.start(), scatterBags
	if !j.divides() {
		atOnce = max(atOnce, scatterResults/j.row)
	}
	for now, in := range j.chunks(bags, atOnce) {
		out := j.out[now.lo*j.row : now.hi*j.row]
		j.setEmpty(out, 0)
		if j.items != nil {
			// They check the segment ids, too. One that is out of range has been changed during the call, and
			// the rest is left out.
			width, step := num.IndexBytes(j.Short), min(len(start), 1)
			j.items[width/8](num.Pointer(j.out), num.Pointer(j.Table[in.lo*j.row:]), num.Pointer(j.Segments[in.lo*width:]), in.hi-in.lo, j.Bags, 0, j.row, step)
		} else if bad := j.scatterSome(buf, in, now.lo, start); bad >= 0 {
			return bad
		}
		if j.divides() {
			j.counts(buf, now, in)
			j.divide(buf, out, now.hi-now.lo, j.row)
		}
	}
	return -1
}

// scatterSome combines the rows of some positions with the results of their bags, from the
// one given on.
func (j *job) scatterSome(buf *buffer, in interval, bag int, startRow []byte) int {
	w := &buf.rows
	w.Reset(j.n, simd.OffsetsAtOnce, 0)
	out, table, start := num.Pointer(j.out), num.Pointer(j.Table), num.Pointer(startRow)
	loops, set, scaled := &simd.Active().Combine[j.Kind][j.op()], simd.SetLoop(j.row), simd.Active().Bags[j.Kind].AddScaledRows
	combine := loops.Rows
	if j.Inner == 1 && j.Kind.IsInteger() { // those of floats read offsets ahead, and of two NaNs may keep the other's bits
		combine = loops.Offsets
	}
	before := int64(-1) // the bag, times the bytes of a row, whose result has been begun
	return j.each(w, in, bag, j.row, whole, func(n int) {
		if start != nil {
			begun, last := 0, before
			for _, place := range w.Places[:n] {
				if buf.places[begun] = place; place != last { // no branch: the ends are random
					begun++
				}
				last = place
			}
			before = last
			set(out, start, &buf.places[0], &simd.Iota[0], begun, j.row, 0, 0)
		}
		if j.Weights != nil {
			scaled(out, table, &w.Places[0], &w.Offsets[0], num.Pointer(w.Weights()), n, j.row, 1, 0)
		} else {
			combine(out, table, &w.Places[0], &w.Offsets[0], n, j.row, 1, 0)
		}
	})
}

// op is what combines two rows: those of a mean and of SqrtN are added, and divided afterwards.
func (r *reader) op() num.Reduction {
	if r.Reduction == num.Mean || r.Reduction == num.SqrtN {
		return num.Add
	}
	return r.Reduction
}

// start is the row that a result of scatterSome starts from, or nil if bags without positions have it,
// too. No row there is longer than segmentBytes.
func (j *job) start() []byte {
	neutral, empty := num.Neutral(j.Kind, j.Reduction)[:min(j.row, segmentBytes)], j.Empty
	if empty == nil {
		empty = zeros[:j.width]
	}
	if j.Default < 0 && bytes.Equal(empty, neutral[:j.width]) {
		return nil
	}
	return neutral
}

// zeros are what bags without positions have, if nothing else, and what copied rows are added to.
var zeros = num.Bytes(make([]uint64, 512))
