package kernel

import (
	"math"
	"math/bits"
	"sync"

	"gorgonia.org/gather/internal/num"
	"gorgonia.org/gather/internal/par"
	"gorgonia.org/gather/internal/simd"
)

// Without the old value a reduction of rows starts from its neutral element. The targets
// are set to it first, some blocks at a time, so that the reduction finds them in the
// cache. If they are too large for that, a map tells which rows have been set, and for
// some tuples at a time those rows are set that have not been.

// minSeenBytes is from how many bytes of rows on there is a map of them. Fewer stay in the
// cache until they are updated.
const minSeenBytes = 256 << 10

// seenDensity is how many rows data has at most for each tuple where there is a map of
// them: it is cleared before.
const seenDensity = 32

// byteMemory is for maps, rows of neutral elements and undo logs, for the next call, too.
var byteMemory = sync.Pool{New: func() any { return new([]byte) }}

// bytesFor is memory of n bytes, of the pool.
func bytesFor(n int) (memory *[]byte, bytes []byte) {
	memory = byteMemory.Get().(*[]byte)
	*memory = num.Resize(*memory, n)
	return memory, *memory
}

// remember makes a map of the rows of data, with a byte for each, if that is faster.
func (s *rowScatter) remember(blocks int) {
	rows, tuples := blocks*(s.Span/s.Inner), blocks*s.N
	if s.Inner > 1 && tuples*s.rowBytes() >= minSeenBytes && rows <= seenDensity*tuples {
		s.memory, s.seen = bytesFor(rows)
		par.Clear(s.seen)
	}
}

// fillAndCombineRows sets rows that come for the first time, and combines all.
func (s *rowScatter) fillAndCombineRows(blocks interval, me int) int {
	row, rows := s.rowBytes(), s.Span/s.Inner
	ahead, number, fill := simd.Distance(row), rowNumberOf(row, s.spanBytes()), fillerOf(s.neutral, row)
	defer fill.release()
	firsts := simd.OffsetsFor(0)
	defer simd.OffsetsPool.Put(firsts)
	return eachTuple(&s.tuples, blocks, me, func(r tupleRun[byte]) {
		seen := s.seen[r.number*rows:][:rows]
		for len(r.offsets) > 0 {
			n := min(len(r.offsets), fill.atOnce)
			fill.rows(r.block, number.firsts(firsts, r.offsets[:n], seen))
			s.loop.Run(num.Pointer(r.block), num.Pointer(r.updates), &r.offsets[0], &r.rows[0], n, row, row, ahead)
			r.offsets, r.rows = r.offsets[n:], r.rows[n:]
		}
	})
}

// fillTargets sets all rows that the indices address to the neutral element.
func (s *rowScatter) fillTargets(blocks interval, me int) int {
	fill := fillerOf(s.neutral, s.rowBytes())
	defer fill.release()
	return eachTuple(&s.tuples, blocks, me, func(r tupleRun[byte]) { fill.rows(r.block, r.offsets) })
}

// rowNumber makes numbers of rows out of their offsets in a block: the offset divided by
// the length of a row, rounded down. Rows with gaps between them begin anywhere, but as no
// two overlap, no two have the same number. To divide is to multiply by inverse, which is
// 2^64/row rounded up, and to shift by 64: rounded down that is right for row*at < 2^64.
type rowNumber struct{ row, inverse uint64 }

func rowNumberOf(row, block int) rowNumber {
	n := rowNumber{row: uint64(row)}
	if high, _ := bits.Mul64(n.row, uint64(block)); high == 0 && row > 1 {
		n.inverse = math.MaxUint64/n.row + 1
	}
	return n
}

func (n rowNumber) of(at int64) int {
	if n.inverse == 0 {
		return int(uint64(at) / n.row)
	}
	number, _ := bits.Mul64(uint64(at), n.inverse)
	return int(number)
}

// firsts are the offsets of those rows that have not been seen, in memory for them. It
// marks them. There is no branch to guess.
//
//go:noinline
func (n rowNumber) firsts(to *simd.Offsets, at []int64, seen []byte) []int64 {
	found := 0
	for _, at := range at {
		mark := &seen[n.of(at)]
		to[found&(simd.OffsetsAtOnce-1)] = at
		found += 1 - int(*mark)
		*mark = 1
	}
	return to[:found]
}

// A filler sets rows to what a reduction starts from.
type filler struct {
	loop   simd.AddLoop
	row    []byte  // what they are set to
	memory *[]byte // where it is from, if it is longer than the neutral elements
	bytes  int     // of a row
	atOnce int     // how many rows stay in the cache until they are combined
}

// filledMost is how many bytes a row has at most that others are copied from, and
// filledNear how many bytes of rows stay in the cache.
const (
	filledMost = 64 << 10
	filledNear = 128 << 10
)

// fillerOf is that of rows of so many bytes, all of them neutral elements.
func fillerOf(neutral []byte, bytes int) filler {
	f := filler{loop: simd.FillLoop(bytes), row: neutral, bytes: bytes}
	f.atOnce = max(1, filledNear/f.bytes)
	if len(f.row) < f.bytes && f.bytes <= filledMost {
		f.memory, f.row = bytesFor(f.bytes)
		fillRow(f.row, neutral)
	}
	return f
}

func (f *filler) release() {
	if f.memory != nil {
		byteMemory.Put(f.memory)
	}
}

// rows sets the rows of a block at offsets, behind which there is memory for a loop that
// prefetches. The row that the filler has is 0 bytes behind the one before.
func (f *filler) rows(block []byte, at []int64) {
	switch {
	case len(at) == 0:
	case f.bytes <= len(f.row):
		f.loop.Run(num.Pointer(block), num.Pointer(f.row), &at[0], &simd.InOrder[0], len(at), f.bytes, 0, simd.Distance(f.bytes))
	default:
		for _, at := range at {
			fillRow(block[at:][:f.bytes], f.row)
		}
	}
}

// fillRow repeats elements in a row, in ever larger copies.
func fillRow(row, elements []byte) {
	for n := copy(row, elements); n < len(row); {
		more := min(n, len(row)-n, copiedBefore)
		par.Copy(row[n:n+more], row[:more])
		n += more
	}
}
