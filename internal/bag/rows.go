package bag

import (
	"sync"

	"gorgonia.org/gather/internal/num"
	"gorgonia.org/gather/internal/simd"
)

// buffer is what a goroutine keeps of the bags it works on: the offsets of
// rows, some hundred at a time, where in them each bag ends, and a number for
// each row or bag. Behind the offsets is room for loops that look ahead.
type buffer struct {
	offsets [simd.OffsetsAtOnce + 2*simd.PackedLookahead]int64
	places  [simd.OffsetsAtOnce + 2*simd.PackedLookahead]int64
	ends    [simd.OffsetsAtOnce + 1]int64
	counts  [simd.OffsetsAtOnce]int32
	weights [simd.OffsetsAtOnce + simd.Lookahead][2]uint64 // packed, of any kind
	seen    simd.Offsets                                   // of a gradient, of all partitions
	scratch []byte
	decoded [simd.OffsetsAtOnce + 2*simd.PackedLookahead]int64 // offsets of rows in scratch
}

var buffers = sync.Pool{New: func() any { return new(buffer) }}

// partBytes is the part of a row that is worked on at a time.
const partBytes = 64 << 10

// rowsAtOnce is how many rows, of so many bytes, one call of a loop takes in, but
// for those that were left for it: together they are at most 1 MiB. A goroutine
// cannot be stopped in the middle of assembly.
func rowsAtOnce(bytes int) int { return max(1, min(simd.OffsetsAtOnce, 8*partBytes/max(1, bytes))) }

// decodedBytes is how many bytes of rows are decoded at a time: they stay in the cache
// of first level until they have been added.
const decodedBytes = 16 << 10

// packedAtOnce is how many rows in fewer bits one call of their loop takes in, but for
// those that were left for it. No row is prefetched while indices are resolved: in blocks
// this small that is done before the rows on their way have come.
const packedAtOnce = 128

// rowsAtOnce is that of rows that may have to be decoded.
func (r *reader) rowsAtOnce(bytes int) int {
	if len(r.Stored.Bytes) == 0 {
		return rowsAtOnce(bytes)
	}
	return min(simd.OffsetsAtOnce, max(1, decodedBytes/max(1, bytes)))
}

// rows is where a loop finds some columns of the n rows whose offsets are in the buffer:
// in the table, or decoded in the buffer.
func (r *reader) rows(buf *buffer, columns interval, n, ahead int) (data *byte, offsets *int64) {
	switch {
	case len(r.Stored.Bytes) > 0:
	case len(r.Table) == 0:
		return nil, &buf.offsets[0]
	default:
		return &r.Table[columns.lo], &buf.offsets[0]
	}
	bytes := columns.hi - columns.lo
	if need := (n + 1) * bytes; len(buf.scratch) < need { // one more, for no rows
		buf.scratch = make([]byte, need+need/4)
	}
	r.Stored.Decode(&buf.scratch[0], &buf.offsets[0], n, columns.lo/r.width, bytes/r.width, ahead)
	for t := range buf.decoded[:n+ahead] {
		buf.decoded[t] = int64(t * bytes)
	}
	return &buf.scratch[0], &buf.decoded[0]
}

// scaledByOne reports whether rows without weights are added as if those were 1: the loops
// over rows of fewer bits, which wait for memory, are all made for weights.
func (r *reader) scaledByOne() bool {
	return r.Stored.FewerBits() && r.Weights == nil && r.Reduction != num.Max
}

