package simd

import (
	"unsafe"

	"gorgonia.org/gather/internal/num"
)

// MeanLoops are an implementation's loops that make means of sums, for one kind.
type MeanLoops struct {
	// Counted is the loop over single items that adds and counts, in counts that are
	// int32. It is nil but for float32 and float64: then the items are added and after that
	// counted.
	Counted CountingLoops
	// Quotients divides n sums by their counts, and more than those by as many, or
	// replaces those without a count by the old values. It leaves counts that are 0.
	Quotients func(to, old, counts *byte, n, more int)
	// Rows divides rows of sums by numbers, which are items of int32.
	Rows RowLoop
}

// CountingLoop is an ItemLoop that also works on the mark of every element, which is in
// the same place of its own memory. stride and step are in elements.
type CountingLoop func(data, items, idx, counts *byte, n, size, negativeOffset, stride, step int) int

// CountingLoops are the loops for int32 and for int64 indices.
type CountingLoops *[2]CountingLoop

// meanLoopsOfKindsGo are for all kinds that have gradients: whose means need no care for
// sums that are out of range.
func meanLoopsOfKindsGo() [num.Kinds]*MeanLoops {
	return [num.Kinds]*MeanLoops{
		num.Float16:    meanLoopsGo(nil, func(a uint16, n int) uint16 { return num.Float16From32(num.Float16To32(a) / float32(n)) }),
		num.BFloat16:   meanLoopsGo(nil, func(a uint16, n int) uint16 { return num.BFloat16From32(num.BFloat16To32(a) / float32(n)) }),
		num.Float32:    meanLoopsGo(addCountedLoopsGo[float32](), func(a float32, n int) float32 { return a / float32(n) }),
		num.Float64:    meanLoopsGo(addCountedLoopsGo[float64](), func(a float64, n int) float64 { return a / float64(n) }),
		num.Complex64:  meanLoopsGo(nil, func(a complex64, n int) complex64 { return a / complex(float32(n), 0) }),
		num.Complex128: meanLoopsGo(nil, func(a complex128, n int) complex128 { return a / complex(float64(n), 0) }),
	}
}

func meanLoopsGo[T any](counted CountingLoops, divide func(a T, n int) T) *MeanLoops {
	var element T
	width := int(unsafe.Sizeof(element))
	return &MeanLoops{
		Counted: counted,
		Quotients: func(to, old, counts *byte, n, more int) {
			for i := range n {
				target, count := (*T)(byteAt(to, i*width)), (*int32)(byteAt(counts, 4*i))
				if *count == 0 {
					*target = *(*T)(byteAt(old, i*width))
					continue
				}
				*target = divide(*target, int(*count)+more)
				*count = 0
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

// CountLoops count what indices address, in counts that are int32.
var CountLoops = CountingLoops(&[2]CountingLoop{countItemsGo[int32], countItemsGo[int64]})

func countItemsGo[I Index](_, _, idx, counts *byte, n, size, negativeOffset, stride, step int) int {
	base := 0
	for t, v := range unsafe.Slice((*I)(unsafe.Pointer(idx)), n) {
		j, ok := fromFront(uint64(v), uint64(size), uint64(negativeOffset))
		if !ok {
			return t
		}
		*(*int32)(byteAt(counts, 4*(int(j)*stride+base)))++
		base += step
	}
	return n
}

func addCountedLoopsGo[T float32 | float64]() CountingLoops {
	return &[2]CountingLoop{addCountedGo[T, int32], addCountedGo[T, int64]}
}

// addCountedGo adds items to what indices address, and counts.
func addCountedGo[T float32 | float64, I Index](data, items, idx, counts *byte, n, size, negativeOffset, stride, step int) int {
	var element T
	item, base := view[T](unsafe.Pointer(items), n), 0
	for t, v := range view[I](unsafe.Pointer(idx), n) {
		j, ok := fromFront(uint64(v), uint64(size), uint64(negativeOffset))
		if !ok {
			return t
		}
		at := int(j)*stride + base
		target := (*T)(byteAt(data, at*int(unsafe.Sizeof(element))))
		*target = combine[add](*target, item[t]) // in this order: see combineRowsGo
		*(*int32)(byteAt(counts, 4*at))++
		base += step
	}
	return n
}
