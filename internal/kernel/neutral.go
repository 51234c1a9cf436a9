package kernel

import (
	"unsafe"

	"gorgonia.org/gather/internal/num"
	"gorgonia.org/gather/internal/par"
	"gorgonia.org/gather/internal/simd"
)

// Without the old value a reduction starts from its neutral element. The targets are set to
// it first, some iterations of the divided loop at a time, so that the reduction finds them
// in the cache.

// prepareNeutral chooses how targets are set to the neutral element.
func (s *scatter) prepareNeutral() {
	if s.single {
		s.setSingle = elementOp{lines: byIndexWidth(s.Call, simd.Active().SetLines[simd.Log2(s.unit)]), one: s.neutral[:s.unit]}
	} else {
		s.setRows = rowOp{change: simd.SetLoop(s.unit), one: s.neutral}
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
