package kernel

import (
	"unsafe"

	"gorgonia.org/gather/internal/num"
	"gorgonia.org/gather/internal/simd"
)

// Has reports whether values of the kind can be combined by the reduction.
func Has(kind num.Kind, r num.Reduction) bool { return folds[kind][r].line != nil }

// folds are the reductions step by step, in any layout.
var folds = func() (all [num.Kinds][num.Reductions]stepLoop) {
	of := map[int]func(simd.AddLoop) stepLoop{
		1: foldOf[uint8], 2: foldOf[uint16], 4: foldOf[uint32], 8: foldOf[[8]byte], 16: foldOf[[16]byte],
	}
	for kind := range all {
		for r := range all[kind] {
			if combine := simd.Go.Combine[kind][r].Offsets; combine != nil {
				all[kind][r] = of[num.Kind(kind).Width()](combine)
			}
		}
	}
	return all
}()

// foldOf combines elements of size(T), one by one.
func foldOf[T any](combine simd.AddLoop) stepLoop {
	return stepLoopOf(func(items, data []T, item, datum, n, stepItems, stepData int) {
		if datum < 0 {
			return
		}
		for i := range n {
			target, update := &data[datum+i*stepData], &items[item+i*stepItems]
			combine((*byte)(unsafe.Pointer(target)), (*byte)(unsafe.Pointer(update)), &simd.InOrder[0], &simd.InOrder[0], 1, int(unsafe.Sizeof(*target)), 0, 0)
		}
	})
}
