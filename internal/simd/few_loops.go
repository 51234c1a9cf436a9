package simd

import (
	"unsafe"

	"gorgonia.org/gather/internal/num"
)

// Few is how many elements are few, at most.
const Few = 16

// FewTargets reports whether so many elements, of which there are few, have many updates each.
// An extreme of many mostly stays what it is: then a branch that the processor predicts leaves
// out the store, for which the next update would wait. One of fewer updates may change or not,
// and is always stored, unless there are so few in all that a processor learns which do. With more
// targets an update waits less often for the one before.
func FewTargets(targets, updates, all int) bool {
	least := max(64, 32*targets*targets)
	if all <= learntUpdates {
		least = 16*targets + 1
	}
	return targets <= Few && updates >= least
}

// learntUpdates is up to how many updates a processor learns, when they come again: see benchmarks/results/thresholds.md.
const learntUpdates = 32 << 10

// withFew adds the loops of FewTargets.
func withFew[R reduction, F format, T num.Real](loops CombineLoops) CombineLoops {
	loops.FewItems = ItemLoops{combineEach[R, F, long, T, int32], combineEach[R, F, long, T, int64]}
	loops.FewRows = combineEachRow[R, F, long, T]
	if unsafe.Sizeof(T(0)) == 8 {
		loops.OneMost = 15 // longer rows than two cache lines would be read line by line
	}
	return loops
}

// combineEachRow is combineRowsGo for rows of few elements, whose stores an extreme leaves out if L is long, or of
// 16-bit floats.
func combineEachRow[R reduction, F format, L length, T num.Real](data, items *byte, offsets, places *int64, n, bytes, step, _ int) {
	var element T
	place := unsafe.Slice(places, n)
	for i, at := range unsafe.Slice(offsets, n) {
		for b := 0; b < bytes; b += int(unsafe.Sizeof(element)) {
			target, update := (*T)(byteAt(data, int(at)+b)), *(*T)(byteAt(items, int(place[i])*step+b))
			if computes[R, F]() {
				combineHalf[R, F]((*uint16)(unsafe.Pointer(target)), uint16(update))
			} else if x, u := inOrder[R, F](*target), inOrder[R, F](update); !keeps[R, L](x, u) {
				*target = fromOrder[R, F](combine[R](x, u))
			}
		}
	}
}
