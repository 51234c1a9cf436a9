package simd

import (
	"unsafe"

	"gorgonia.org/gather/internal/num"
)

// half is a 16-bit float as a type, in the way that a reduction is one: the
// choice between the two costs nothing in a loop.
type half interface{ binary16 | brain16 }

type (
	binary16 [1]byte
	brain16  [2]byte
)

func halfLoopsGo[H half]() [num.Reductions]CombineLoops {
	return [num.Reductions]CombineLoops{
		num.Add: halvesGo[add, H](),
		num.Sub: halvesGo[sub, H](),
		num.Mul: halvesGo[mul, H](),
		num.Min: halvesGo[least, H](),
		num.Max: halvesGo[most, H](),
	}
}

func halvesGo[R reduction, H half]() CombineLoops {
	return CombineLoops{
		Items: &[2]ItemLoop{halfItemsGo[R, H, int32], halfItemsGo[R, H, int64]},
		Rows:  halfRowsGo[R, H], Offsets: halfRowsGo[R, H],
	}
}

// halfItemsGo is combineItemsGo for 16-bit floats.
func halfItemsGo[R reduction, H half, I Index](data, items, idx *byte, n, size, negativeOffset, stride, step int) int {
	var h H
	base := 0
	for t, v := range unsafe.Slice((*I)(unsafe.Pointer(idx)), n) {
		j, ok := fromFront(uint64(v), uint64(size), uint64(negativeOffset))
		if !ok {
			return t
		}
		target, update := (*uint16)(byteAt(data, int(j)*stride+base)), *(*uint16)(byteAt(items, 2*t))
		// One function for both floats would be too large to be inlined.
		if len(h) == len(binary16{}) {
			*target = num.Float16From32(combine[R](num.Float16To32(*target), num.Float16To32(update)))
		} else {
			*target = num.BFloat16From32(combine[R](num.BFloat16To32(*target), num.BFloat16To32(update)))
		}
		base += step
	}
	return n
}

// halfRowsGo is combineRowsGo for 16-bit floats.
func halfRowsGo[R reduction, H half](data, items *byte, offsets, places *int64, n, bytes, step, _ int) {
	eachPair(data, items, offsets, places, n, bytes, step, func(targets, row []uint16) {
		var h H
		for i, u := range row {
			if len(h) == len(binary16{}) {
				targets[i] = num.Float16From32(combine[R](num.Float16To32(targets[i]), num.Float16To32(u)))
			} else {
				targets[i] = num.BFloat16From32(combine[R](num.BFloat16To32(targets[i]), num.BFloat16To32(u)))
			}
		}
	})
}
