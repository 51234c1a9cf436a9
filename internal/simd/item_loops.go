package simd

import "unsafe"

// Loops over single elements. They check indices, and rely on all checks made before:
// bounds checks as Go makes them would take up to half of the time.

// ItemLoop works on n items, one after the other, and the elements of data that
// their indices address: for item t that at index*stride + t*step bytes. It checks
// each index and stops at the first bad one. The result is how many it has done.
type ItemLoop func(data, items, idx *byte, n, size, negativeOffset, stride, step int) int

// ItemLoops are the loops for int32 and for int64 indices.
type ItemLoops *[2]ItemLoop

// LineLoop prefetches the elements of data that n indices of each of some lines address: of
// line l and item t that at l*lineData + index*stride + t*step bytes. Neither lines nor n is
// 0. It checks no index, as nothing comes of a prefetch, and is nil where there is none.
type LineLoop func(data, idx *byte, lines, n, negativeOffset, stride, step, lineData, lineIdx int)

// move is what a loop does with an element of data and its item, as a type: see reduction.
type move interface{ taken | set | filled }

type (
	taken  [1]byte // the item becomes the element
	set    [2]byte // the element becomes the item
	filled [3]byte // every element becomes the first item
)

func moveElement[M move, T any](data, item unsafe.Pointer) {
	var m M
	if len(m) == len(taken{}) {
		*(*T)(item) = *(*T)(data)
	} else {
		*(*T)(data) = *(*T)(item)
	}
}

// fromFront counts an index below zero from the front, where negativeOffset is the size of
// the axis and not 0, and reports whether it is in range.
func fromFront(j, size, negativeOffset uint64) (uint64, bool) {
	if j < size {
		return j, true
	}
	j += negativeOffset
	return j, j < size
}

// moveItemsGo does what move says with each item and its element. Four items in one round
// of the loop are faster than one: see benchmarks/results/assembly.md.
func moveItemsGo[M move, T any, I Index](data, items, idx *byte, n, size, negativeOffset, stride, step int) int {
	var element T
	var m M
	width, end, negative := int(unsafe.Sizeof(element)), uint64(size), uint64(negativeOffset)
	if len(m) == len(filled{}) {
		width = 0
	}
	index := unsafe.Slice((*I)(unsafe.Pointer(idx)), n)
	t, base := 0, 0
	for ; t <= n-4; t += 4 {
		four, item := (*[4]I)(unsafe.Pointer(&index[t])), byteAt(items, t*width)
		j, ok := fromFront(uint64(four[0]), end, negative)
		if !ok {
			return t
		}
		moveElement[M, T](byteAt(data, int(j)*stride+base), item)
		base += step
		if j, ok = fromFront(uint64(four[1]), end, negative); !ok {
			return t + 1
		}
		moveElement[M, T](byteAt(data, int(j)*stride+base), unsafe.Add(item, width))
		base += step
		if j, ok = fromFront(uint64(four[2]), end, negative); !ok {
			return t + 2
		}
		moveElement[M, T](byteAt(data, int(j)*stride+base), unsafe.Add(item, 2*width))
		base += step
		if j, ok = fromFront(uint64(four[3]), end, negative); !ok {
			return t + 3
		}
		moveElement[M, T](byteAt(data, int(j)*stride+base), unsafe.Add(item, 3*width))
		base += step
	}
	for ; t < n; t++ {
		j, ok := fromFront(uint64(index[t]), end, negative)
		if !ok {
			return t
		}
		moveElement[M, T](byteAt(data, int(j)*stride+base), byteAt(items, t*width))
		base += step
	}
	return t
}

func itemLoopsGo[M move, T any]() ItemLoops {
	return &[2]ItemLoop{moveItemsGo[M, T, int32], moveItemsGo[M, T, int64]}
}

// itemLoopsOfWidths are the loops for 1 to 16 bytes.
func itemLoopsOfWidths[M move]() [5]ItemLoops {
	return [5]ItemLoops{itemLoopsGo[M, byte](), itemLoopsGo[M, [2]byte](), itemLoopsGo[M, [4]byte](), itemLoopsGo[M, [8]byte](), itemLoopsGo[M, [16]byte]()}
}

// CopyStrings and SetStrings move strings as what they are, in sight of the garbage collector.
var CopyStrings, SetStrings = itemLoopsGo[taken, string](), itemLoopsGo[set, string]()

// widening are a loop over 16-bit floats for int64 indices and, as it is much faster than
// Go's, the same for int32, which are widened first.
func widening(loop ItemLoop) ItemLoops {
	return &[2]ItemLoop{func(data, items, idx *byte, n, size, negativeOffset, stride, step int) int {
		buf := OffsetsPool.Get().(*Offsets)
		defer OffsetsPool.Put(buf)
		narrow, t := view[int32](unsafe.Pointer(idx), n), 0
		for t < n {
			chunk := narrow[t:min(n, t+OffsetsAtOnce)]
			for i, j := range chunk {
				buf[i] = int64(j)
			}
			done := loop((*byte)(byteAt(data, t*step)), (*byte)(byteAt(items, 2*t)), (*byte)(unsafe.Pointer(buf)), len(chunk), size, negativeOffset, stride, step)
			if t += done; done < len(chunk) {
				break
			}
		}
		return t
	}, loop}
}
