package simd

import "unsafe"

// PrefetchItems is how many items a loop by indices works on while the next ones are
// prefetched. A processor by itself reads ahead within a page of 4 KiB: where items and
// indices are out of its caches, each page of them would keep the loop waiting.
const PrefetchItems = 512

// Loops over single elements. They check indices, and rely on all checks made before:
// bounds checks as Go makes them would take up to half of the time.

// ItemLoop works on n items, one after the other, and the elements of data that
// their indices address: for item t that at index*stride + t*step bytes. It checks
// each index and stops at the first bad one. The result is how many it has done.
type ItemLoop func(data, items, idx *byte, n, size, negativeOffset, stride, step int) int

// ItemLoops are the loops for int32 and for int64 indices.
type ItemLoops *[2]ItemLoop

// LineLoop copies what indices address, for lines of n items and as many indices. It checks
// each index and stops at the first bad one. The result is how many items it has done.
//
// Elements lie side by side in data. Over lines, an index addresses an element of its own
// line, which is lineStride bytes behind the one before. Over columns, it addresses one of
// its own column, index*lineStride bytes from the first, and all lines have the same data.
type LineLoop func(data, items, idx *byte, lines, n, size, negativeOffset, lineStride int) int

// LineLoops are the loops for int32 and for int64 indices.
type LineLoops *[2]LineLoop

// copyItemsGo copies the items of size(T) that indices pick.
func copyItemsGo[T any, I Index](data, items, idx *byte, n, size, negativeOffset, stride, step int) int {
	var element T
	along := 0
	for t, v := range unsafe.Slice((*I)(unsafe.Pointer(idx)), n) {
		j := uint64(v)
		if j >= uint64(size) {
			if j += uint64(negativeOffset); j >= uint64(size) {
				return t
			}
		}
		*(*T)(byteAt(items, t*int(unsafe.Sizeof(element)))) = *(*T)(byteAt(data, int(j)*stride+along))
		along += step
	}
	return n
}

// copyLinesGo copies elements of size(T), each of which its index picks on its own line.
func copyLinesGo[T any, I Index](data, items, idx *byte, lines, n, size, negativeOffset, lineStride int) int {
	var element T
	width := int(unsafe.Sizeof(element))
	for line := range lines {
		from := (*byte)(byteAt(data, line*lineStride))
		if done := copyItemsGo[T, I](from, (*byte)(byteAt(items, line*n*width)), indexAt[I](idx, line*n), n, size, negativeOffset, width, 0); done < n {
			return line*n + done
		}
	}
	return lines * n
}

// copyColumnsGo copies elements of size(T), each of which its index picks in its own column.
func copyColumnsGo[T any, I Index](data, items, idx *byte, lines, n, size, negativeOffset, lineStride int) int {
	var element T
	width := int(unsafe.Sizeof(element))
	for line := range lines {
		if done := copyItemsGo[T, I](data, (*byte)(byteAt(items, line*n*width)), indexAt[I](idx, line*n), n, size, negativeOffset, lineStride, width); done < n {
			return line*n + done
		}
	}
	return lines * n
}

// indexAt is the address of an index.
func indexAt[I Index](idx *byte, i int) *byte {
	return (*byte)(byteAt(idx, i*int(unsafe.Sizeof(I(0)))))
}

func copyLineLoopsGo[T any]() LineLoops {
	return &[2]LineLoop{copyLinesGo[T, int32], copyLinesGo[T, int64]}
}
func copyColumnLoopsGo[T any]() LineLoops {
	return &[2]LineLoop{copyColumnsGo[T, int32], copyColumnsGo[T, int64]}
}
func copyItemLoopsGo[T any]() ItemLoops {
	return &[2]ItemLoop{copyItemsGo[T, int32], copyItemsGo[T, int64]}
}
func setItemLoopsGo[T any]() ItemLoops {
	return &[2]ItemLoop{setItemsGo[T, int32], setItemsGo[T, int64]}
}
func fillItemLoopsGo[T any]() ItemLoops {
	return &[2]ItemLoop{fillItemsGo[T, int32], fillItemsGo[T, int64]}
}

// setItemsGo copies items to what indices pick.
func setItemsGo[T any, I Index](data, items, idx *byte, n, size, negativeOffset, stride, step int) int {
	var element T
	along := 0
	for t, v := range unsafe.Slice((*I)(unsafe.Pointer(idx)), n) {
		j := uint64(v)
		if j >= uint64(size) {
			if j += uint64(negativeOffset); j >= uint64(size) {
				return t
			}
		}
		*(*T)(byteAt(data, int(j)*stride+along)) = *(*T)(byteAt(items, t*int(unsafe.Sizeof(element))))
		along += step
	}
	return n
}

// fillItemsGo copies the one item that there is to all that indices pick.
func fillItemsGo[T any, I Index](data, items, idx *byte, n, size, negativeOffset, stride, step int) int {
	item := *(*T)(unsafe.Pointer(items))
	along := 0
	for t, v := range unsafe.Slice((*I)(unsafe.Pointer(idx)), n) {
		j := uint64(v)
		if j >= uint64(size) {
			if j += uint64(negativeOffset); j >= uint64(size) {
				return t
			}
		}
		*(*T)(byteAt(data, int(j)*stride+along)) = item
		along += step
	}
	return n
}
