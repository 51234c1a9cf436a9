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

// copyItemsGo copies the items of size(T) that indices address.
func copyItemsGo[T any, I Index](data, items, idx *byte, n, size, negativeOffset, stride, step int) int {
	var element T
	base := 0
	for t, v := range unsafe.Slice((*I)(unsafe.Pointer(idx)), n) {
		j := uint64(v)
		if j >= uint64(size) {
			if j += uint64(negativeOffset); j >= uint64(size) {
				return t
			}
		}
		*(*T)(byteAt(items, t*int(unsafe.Sizeof(element)))) = *(*T)(byteAt(data, int(j)*stride+base))
		base += step
	}
	return n
}

// CopyStrings and SetStrings move strings as what they are, in sight of the garbage collector.
var CopyStrings, SetStrings = copyItemLoopsGo[string](), setItemLoopsGo[string]()

func copyItemLoopsGo[T any]() ItemLoops {
	return &[2]ItemLoop{copyItemsGo[T, int32], copyItemsGo[T, int64]}
}
func setItemLoopsGo[T any]() ItemLoops {
	return &[2]ItemLoop{setItemsGo[T, int32], setItemsGo[T, int64]}
}
func fillItemLoopsGo[T any]() ItemLoops {
	return &[2]ItemLoop{fillItemsGo[T, int32], fillItemsGo[T, int64]}
}

// setItemsGo copies items to what indices address.
func setItemsGo[T any, I Index](data, items, idx *byte, n, size, negativeOffset, stride, step int) int {
	var element T
	base := 0
	for t, v := range unsafe.Slice((*I)(unsafe.Pointer(idx)), n) {
		j := uint64(v)
		if j >= uint64(size) {
			if j += uint64(negativeOffset); j >= uint64(size) {
				return t
			}
		}
		*(*T)(byteAt(data, int(j)*stride+base)) = *(*T)(byteAt(items, t*int(unsafe.Sizeof(element))))
		base += step
	}
	return n
}

// fillItemsGo copies the one item that there is to all that indices address.
func fillItemsGo[T any, I Index](data, items, idx *byte, n, size, negativeOffset, stride, step int) int {
	item := *(*T)(unsafe.Pointer(items))
	base := 0
	for t, v := range unsafe.Slice((*I)(unsafe.Pointer(idx)), n) {
		j := uint64(v)
		if j >= uint64(size) {
			if j += uint64(negativeOffset); j >= uint64(size) {
				return t
			}
		}
		*(*T)(byteAt(data, int(j)*stride+base)) = item
		base += step
	}
	return n
}
