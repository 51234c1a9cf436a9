package kernel

import (
	"math/bits"
	"sync"

	"gorgonia.org/gather/internal/simd"
)

// Without the old value a reduction starts from its neutral element. What the
// indices pick is set to it first, block by block where that can be, so that the
// reduction finds the block in the cache. Where there is too much of it there is a
// map of what has been set, and of some tuples at a time those rows are set that are
// met for the first time.

// minTouchedBytes is from how many bytes of rows on there is a map of them. The
// nearer caches keep fewer until they are updated.
const minTouchedBytes = 256 << 10

// touchedDensity is how many rows data has at most for each tuple where there is a map
// of them: it is cleared before.
const touchedDensity = 32

// touchedMemory is for maps, for the next call, too.
var touchedMemory = sync.Pool{New: func() any { return new([]byte) }}

// touch makes a map of the rows of data, with a byte for each, if it is worth it.
func (c *Call) touch(blocks int) bool {
	rows, tuples := blocks*(c.Span/c.Inner), blocks*c.N
	if c.Inner == 1 || tuples*c.rowBytes() < minTouchedBytes || rows > touchedDensity*tuples {
		return false
	}
	c.touches, c.touched = marksOf(rows)
	clearAny(c.touched)
	return true
}

// marksOf is memory for n marks, of the pool.
func marksOf(n int) (memory *[]byte, marks []byte) {
	memory = touchedMemory.Get().(*[]byte)
	if cap(*memory) < n {
		*memory = make([]byte, n)
	}
	return memory, (*memory)[:n]
}

func (c *Call) untouch() {
	if c.touches != nil {
		touchedMemory.Put(c.touches)
		c.touches, c.touched = nil, nil
	}
}

// combineTouched is combineRows with a map of the rows that have been set.
func combineTouched[I Index](c *Call, lo, hi int) int {
	row, rows := c.rowBytes(), c.Span/c.Inner
	ahead, number, fill := simd.Distance(row), numbersOf(row), c.filler(row)
	defer fill.release()
	firsts := simd.OffsetsPool.Get().(*simd.Offsets)
	defer simd.OffsetsPool.Put(firsts)
	return eachPicks[byte, I](c, lo, hi, c.width, func(r picks[byte]) {
		touched := c.touched[r.number*rows:][:rows]
		for len(r.at) > 0 {
			n := min(len(r.at), fill.atOnce)
			fill.rows(r.block, number.firsts(firsts, r.at[:n], touched))
			c.row.run(pointer(r.block), pointer(r.updates), &r.at[0], &r.rows[0], n, row, row, ahead)
			r.at, r.rows = r.at[n:], r.rows[n:]
		}
	})
}

// startRows sets all rows that the indices pick to the neutral element.
func startRows[I Index](c *Call, lo, hi int) int {
	fill := c.filler(c.rowBytes())
	defer fill.release()
	return eachPicks[byte, I](c, lo, hi, c.width, func(r picks[byte]) { fill.rows(r.block, r.at) })
}

// numbers are the numbers of rows at offsets: the offset divided by the bytes of a row,
// which it is a multiple of. Then the quotient is that of the odd parts, and to divide
// by an odd number is to multiply by its inverse, modulo 2^64.
type numbers struct {
	shift   int
	inverse uint64
}

func numbersOf(row int) numbers {
	shift := bits.TrailingZeros(uint(row))
	odd := uint64(row) >> shift
	inverse := odd // modulo 8, and each step doubles the number of bits
	for range 5 {
		inverse *= 2 - odd*inverse
	}
	return numbers{shift, inverse}
}

func (n numbers) of(at int64) int { return int(uint64(at) >> (n.shift & 63) * n.inverse) }

// firsts are the offsets of those rows that have no mark, in memory for them. It marks
// them. There is no branch to guess.
//
//go:noinline
func (n numbers) firsts(to *simd.Offsets, at []int64, marks []byte) []int64 {
	own := 0
	for _, at := range at {
		mark := &marks[n.of(at)]
		to[own&(simd.OffsetsAtOnce-1)] = at
		own += 1 - int(*mark)
		*mark = 1
	}
	return to[:own]
}

// A filler sets rows to what a reduction starts from.
type filler struct {
	loop   addLoop
	row    []byte  // what they are set to
	memory *[]byte // where it is from, if it is longer than the neutral elements
	bytes  int     // of a row
	atOnce int     // how many rows are near until they are combined
}

// filledMost is how many bytes a row has at most that others are copied from, and
// filledNear how many bytes of rows are near.
const (
	filledMost = 64 << 10
	filledNear = 128 << 10
)

// filler is that of rows of so many bytes.
func (c *Call) filler(bytes int) filler {
	f := filler{row: c.neutral, bytes: bytes}
	if IsWord(bytes) {
		f.loop = fillWords[log2(bytes)]
	} else {
		f.loop = setLoop(bytes)
	}
	f.atOnce = max(1, filledNear/f.bytes)
	if len(f.row) < f.bytes && f.bytes <= filledMost {
		f.memory, f.row = marksOf(f.bytes)
		fillRow(f.row, c.neutral)
	}
	return f
}

func (f *filler) release() {
	if f.memory != nil {
		touchedMemory.Put(f.memory)
	}
}

// firstRow is the row that a filler has, for every tuple.
var firstRow simd.Offsets

// rows sets the rows of a block at offsets, behind which there is room to look ahead.
func (f *filler) rows(block []byte, at []int64) {
	switch {
	case len(at) == 0:
	case f.bytes <= len(f.row):
		f.loop.run(pointer(block), pointer(f.row), &at[0], &firstRow[0], len(at), f.bytes, 0, simd.Distance(f.bytes))
	default:
		for _, at := range at {
			fillRow(block[at:][:f.bytes], f.row)
		}
	}
}

// fillRow fills a row with the elements that there are, again and again, in ever larger
// copies.
func fillRow(row, elements []byte) {
	for n := copy(row, elements); n < len(row); {
		more := min(n, len(row)-n, copiedBefore)
		copyAny(row[n:n+more], row[:more])
		n += more
	}
}
