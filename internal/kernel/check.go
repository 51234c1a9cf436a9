package kernel

import (
	"math"
	"sync"

	"gorgonia.org/gather/internal/num"
	"gorgonia.org/gather/internal/par"
)

// Check compares every index with the size of its axis. It returns the position in
// Idx of the first that is out of range, or -1.
func (c *Call) Check() int {
	return c.Run(pick(c.Idx32, check[int32], check[int64]), c.tuples(), par.Grain(16*len(c.Axes)))
}

// tuples is the number of index tuples.
func (c *Call) tuples() int { return len(c.Idx) / c.indexBytes() / len(c.Axes) }

// indexBytes is the size of an index.
func (c *Call) indexBytes() int {
	if c.Idx32 {
		return 4
	}
	return 8
}

// check checks as many indices at once as it can, and finds the first that is bad, if
// there is one, by making offsets of those that are left.
func check[I Index](c *Call, lo, hi int) int {
	k := len(c.Axes)
	lo = c.skipGood(lo, hi)
	if lo == hi {
		return -1
	}
	idx := num.As[I](c.Idx)
	buf := buffers.Get().(*offsetBuffer)
	defer buffers.Put(buf)
	for lo < hi {
		n := min(resolved, hi-lo)
		done, bad := offsets(c, buf[:], idx[lo*k:][:n*k], 1)
		if lo += done; done < n {
			return lo*k + bad
		}
	}
	return -1
}

const (
	// withinBytes is how many bytes of indices are the least that are checked at once.
	withinBytes = 192
	// withinAtOnce is how many bytes are the most: some microseconds.
	withinAtOnce = 512 * withinBytes
)

// bounds are what indices are checked with: lifts are added, and the sum is at most
// most as a number without sign. Indices of 64 bits have two words each.
type bounds struct{ lifts, most [withinBytes / 2 / 4]uint32 }

// boundsMemory is for bounds. On the stack they would not stay: see buffers.
var boundsMemory = sync.Pool{New: func() any { return new(bounds) }}

// skipGood returns the first of the tuples lo to hi that it has not checked, or found
// to be good.
func (c *Call) skipGood(lo, hi int) int {
	within := active.within64
	if c.Idx32 {
		within = active.within32
	}
	tuple := len(c.Axes) * c.indexBytes()
	if within == nil || (hi-lo)*tuple < withinBytes {
		return lo
	}
	b := boundsMemory.Get().(*bounds)
	defer boundsMemory.Put(b)
	if !b.set(c) {
		return lo
	}
	for atOnce := withinAtOnce / tuple; lo < hi; {
		n := min(atOnce, hi-lo) * tuple / withinBytes
		if n == 0 || !b.hold(within, c.Idx[lo*tuple:][:n*withinBytes]) {
			break
		}
		lo += n * withinBytes / tuple
	}
	return lo
}

// hold is not inlined: here a goroutine can be stopped.
//
//go:noinline
func (b *bounds) hold(within func(idx *byte, n int, lifts, most *byte) bool, idx []byte) bool {
	return within(&idx[0], len(idx)/withinBytes, pointer(b.lifts[:]), pointer(b.most[:]))
}

// set makes the bounds those of a call. It reports whether they have room for a number
// of whole tuples, and each for its size.
func (b *bounds) set(c *Call) bool {
	words := c.indexBytes() / 4
	if len(b.most)%(words*len(c.Axes)) != 0 {
		return false
	}
	*b = bounds{}
	for i := 0; i < len(b.most); i += words {
		size := c.Axes[i/words%len(c.Axes)].Size
		lift := c.lift(size)
		most := uint64(size) + lift - 1
		if size == 0 || most >= 1<<32 {
			return false
		}
		if c.Idx32 && lift == 0 {
			most = min(most, math.MaxInt32) // -1 is not 1<<32 - 1
		}
		b.lifts[i], b.most[i] = uint32(lift), uint32(most)
	}
	return true
}
