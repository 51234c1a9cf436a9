package bag

import (
	"sync"

	"gorgonia.org/gather/internal/num"
	"gorgonia.org/gather/internal/par"
	"gorgonia.org/gather/internal/simd"
)

// Long bags: the rows of a bag are combined in registers, and its result is written once.

// buffer is what a goroutine keeps of the bags it works on. Behind places is room for
// loops that look ahead.
type buffer struct {
	ends    [2 * simd.OffsetsAtOnce]int64
	places  [2*simd.OffsetsAtOnce + simd.Lookahead]int64
	rows    par.Window
	counts  [2 * simd.OffsetsAtOnce]int32
	rank    [simd.OffsetsAtOnce + simd.PackedLookahead + 1]int64
	scratch []byte
	decoded [simd.OffsetsAtOnce + 2*simd.PackedLookahead]int64 // offsets of rows in scratch
	sums    [meanColumns]num.Wide
	short   simd.ShortBags
	shares  [shareBytes / 8]float64 // of gradients, of any kind
	added   [shareBytes / 8]float64 // to rows of dst
}

var buffers = sync.Pool{New: func() any { return new(buffer) }}

// partBytes is the part of a row that is worked on at a time.
const partBytes = 64 << 10

// nearBytes is how many bytes of rows are decoded, or gone through in passes, at a time: they stay in
// the cache of first level.
const nearBytes = 16 << 10

// In assembly floats are combined passBytes of a row at a time, or 64 if they have 16 bits, in passes through all rows of a
// bag. Of a table of farTable or more, these are up to nearBytes of a bag at a time, or nearRows: a pass through a bag that is
// larger than the caches would wait for memory at each row. See benchmarks/results/thresholds.md.
const passBytes, farTable, nearRows = 256, 4 << 20, 8

// packedAtOnce is how many rows in fewer bits one call of their loop takes. No row is
// prefetched while indices are resolved: in blocks this small that is done before the
// rows on their way have come.
const packedAtOnce = 128

// window is the buffer's window, for some bytes of rows that may have to be decoded, or are
// added as they are stored.
func (r *reader) window(buf *buffer, bytes int, packed bool) *par.Window {
	atOnce, ahead := par.RowsAtOnce(bytes), simd.Distance(bytes)
	switch {
	case packed:
		atOnce, ahead = min(packedAtOnce, atOnce), simd.PackedDistance(r.Stored.Storage.RowBytes(bytes/r.width))
	case len(r.Stored.Bytes) > 0:
		atOnce = max(1, nearBytes/max(1, bytes))
	case len(r.Table) >= farTable && bytes > passBytes && r.n/r.Bags*bytes >= 4*nearBytes && r.registers:
		atOnce = max(nearRows, nearBytes/bytes)
	case r.PerBag > 0 && r.width == 2: // several bags of short rows of 16-bit floats are combined together
		atOnce -= atOnce % min(atOnce, r.PerBag) // whole ones, if they fit
	}
	buf.rows.Reset(r.n, atOnce, ahead)
	return &buf.rows
}

// rows is where a loop finds some columns of the first n rows of a window: in the table,
// or decoded in the buffer.
func (r *reader) rows(buf *buffer, w *par.Window, columns interval, n int) (data *byte, offsets *int64) {
	if len(r.Stored.Bytes) == 0 {
		return num.Pointer(rowsFrom(r.Table, columns.lo)), &w.Offsets[0]
	}
	bytes := columns.hi - columns.lo
	buf.scratch = num.Resize(buf.scratch, (n+1)*bytes) // one more, for no rows
	r.Stored.Decode(&buf.scratch[0], &w.Offsets[0], n, columns.lo/r.width, bytes/r.width, w.Ahead)
	for t := range buf.decoded[:n+w.Ahead] {
		buf.decoded[t] = int64(t * bytes)
	}
	return &buf.scratch[0], &buf.decoded[0]
}

// scaledByOne reports whether rows without weights are added as if those were 1: the loops
// over rows of fewer bits, which wait for memory, are all made for weights.
func (r *reader) scaledByOne() bool {
	return r.Stored.FewerBits() && r.Weights == nil && r.Reduction != num.Max
}

// copiedRow is from how many bytes on a row that is alone in its segment is copied, where there are no more rows than segments: the
// loop that keeps the greatest in registers would go through it in passes. See benchmarks/results/thresholds.md.
const copiedRow = 1 << 10

// bagLoop is what reduces the rows: those of a mean are added, and divided afterwards.
func (r *reader) bagLoop() simd.BagLoop {
	loops := simd.Active().Bags[r.Kind]
	switch {
	case r.Reduction == num.Mul:
		return loops.Mul
	case r.Reduction == num.Min:
		return loops.Min
	case r.Reduction == num.Max && r.Idx == nil && r.n <= r.Bags && r.row >= copiedRow:
		return loops.MaxOfFew
	case r.Reduction == num.Max:
		return loops.Max
	case r.Weights != nil || r.scaledByOne():
		return loops.AddScaled
	}
	return loops.Add
}

