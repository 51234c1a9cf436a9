package kernel

import (
	"math"
	"math/bits"
	"sync"
	"unsafe"

	"gorgonia.org/gather/internal/num"
	"gorgonia.org/gather/internal/par"
	"gorgonia.org/gather/internal/simd"
)

// Without the old value a reduction starts from its neutral element. The targets are set to
// it first, some iterations of the divided loop at a time, so that the reduction finds them
// in the cache. If they are too large for that, a map tells which rows have been set, and
// for some tuples at a time those rows are set that have not been.

// minSeenBytes is from how many bytes of rows on there is a map of them. Fewer stay in the
// cache until they are updated.
const minSeenBytes = 256 << 10

// seenDensity is how many rows data has at most for each tuple where there is a map of
// them: it is cleared before.
const seenDensity = 32

// neutralMost is how many bytes a row has at most that others are copied from, and
// neutralNear how many bytes of rows stay in the cache.
const (
	neutralMost = 64 << 10
	neutralNear = 128 << 10
)

// byteMemory is for maps, rows of neutral elements and undo logs, for the next call, too.
var byteMemory = sync.Pool{New: func() any { return new([]byte) }}

// bytesFor is memory of n bytes, of the pool.
func bytesFor(n int) (memory *[]byte, bytes []byte) {
	memory = byteMemory.Get().(*[]byte)
	*memory = num.Resize(*memory, n)
	return memory, *memory
}

// prepareNeutral chooses how targets are set to the neutral element.
func (s *scatter) prepareNeutral() {
	if s.single {
		s.setSingle = elementOp{lines: byIndexWidth(s.Call, simd.Active().SetLines[simd.Log2(s.unit)]), one: s.neutral[:s.unit]}
		return
	}
	row := s.neutral
	if len(row) < s.unit && s.unit <= neutralMost {
		s.memory[2], row = bytesFor(s.unit)
		repeatBytes(row, s.neutral)
	}
	s.setRows = rowOp{change: simd.FillLoop(s.unit), one: row}
	rows := len(s.Data)/s.unit + 1
	if s.row.change != nil && s.separate && s.tail == len(s.loops) && s.divided < len(s.loops) && s.unit > s.Width &&
		s.positions*s.unit >= minSeenBytes && rows <= seenDensity*s.positions {
		f := &s.firstRows
		s.memory[1], f.seen = bytesFor(rows)
		par.Clear(f.seen)
		f.number, f.set = rowNumberOf(s.unit, len(s.Data)), s.setRows
		s.row.firsts, s.setRows = f, rowOp{}
	}
}

// setRows sets rows to the neutral elements that the operation has.
func setRows(op *rowOp, data *byte, at []int64, row int) {
	if row <= len(op.one) {
		op.change.Run(data, num.Pointer(op.one), &at[0], &simd.Iota[0], len(at), row, 0, 0)
		return
	}
	for _, at := range at {
		repeatBytes(unsafe.Slice((*byte)(unsafe.Add(unsafe.Pointer(data), at)), row), op.one)
	}
}

// repeatBytes repeats elements in a row, in ever larger copies.
func repeatBytes(row, elements []byte) {
	for n := copy(row, elements); n < len(row); {
		more := min(n, len(row)-n, copiedBefore)
		par.Copy(row[n:n+more], row[:more])
		n += more
	}
}

// firstRows sets rows to the neutral element when they come for the first time.
type firstRows struct {
	number rowNumber
	seen   []byte // of each row, whether it has been set
	set    rowOp
}

// run sets the first rows and then changes all of them.
func (f *firstRows) run(op *rowOp, p *part, r *rowsAt) {
	firsts := simd.OffsetsFor(0)
	defer simd.OffsetsPool.Put(firsts)
	atOnce := max(1, neutralNear/p.unit)
	data, items := num.Pointer(p.Data), byteOf(p.Items, r.item)
	for t := 0; t < len(r.offsets); t += atOnce {
		some := r.offsets[t:min(t+atOnce, len(r.offsets))]
		if found := f.number.firsts(firsts, some, f.seen); len(found) > 0 {
			setRows(&f.set, data, found, p.unit)
		}
		op.change.Run(data, items, &some[0], &r.places[t], len(some), p.unit, r.step, r.ahead)
	}
}

// rowNumber makes numbers of rows out of their offsets: the offset divided by
// the length of a row, rounded down. Rows with gaps between them begin anywhere, but as no
// two overlap, no two have the same number. To divide is to multiply by inverse, which is
// 2^64/row rounded up, and to shift by 64: rounded down that is right for row*at < 2^64.
type rowNumber struct{ row, inverse uint64 }

func rowNumberOf(row, memory int) rowNumber {
	n := rowNumber{row: uint64(row)}
	if high, _ := bits.Mul64(n.row, uint64(memory)); high == 0 && row > 1 {
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
	clear(to[found:][:simd.Lookahead])
	return to[:found]
}
