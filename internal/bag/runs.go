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
	counts  [2 * simd.OffsetsAtOnce]int32
	rank    [simd.OffsetsAtOnce + simd.PackedLookahead + 1]int64
	scratch []byte
	decoded [simd.OffsetsAtOnce + 2*simd.PackedLookahead]int64 // offsets of rows in scratch
	sums    []num.Wide
	short   simd.ShortBags
	shares  [shareBytes / 8]float64 // of gradients, of any kind
}

var buffers = sync.Pool{New: func() any { return new(buffer) }}

// partBytes is the part of a row that is worked on at a time.
const partBytes = 64 << 10

// decodedBytes is how many bytes of rows are decoded at a time: they stay in the cache
// of first level until they have been added.
const decodedBytes = 16 << 10

// packedAtOnce is how many rows in fewer bits one call of their loop takes. No row is
// prefetched while indices are resolved: in blocks this small that is done before the
// rows on their way have come.
const packedAtOnce = 128

// window is a window for some bytes of rows that may have to be decoded.
func (r *reader) window(bytes int) *par.Window {
	if len(r.Stored.Bytes) == 0 {
		return par.WindowFor(bytes)
	}
	return par.WindowOf(max(1, decodedBytes/max(1, bytes)), simd.Distance(bytes))
}

// rows is where a loop finds some columns of the first n rows of a window: in the table,
// or decoded in the buffer.
func (r *reader) rows(buf *buffer, w *par.Window, columns interval, n int) (data *byte, offsets *int64) {
	switch {
	case len(r.Stored.Bytes) > 0:
	case len(r.Table) == 0:
		return nil, &w.Offsets[0]
	default:
		return &r.Table[columns.lo], &w.Offsets[0]
	}
	bytes := columns.hi - columns.lo
	if need := (n + 1) * bytes; len(buf.scratch) < need { // one more, for no rows
		buf.scratch = make([]byte, need+need/4)
	}
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

// bagLoop is what reduces the rows: those of a mean are added, and divided afterwards.
func (r *reader) bagLoop() simd.BagLoop {
	loops := simd.Active().Bags[r.Kind]
	switch {
	case r.Reduction == num.Mul:
		return loops.Mul
	case r.Reduction == num.Min:
		return loops.Min
	case r.Reduction == num.Max:
		return loops.Max
	case r.Weights != nil || r.scaledByOne():
		return loops.AddScaled
	}
	return loops.Add
}

// runs reduces some columns of some bags.
type runs struct {
	*reduction
	columns interval
	loop    simd.BagLoop
	packed  bool // the rows are added as they are stored, without the loop
	buf     *buffer
	w       *par.Window

	next  int // the first bag that is not complete
	ended int // bags that end in the window
	carry int // rows of bag next that the loop has taken
}

// reduceRuns reduces some columns of some bags, and returns the first position with a bad
// index, or -1.
func (r *reduction) reduceRuns(bags, columns interval) int {
	bytes := columns.hi - columns.lo
	c := runs{reduction: r, columns: columns, loop: r.bagLoop(), buf: buffers.Get().(*buffer), next: bags.lo}
	defer buffers.Put(c.buf)
	if c.packed = r.Stored.FewerBits() && r.Reduction != num.Max && r.Stored.AddsBags(bytes/r.width); c.packed {
		c.w = par.WindowOf(min(packedAtOnce, par.RowsAtOnce(bytes)), simd.PackedDistance(r.Stored.Storage.RowBytes(bytes/r.width)))
	} else {
		c.w = r.window(bytes)
	}
	defer c.w.Release()
	if r.Weights != nil {
		c.w.UseWeights(r.width)
	} else if r.scaledByOne() {
		ones := num.As[float32](c.w.Weights())[:len(c.w.Offsets)]
		for t := range ones {
			ones[t] = 1
		}
	}
	return c.run(bags)
}

func (c *runs) run(bags interval) int {
	w, r, ends := c.w, &c.reader, &c.buf.ends
	first := r.First(bags.lo, r.n)
	p, last := first, max(first, r.First(bags.hi, r.n))
	end := min(r.End(c.next, p, r.n), last) // of the first bag that does not end in the window
	for c.next < bags.hi {
		from := w.Len()
		free := w.Free(last - p)
		n, leavesOut := r.resolve(free, p)
		if n < len(free) {
			return p + n
		}
		if r.Weights != nil {
			copy(w.Weights()[from*r.width:], r.Weights[p*r.width:(p+n)*r.width])
		}
		if c.packed && p == first {
			r.Stored.Prefetch(free[:min(n, w.Ahead)])
		}
		w.Add(n)
		if leavesOut {
			w.Keep(from, whole, c.buf.rank[:])
		}
		before := p
		for c.ended < len(ends) && c.next+c.ended < bags.hi && end <= p+n {
			at := end - p
			if leavesOut {
				at = int(c.buf.rank[at])
			}
			ends[c.ended] = int64(from + at)
			c.ended++
			before = end
			if bag := c.next + c.ended; bag < bags.hi {
				end = min(r.End(bag, end, r.n), last)
			}
		}
		all := c.next+c.ended == bags.hi
		if full := c.ended == len(ends); full && !all {
			// More bags may end in the window than there is room for: empty ones.
			w.Add(int(ends[c.ended-1]) - w.Len())
			p = before
			c.flush(w.Ready(true))
			continue
		}
		p += n
		r.prefetchIndices(p, len(free))
		if now := w.Ready(all); now > 0 || all {
			c.flush(now)
		}
	}
	return -1
}

// flush runs the loop over the first rows of the window.
func (c *runs) flush(now int) {
	r, w, ends := &c.reader, c.w, &c.buf.ends
	bags := c.ended
	for bags > 0 && int(ends[bags-1]) > now {
		bags--
	}
	begun := 0 // where the rows of the bag begin that is not complete
	if bags > 0 {
		begun = int(ends[bags-1])
	}
	run := bags
	if now > begun {
		run++
	}
	if run > 0 {
		kept := ends[run-1]
		if run > bags {
			ends[bags] = int64(now)
		}
		out := c.out[c.next*r.row+c.columns.lo:]
		bytes := c.columns.hi - c.columns.lo
		_ = out[(run-1)*r.row+bytes-1] // the loop writes what is checked here to be there
		weights := num.Pointer(w.Weights())
		if c.packed {
			r.Stored.AddBags(&out[0], &w.Offsets[0], &ends[0], weights, run, c.columns.lo/r.width, bytes/r.width, r.row, w.Ahead, c.carry)
		} else {
			data, offsets := r.rows(c.buf, w, c.columns, now)
			c.loop(data, &out[0], offsets, &ends[0], weights, run, bytes, r.row, w.Ahead, c.carry)
		}
		ends[run-1] = kept
	}
	if bags > 0 {
		c.finish(c.buf, c.out[c.next*r.row+c.columns.lo:], bags, -c.carry, c.columns)
		c.carry = 0
	}
	c.carry += now - begun
	w.Drop(now)
	copy(ends[:], ends[bags:c.ended])
	c.ended -= bags
	for b := range ends[:c.ended] {
		ends[b] -= int64(now)
	}
	c.next += bags
}