// loop is what reduces the rows: those of a mean are added, and divided afterwards.
func (r *reader) loop() simd.BagLoop {
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

// cursor goes through the positions of some bags. What it has seen and the
// loop has not yet taken in is in the buffer: the offsets of have rows, which are
// those before position p, and the ends of so many bags from next on, which is
// the first bag whose result is not complete.
type cursor struct {
	*reduction
	columns interval
	loop    simd.BagLoop
	packed  bool   // the rows are added as they are stored, without the loop
	out     []byte // the columns' results, from the first bag on, in rows as long as the table's

	buf   *buffer
	ahead int // how many rows are left for the next call of the loop, to be prefetched
	first int // the first bag
	p     int
	last  int // where the last bag ends
	next  int
	have  int
	ended int // bags of which all rows are in the buffer
	end   int // where bag next+ended ends
	carry int // rows of bag next that the loop has taken in
}

// run reduces some bags.
func (cur *cursor) run(bags interval) int {
	buf, r := buffers.Get().(*buffer), &cur.reader
	defer buffers.Put(buf)
	bytes := cur.columns.hi - cur.columns.lo
	cur.buf, cur.ahead = buf, simd.Distance(bytes)
	cur.first, cur.next, cur.p = bags.lo, bags.lo, r.First(bags.lo, r.n)
	cur.last = max(cur.p, r.First(bags.hi, r.n))
	cur.end = min(r.End(cur.next, cur.p, r.n), cur.last)
	atOnce := r.rowsAtOnce(bytes)
	if cur.packed = r.Stored.FewerBits() && r.Reduction != num.Max && r.Stored.AddsBags(bytes/r.width); cur.packed {
		atOnce, cur.ahead = min(packedAtOnce, rowsAtOnce(bytes)), simd.PackedDistance(r.Stored.Storage.RowBytes(bytes/r.width))
	}
	if r.scaledByOne() {
		weights := num.As[float32](num.Bytes(buf.weights[:]))[:len(buf.offsets)]
		for t := range weights {
			weights[t] = 1
		}
	}
	first := cur.p
	for bad := false; cur.next < bags.hi; {
		// The ends of bags whose positions have all been seen.
		for cur.ended < atOnce && cur.next+cur.ended < bags.hi && cur.end <= cur.p {
			buf.ends[cur.ended] = int64(cur.have - (cur.p - cur.end))
			cur.ended++
			if bag := cur.next + cur.ended; bag < bags.hi {
				cur.end = min(r.End(bag, cur.end, r.n), cur.last)
			}
		}
		full := cur.ended == atOnce
		all := cur.next+cur.ended == bags.hi
		switch {
		case bad && !full: // all bags that end before it are known by now
			if !r.Fill {
				return cur.p
			}
			cur.p++
			bad = false
		case !bad && !full && !all && cur.have < atOnce+cur.ahead && cur.p < cur.last:
			n := min(atOnce+cur.ahead-cur.have, cur.last-cur.p)
			done := r.offsets(buf.offsets[cur.have:], cur.p, n)
			if r.Weights != nil {
				copy(num.Bytes(buf.weights[:])[cur.have*r.width:], r.Weights[cur.p*r.width:(cur.p+done)*r.width])
			}
			if cur.packed && cur.p == first {
				r.Stored.Prefetch(buf.offsets[:min(done, cur.ahead)])
			}
			cur.have += done
			cur.p += done
			r.prefetchIndices(cur.p, atOnce)
			bad = done < n
		default:
			cur.flush(full, all)
		}
	}
	return -1
}

// flush runs the loop over what is in the buffer. It calls other functions
// and is not inlined: here a goroutine can be stopped between two loops.
//
//go:noinline
func (cur *cursor) flush(full, all bool) {
	buf, r := cur.buf, &cur.reader
	now := cur.have
	if !all {
		now = max(0, cur.have-cur.ahead)
		if full && int(buf.ends[cur.ended/2]) > now {
			now = int(buf.ends[cur.ended-1]) // many bags of few rows
		}
		if full {
			// The rows behind need not be those of the next bag: it may be empty, and
			// not have been seen.
			now = min(now, int(buf.ends[cur.ended-1]))
		}
	}
	bags := cur.ended
	for bags > 0 && int(buf.ends[bags-1]) > now {
		bags--
	}
	begun := 0 // where the rows of the bag begin that is not complete
	if bags > 0 {
		begun = int(buf.ends[bags-1])
	}
	bytes := cur.columns.hi - cur.columns.lo
	run, kept := bags, buf.ends[bags]
	if now > begun {
		buf.ends[bags] = int64(now)
		run++
	}
	if run > 0 {
		clear(buf.offsets[cur.have:][:cur.ahead])
		out := cur.out[(cur.next-cur.first)*r.row:]
		_ = out[(run-1)*r.row+bytes-1] // the loop writes what is checked here to be there
		weights := num.Pointer(buf.weights[:])
		if cur.packed {
			r.Stored.AddBags(&out[0], &buf.offsets[0], &buf.ends[0], weights, run, cur.columns.lo/r.width, bytes/r.width, r.row, cur.ahead, cur.carry)
		} else {
			data, offsets := r.rows(buf, cur.columns, now, cur.ahead)
			cur.loop(data, &out[0], offsets, &buf.ends[0], weights, run, bytes, r.row, cur.ahead, cur.carry)
		}
	}
	buf.ends[bags] = kept
	if bags > 0 {
		cur.complete(bags)
		cur.carry = 0
	}
	cur.carry += now - begun

	copy(buf.offsets[:], buf.offsets[now:cur.have])
	if r.Weights != nil {
		weights := num.Bytes(buf.weights[:])
		copy(weights, weights[now*r.width:cur.have*r.width])
	}
	cur.have -= now
	copy(buf.ends[:], buf.ends[bags:cur.ended])
	cur.ended -= bags
	for b := range buf.ends[:cur.ended] {
		buf.ends[b] -= int64(now)
	}
	cur.next += bags
}

// complete divides the sums of the next bags, if they are those of means, and fills the
// results of those without positions.
func (cur *cursor) complete(bags int) {
	buf, out := cur.buf, cur.out[(cur.next-cur.first)*cur.row:]
	start := -cur.carry
	for b, end := range buf.ends[:bags] {
		buf.counts[b], buf.places[b] = int32(max(1, int(end)-start)), int64(b*cur.row)
		start = int(end)
	}
	if cur.Reduction == num.Mean {
		simd.Active().Means[cur.Kind].DivideRows(out, buf.places[:bags], buf.counts[:bags], cur.columns.hi-cur.columns.lo)
	}
	start = -cur.carry
	for b, end := range buf.ends[:bags] {
		if int(end) == start {
			cur.fillEmpty(out[b*cur.row:], cur.columns)
		}
		start = int(end)
	}
}

// fillEmpty writes some columns of the result of a bag without positions.
func (r *reader) fillEmpty(to []byte, columns interval) {
	to = to[:columns.hi-columns.lo]
	if r.Default >= 0 {
		copy(to, r.Table[r.Default*r.row+columns.lo:])
	} else {
		clear(to)
	}
}
