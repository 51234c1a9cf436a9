package kernel

import "unsafe"

// The inner loops in Go, for where there is no assembly, or none that is faster.
// They take the same arguments and, like it, rely on the checks made before: bounds checks as Go
// makes them would take up to half of the time.

// byteAt is the address so many bytes behind p.
func byteAt(p *byte, bytes int) unsafe.Pointer { return unsafe.Add(unsafe.Pointer(p), bytes) }

// copyItemsGo copies the items of size(T) that indices pick.
func copyItemsGo[T any, I Index](data, items, idx *byte, n, size, lift, stride, step int) int {
	var element T
	along := 0
	for t, v := range unsafe.Slice((*I)(unsafe.Pointer(idx)), n) {
		j := uint64(v)
		if j >= uint64(size) {
			if j += uint64(lift); j >= uint64(size) {
				return t
			}
		}
		*(*T)(byteAt(items, t*int(unsafe.Sizeof(element)))) = *(*T)(byteAt(data, int(j)*stride+along))
		along += step
	}
	return n
}

// copyLinesGo copies elements of size(T), each of which its index picks on its own line.
func copyLinesGo[T any, I Index](data, items, idx *byte, lines, n, size, lift, apart int) int {
	var element T
	width := int(unsafe.Sizeof(element))
	for line := range lines {
		from := (*byte)(byteAt(data, line*apart))
		if done := copyItemsGo[T, I](from, (*byte)(byteAt(items, line*n*width)), indexAt[I](idx, line*n), n, size, lift, width, 0); done < n {
			return line*n + done
		}
	}
	return lines * n
}

// copyColumnsGo copies elements of size(T), each of which its index picks in its own column.
func copyColumnsGo[T any, I Index](data, items, idx *byte, lines, n, size, lift, apart int) int {
	var element T
	width := int(unsafe.Sizeof(element))
	for line := range lines {
		if done := copyItemsGo[T, I](data, (*byte)(byteAt(items, line*n*width)), indexAt[I](idx, line*n), n, size, lift, apart, width); done < n {
			return line*n + done
		}
	}
	return lines * n
}

// indexAt is the address of an index.
func indexAt[I Index](idx *byte, i int) *byte {
	return (*byte)(byteAt(idx, i*int(unsafe.Sizeof(I(0)))))
}

func copyLineLoopsGo[T any]() lineLoops {
	return &[2]lineLoop{copyLinesGo[T, int32], copyLinesGo[T, int64]}
}
func copyColumnLoopsGo[T any]() lineLoops {
	return &[2]lineLoop{copyColumnsGo[T, int32], copyColumnsGo[T, int64]}
}
func copyItemLoopsGo[T any]() itemLoops {
	return &[2]itemLoop{copyItemsGo[T, int32], copyItemsGo[T, int64]}
}
func setItemLoopsGo[T any]() itemLoops {
	return &[2]itemLoop{setItemsGo[T, int32], setItemsGo[T, int64]}
}
func fillItemLoopsGo[T any]() itemLoops {
	return &[2]itemLoop{fillItemsGo[T, int32], fillItemsGo[T, int64]}
}

// setItemsGo copies items to what indices pick.
func setItemsGo[T any, I Index](data, items, idx *byte, n, size, lift, stride, step int) int {
	var element T
	along := 0
	for t, v := range unsafe.Slice((*I)(unsafe.Pointer(idx)), n) {
		j := uint64(v)
		if j >= uint64(size) {
			if j += uint64(lift); j >= uint64(size) {
				return t
			}
		}
		*(*T)(byteAt(data, int(j)*stride+along)) = *(*T)(byteAt(items, t*int(unsafe.Sizeof(element))))
		along += step
	}
	return n
}

// fillItemsGo copies the one item that there is to all that indices pick.
func fillItemsGo[T any, I Index](data, items, idx *byte, n, size, lift, stride, step int) int {
	item := *(*T)(unsafe.Pointer(items))
	along := 0
	for t, v := range unsafe.Slice((*I)(unsafe.Pointer(idx)), n) {
		j := uint64(v)
		if j >= uint64(size) {
			if j += uint64(lift); j >= uint64(size) {
				return t
			}
		}
		*(*T)(byteAt(data, int(j)*stride+along)) = item
		along += step
	}
	return n
}

// copyOffsetsGo copies the items of size(T) at offsets.
func copyOffsetsGo[T any](data, items *byte, offsets *int64, n, _, step, _ int) {
	for t, at := range unsafe.Slice(offsets, n) {
		*(*T)(byteAt(items, t*step)) = *(*T)(byteAt(data, int(at)))
	}
}

// setOffsetsGo overwrites the elements at offsets.
func setOffsetsGo[T any](data, items *byte, offsets, places *int64, n, _, step, _ int) {
	place := unsafe.Slice(places, n)
	for i, at := range unsafe.Slice(offsets, n) {
		*(*T)(byteAt(data, int(at))) = *(*T)(byteAt(items, int(place[i])*step))
	}
}

// setRowsGo overwrites rows.
func setRowsGo(data, items *byte, offsets, places *int64, n, bytes, step, _ int) {
	place := unsafe.Slice(places, n)
	for i, at := range unsafe.Slice(offsets, n) {
		copy(unsafe.Slice((*byte)(byteAt(data, int(at))), bytes), unsafe.Slice((*byte)(byteAt(items, int(place[i])*step)), bytes))
	}
}

// fillOffsets copies the first item of size(T) to all offsets.
func fillOffsets[T any](data, items *byte, offsets, _ *int64, n, _, _, _ int) {
	item := *(*T)(unsafe.Pointer(items))
	for _, at := range unsafe.Slice(offsets, n) {
		*(*T)(byteAt(data, int(at))) = item
	}
}

// fillWords are fillOffsets of 1 to 16 bytes, at their logarithm.
var fillWords = [...]addLoop{fillOffsets[byte], fillOffsets[[2]byte], fillOffsets[[4]byte], fillOffsets[[8]byte], fillOffsets[[16]byte]}

// copyRowsGo copies rows of any size. For short ones, copyShort is faster.
func copyRowsGo(data, items *byte, offsets *int64, n, bytes, step, _ int) {
	for t, at := range unsafe.Slice(offsets, n) {
		copy(unsafe.Slice((*byte)(byteAt(items, t*step)), bytes), unsafe.Slice((*byte)(byteAt(data, int(at))), bytes))
	}
}

// copyShort copies rows of size(T) to 2*size(T) bytes as two T, which overlap
// unless the row is as long as both. The call of copy would take longer.
func copyShort[T any](data, items *byte, offsets *int64, n, bytes, step, _ int) {
	var t T
	second := bytes - int(unsafe.Sizeof(t))
	for t, at := range unsafe.Slice(offsets, n) {
		from, to := byteAt(data, int(at)), byteAt(items, t*step)
		first, last := *(*T)(from), *(*T)(unsafe.Add(from, second))
		*(*T)(to) = first
		*(*T)(unsafe.Add(to, second)) = last
	}
}

// setShort is copyShort from items to data.
func setShort[T any](data, items *byte, offsets, places *int64, n, bytes, step, _ int) {
	var t T
	second := bytes - int(unsafe.Sizeof(t))
	place := unsafe.Slice(places, n)
	for i, at := range unsafe.Slice(offsets, n) {
		from, to := byteAt(items, int(place[i])*step), byteAt(data, int(at))
		first, last := *(*T)(from), *(*T)(unsafe.Add(from, second))
		*(*T)(to) = first
		*(*T)(unsafe.Add(to, second)) = last
	}
}
