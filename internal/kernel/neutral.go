package kernel

import (
	"sync"
	"unsafe"

	"gorgonia.org/gather/internal/num"
	"gorgonia.org/gather/internal/par"
	"gorgonia.org/gather/internal/simd"
)

// Without the old value a reduction starts from its neutral element. The targets are set to
// it first, some iterations of the divided loop at a time, so that the reduction finds them
// in the cache.

// neutralMost is how many bytes a row has at most that others are copied from.
const neutralMost = 64 << 10

// byteMemory is for rows of neutral elements and undo logs, for the next call, too.
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
		s.memory[1], row = bytesFor(s.unit)
		repeatBytes(row, s.neutral)
	}
	s.setRows = rowOp{change: simd.SetLoop(s.unit), one: row}
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
