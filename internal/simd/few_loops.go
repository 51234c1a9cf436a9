package simd

import (
	"math"
	"unsafe"

	"gorgonia.org/gather/internal/num"
)

// FewTargets reports whether so many elements, of which there are few, have many updates each.
// An extreme of many mostly stays what it is: then a branch that the processor predicts leaves
// out the store, for which the next update would wait. One of fewer updates may change or not,
// and is always stored.
func FewTargets(targets, updates int) bool {
	return targets <= 16 && updates >= 32*targets || targets <= 2 && updates >= 16*targets
}

// withFew adds the loops of FewTargets. A T is a number only if F is exact.
func withFew[R reduction, F format, T num.Real](loops CombineLoops) CombineLoops {
	loops.FewItems = ItemLoops{combineEach[R, F, long, T, int32], combineEach[R, F, long, T, int64]}
	loops.FewRows = combineEachRow[R, F, long, T]
	return loops
}

// combineEachRow is combineRowsGo for rows of few elements, whose stores an extreme leaves out if L is long, or of
// 16-bit floats.
func combineEachRow[R reduction, F format, L length, T num.Real](data, items *byte, offsets, places *int64, n, bytes, step, _ int) {
	var element T
	var f F
	var l L
	place := unsafe.Slice(places, n)
	for i, at := range unsafe.Slice(offsets, n) {
		for b := 0; b < bytes; b += int(unsafe.Sizeof(element)) {
			target, update := (*T)(byteAt(data, int(at)+b)), *(*T)(byteAt(items, int(place[i])*step+b))
			if len(f) != len(exact{}) {
				if u := uint16(update); len(l) == len(short{}) || !keepsHalf[R](uint16(*target), u) {
					combineHalf[R, F]((*uint16)(unsafe.Pointer(target)), u)
				}
			} else if !keeps[R, L](*target, update) {
				*target = combine[R](*target, update)
			}
		}
	}
}

// keepsHalf is keeps for the bits of 16-bit floats. As the upper bits of a float32 they are in the
// same order, and NaN of a float16 are beyond limit. Of larger numbers of a bfloat16 it may say no.
func keepsHalf[R reduction](result, x uint16) bool {
	var r R
	a, b := math.Float32frombits(uint32(result)<<16), math.Float32frombits(uint32(x)<<16)
	if len(r) == len(least{}) {
		a, b = -a, -b
	}
	return b < a && b >= -limit && a <= limit
}

const limit = 0x1p121 // +∞ of a float16

// combineHalf combines the bits of 16-bit floats.
//
//go:noinline
func combineHalf[R reduction, F format](target *uint16, update uint16) {
	var f F
	if len(f) == len(brain16{}) {
		*target = num.BFloat16From32(combine[R](num.BFloat16To32(*target), num.BFloat16To32(update)))
	} else {
		*target = num.Float16From32(combine[R](num.Float16To32(*target), num.Float16To32(update)))
	}
}
