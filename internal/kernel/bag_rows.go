package kernel

import (
	"sync"

	"gorgonia.org/gather/internal/num"
)

// bagBuffer is what a goroutine keeps of the bags it works on: the offsets of
// rows, some hundred at a time, where in them each bag ends, and a number for
// each row or bag. Behind the offsets is room for loops that look ahead.
type bagBuffer struct {
	offsets [resolved + 2*lookahead]int64
	places  [resolved + 2*lookahead]int64
	ends    [resolved + 1]int64
	scales  [resolved + lookahead]uint64 // of any kind
	filter  offsetBuffer
	scratch []byte
}

var bagBuffers = sync.Pool{New: func() any { return new(bagBuffer) }}

// partBytes is the part of a row that is worked on at a time.
const partBytes = 64 << 10

// rowsAtOnce is how many rows, of so many bytes, one call of a loop takes in, but
// for those that were left for it: together they are at most 1 MiB. A goroutine
// cannot be stopped in the middle of assembly.
func rowsAtOnce(bytes int) int { return min(resolved, 8*partBytes/max(1, bytes)) }

// reduceFloats reduces some bags of floats, or some columns, in bytes, of them.
func reduceFloats[T float32 | float64](r *bagRun, bags, columns span) int {
	for lo := columns.lo; lo < columns.hi && bags.lo < bags.hi; lo += partBytes {
		c := bagCursor{bagRun: r, columns: span{lo, min(lo+partBytes, columns.hi)}, out: r.out[bags.lo*r.row+lo:], step: r.row}
		loops := active.bags[r.Kind]
		switch {
		case r.Reduction == num.Mean:
			c.loop = loops.mean
		case r.Reduction == num.Max:
			c.loop = loops.most
		case r.Weights != nil:
			c.loop = loops.addScaled
		default:
			c.loop = loops.add
		}
		if bad := reduceColumns[T](&c, bags); bad >= 0 {
			return bad
		}
	}
	return -1
}

// bagCursor goes through the positions of some bags. What it has seen and the
// loop has not yet taken in is in the buffer: the offsets of have rows, which are
// those before position p, and the ends of so many bags from next on, which is
// the first bag whose result is not complete.
type bagCursor struct {
	*bagRun
	columns  span
	loop     bagLoop
	out      []byte // the columns' results, from the first bag on, in rows of step bytes
	step     int
	greatest []byte // for the loop of ties: the greatest value of each column, of each bag

	buf   *bagBuffer
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

// reduceColumns runs the loop over some bags.
func reduceColumns[T float32 | float64](c *bagCursor, bags span) int {
	buf, r := bagBuffers.Get().(*bagBuffer), c.bagRun
	defer bagBuffers.Put(buf)
	bytes := c.columns.hi - c.columns.lo
	c.buf, c.ahead = buf, distance(bytes)
	c.first, c.next, c.p = bags.lo, bags.lo, r.first(bags.lo, r.n)
	c.last = max(c.p, r.first(bags.hi, r.n))
	c.end = min(r.end(c.next, c.p, r.n), c.last)
	atOnce := rowsAtOnce(bytes)
	weights := num.As[T](r.Weights)
	scales := num.As[T](num.Bytes(buf.scales[:]))
	for bad := false; c.next < bags.hi; {
		// The ends of bags whose positions have all been seen.
		for c.ended < atOnce && c.next+c.ended < bags.hi && c.end <= c.p {
			buf.ends[c.ended] = int64(c.have - (c.p - c.end))
			c.ended++
			if bag := c.next + c.ended; bag < bags.hi {
				c.end = min(r.end(bag, c.end, r.n), c.last)
			}
		}
		full := c.ended == atOnce
		all := c.next+c.ended == bags.hi
		switch {
		case bad && !full: // all bags that end before it are known by now
			if !r.Fill {
				return c.p
			}
			c.p++
			bad = false
		case !bad && !full && !all && c.have < atOnce+c.ahead && c.p < c.last:
			n := min(atOnce+c.ahead-c.have, c.last-c.p)
			done := r.offsets(buf.offsets[c.have:], c.p, n)
			if weights != nil {
				copy(scales[c.have:], weights[c.p:c.p+done])
			}
			c.have += done
			c.p += done
			bad = done < n
		default:
			reduceSeen[T](c, full, all)
		}
	}
	return -1
}

// reduceSeen runs the loop over what is in the buffer. It calls other functions
// and is not inlined: here a goroutine can be stopped between two loops.
//
//go:noinline
func reduceSeen[T float32 | float64](c *bagCursor, full, all bool) {
	buf, r := c.buf, c.bagRun
	now := c.have
	if !all {
		now = max(0, c.have-c.ahead)
		if full && int(buf.ends[c.ended/2]) > now {
			now = int(buf.ends[c.ended-1]) // many bags of few rows
		}
		if full {
			// The rows behind need not be those of the next bag: it may be empty, and
			// not have been seen.
			now = min(now, int(buf.ends[c.ended-1]))
		}
	}
	bags := c.ended
	for bags > 0 && int(buf.ends[bags-1]) > now {
		bags--
	}
	begun := 0 // where the rows of the bag begin that is not complete
	if bags > 0 {
		begun = int(buf.ends[bags-1])
	}
	bytes := c.columns.hi - c.columns.lo
	scales := num.As[T](num.Bytes(buf.scales[:]))
	if r.Reduction == num.Mean {
		start := -c.carry
		for b, end := range buf.ends[:bags] {
			scales[b] = T(max(1, int(end)-start))
			start = int(end)
		}
		scales[bags] = 1
	}
	run, kept := bags, buf.ends[bags]
	if now > begun {
		buf.ends[bags] = int64(now)
		run++
	}
	if run > 0 {
		numbers := pointer(buf.scales[:])
		if c.greatest != nil {
			numbers = &c.greatest[(c.next-c.first)*bytes]
		}
		out := c.out[(c.next-c.first)*c.step:]
		_ = out[(run-1)*c.step+bytes-1] // the loop writes what is checked here to be there
		c.loop(r.column(r.Table, c.columns.lo), &out[0], &buf.offsets[0], &buf.ends[0], numbers, run, bytes, c.step, c.ahead, c.carry)
	}
	buf.ends[bags] = kept
	if c.greatest == nil {
		c.complete(bags)
	}
	if bags > 0 {
		c.carry = 0
	}
	c.carry += now - begun

	copy(buf.offsets[:], buf.offsets[now:c.have])
	if r.Weights != nil {
		copy(scales, scales[now:c.have])
	}
	c.have -= now
	copy(buf.ends[:], buf.ends[bags:c.ended])
	c.ended -= bags
	for b := range buf.ends[:c.ended] {
		buf.ends[b] -= int64(now)
	}
	c.next += bags
}

// column is where a column of the first row is. There may be no rows.
func (r *bagRun) column(rows []byte, column int) *byte {
	if len(rows) == 0 {
		return nil
	}
	return &rows[column]
}

// complete fills the results of empty bags among the next ones.
func (c *bagCursor) complete(bags int) {
	start := -c.carry
	for b, end := range c.buf.ends[:bags] {
		if int(end) == start {
			c.fillEmpty(c.out[(c.next-c.first+b)*c.step:], c.columns)
		}
		start = int(end)
	}
}

// fillEmpty writes some columns of the result of a bag without positions.
func (r *bagRun) fillEmpty(to []byte, columns span) {
	to = to[:columns.hi-columns.lo]
	if r.Default >= 0 {
		copy(to, r.Table[r.Default*r.row+columns.lo:])
	} else {
		clear(to)
	}
}
