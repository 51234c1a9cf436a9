package simd

import (
	"unsafe"

	"gorgonia.org/gather/internal/num"
)

// CombineLoop chooses the loop of a reduction over rows of so many bytes.
func CombineLoop(kind num.Kind, r num.Reduction, bytes int) AddLoop {
	if short := shortLoops[kind][r]; short != nil && bytes <= shortElements*kind.Width() {
		return short
	}
	return active.Combine[kind][r].Rows
}

// shortElements are the longest rows that have a loop of their own: others fill vectors.
const shortElements = 3

// shortLoops are for numbers that Go computes with.
var shortLoops = [num.Kinds][num.Reductions]AddLoop{
	num.Int8: shortLoopsGo[int8](), num.Int16: shortLoopsGo[int16](), num.Int32: shortLoopsGo[int32](), num.Int64: shortLoopsGo[int64](),
	num.Uint8: shortLoopsGo[uint8](), num.Uint16: shortLoopsGo[uint16](), num.Uint32: shortLoopsGo[uint32](), num.Uint64: shortLoopsGo[uint64](),
	num.Float32: shortLoopsGo[float32](), num.Float64: shortLoopsGo[float64](),
}

func shortLoopsGo[T num.Real]() [num.Reductions]AddLoop {
	return [num.Reductions]AddLoop{
		num.Add: combineShortGo[add, T],
		num.Sub: combineShortGo[sub, T],
		num.Mul: combineShortGo[mul, T],
		num.Min: combineShortGo[least, T],
		num.Max: combineShortGo[most, T],
	}
}

// combineShortGo combines rows of one, two or three elements, without a loop over them.
func combineShortGo[R reduction, T num.Real](data, items *byte, offsets, places *int64, n, bytes, step, _ int) {
	var element T
	place := unsafe.Slice(places, n)
	switch bytes / int(unsafe.Sizeof(element)) {
	case 1:
		for i, at := range unsafe.Slice(offsets, n) {
			t := (*T)(byteAt(data, int(at)))
			*t = combine[R](*t, *(*T)(byteAt(items, int(place[i])*step)))
		}
	case 2:
		for i, at := range unsafe.Slice(offsets, n) {
			t, u := (*[2]T)(byteAt(data, int(at))), (*[2]T)(byteAt(items, int(place[i])*step))
			t[0] = combine[R](t[0], u[0])
			t[1] = combine[R](t[1], u[1])
		}
	case 3:
		for i, at := range unsafe.Slice(offsets, n) {
			t, u := (*[3]T)(byteAt(data, int(at))), (*[3]T)(byteAt(items, int(place[i])*step))
			t[0] = combine[R](t[0], u[0])
			t[1] = combine[R](t[1], u[1])
			t[2] = combine[R](t[2], u[2])
		}
	}
}