// runs reduces some columns of some bags.
type runs struct {
	*job
	columns interval
	loop    simd.BagLoop
	packed  bool // the rows are added as they are stored, without the loop
	buf     *buffer
	w       *par.Window
}

// reduceRuns reduces some columns of some bags, and returns the first position with a bad
// index, or -1.
func (j *job) reduceRuns(buf *buffer, bags, columns interval) int {
	bytes := columns.hi - columns.lo
	packed := j.Stored.FewerBits() && j.Reduction != num.Max && j.Stored.AddsBags(bytes/j.width)
	c := &runs{j, columns, j.bagLoop(), packed, buf, j.window(buf, bytes, packed)}
	if j.Weights != nil {
		c.w.UseWeights(j.width)
	} else if j.scaledByOne() {
		num.Fill(num.As[float32](c.w.Weights())[:len(c.w.Offsets)], 1)
	}
	for now, in := range j.chunks(bags, min(len(buf.ends), max(1, simd.RowBytesAtOnce/2/bytes))) { // each is written, if empty, too
		if bad := c.run(now, in); bad >= 0 {
			return bad
		}
	}
	return -1
}

// run reduces so many bags as there is room for their ends, which have some positions.
func (c *runs) run(bags, in interval) int {
	w, first := c.w, in.lo
	ends := c.buf.ends[:bags.hi-bags.lo] // from the first of the positions or, for those that end in the window, its own
	c.ends(ends, bags.lo, in)
	for ended, carry := 0, 0; len(ends) > 0; {
		from := w.Len()
		n, leavesOut, bad := c.fill(w, in)
		if bad {
			return in.lo + n
		}
		if c.packed && in.lo == first {
			c.Stored.Prefetch(w.Offsets[:min(n, w.Ahead)])
		}
		if leavesOut {
			w.Keep(from, whole, c.buf.rank[:])
		}
		for before := in.lo - first; ended < len(ends) && int(ends[ended])-before <= n; ended++ {
			at := ends[ended] - int64(before)
			if leavesOut {
				at = c.buf.rank[at]
			}
			ends[ended] = int64(from) + at
		}
		in.lo += n
		all := ended == len(ends)
		if now := w.Ready(all); now > 0 || all {
			done, rest := c.flush(ends, ended, now, carry, bags.hi-len(ends))
			ends, ended, carry = ends[done:], ended-done, rest
		}
	}
	return -1
}

// flush runs the loop over the first rows of the window, from a bag on: some rows, or the ends of
// bags without any. The loop has taken carry rows of the first bag before. It returns how many
// bags are complete, of those that end in the window, and how many rows of the next were taken.
func (c *runs) flush(ends []int64, ended, now, carry, bag int) (bags, rest int) {
	w, bytes := c.w, c.columns.hi-c.columns.lo
	bags = ended
	for bags > 0 && int(ends[bags-1]) > now {
		bags--
	}
	begun := 0 // where the rows of the bag begin that is not complete
	if bags > 0 {
		begun = int(ends[bags-1])
	}
	run := bags // how many the loop reduces: one more if there are rows of a bag that is not complete
	if now > begun {
		run++
	}
	out := c.out[bag*c.row+c.columns.lo:]
	_ = out[(run-1)*c.row+bytes-1] // the loops write what is checked here to be there
	kept := ends[run-1]
	if run > bags {
		ends[bags] = int64(now)
	}
	switch {
	case c.exact:
		meanLoops[c.Kind](c.buf.sums[:bytes/c.width], rowsFrom(c.Table, c.columns.lo), out, w.Offsets[:], ends[:run], c.row, bags, carry)
	case c.packed:
		c.Stored.AddBags(&out[0], &w.Offsets[0], &ends[0], num.Pointer(w.Weights()), run, c.columns.lo/c.width, bytes/c.width, c.row, w.Ahead, carry)
	default:
		data, offsets := c.rows(c.buf, w, c.columns, now)
		c.loop(data, &out[0], offsets, &ends[0], num.Pointer(w.Weights()), run, bytes, c.row, w.Ahead, carry)
	}
	ends[run-1] = kept
	if bags > 0 {
		c.finish(c.buf, ends[:bags], out, -carry, c.columns, c.divides() && !c.exact)
		carry = 0
	}
	w.Drop(now)
	for b := range ends[bags:ended] {
		ends[bags+b] -= int64(now)
	}
	return bags, carry + now - begun
}
