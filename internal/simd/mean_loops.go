package simd

import (
	"unsafe"

	"gorgonia.org/gather/internal/num"
)

// MeanLoops are an implementation's loops that make means of sums, for one kind.
type MeanLoops struct {
	// Quotients divides n sums by their counts, and more than those by as many, but those
	// without a count. It leaves counts that are 0.
	Quotients func(to, counts *byte, n, more int)
	// Rows divides rows of sums by numbers, which are items of int32.
	Rows GatherLoop
}

// meanLoopsOfKindsGo are for all kinds that have gradients: whose means need no care for
// sums that are out of range.
func meanLoopsOfKindsGo() [num.Kinds]*MeanLoops {
	return [num.Kinds]*MeanLoops{
		num.Float16:    meanLoopsGo(func(a uint16, n int) uint16 { return num.Float16From32(num.Float16To32(a) / float32(n)) }),
		num.BFloat16:   meanLoopsGo(func(a uint16, n int) uint16 { return num.BFloat16From32(num.BFloat16To32(a) / float32(n)) }),
		num.Float32:    meanLoopsGo(func(a float32, n int) float32 { return a / float32(n) }),
		num.Float64:    meanLoopsGo(func(a float64, n int) float64 { return a / float64(n) }),
		num.Complex64:  meanLoopsGo(num.DivideComplex64),
		num.Complex128: meanLoopsGo(num.DivideComplex128),
	}
}

func meanLoopsGo[T any](divide func(a T, n int) T) *MeanLoops {
	var element T
	width := int(unsafe.Sizeof(element))
	return &MeanLoops{
		Quotients: func(to, counts *byte, n, more int) {
			count := unsafe.Slice((*int32)(unsafe.Pointer(counts)), n)
			for i, target := range view[T](unsafe.Pointer(to), n) {
				if count[i] != 0 {
					*(*T)(byteAt(to, i*width)), count[i] = divide(target, int(count[i])+more), 0
				}
			}
		},
		Rows: func(data, items *byte, offsets *int64, n, bytes, _, _ int) {
			by := unsafe.Slice((*int32)(unsafe.Pointer(items)), n)
			for t, at := range unsafe.Slice(offsets, n) {
				row := unsafe.Slice((*T)(byteAt(data, int(at))), bytes/width)
				for i, sum := range row {
					row[i] = divide(sum, int(by[t]))
				}
			}
		},
	}
}
