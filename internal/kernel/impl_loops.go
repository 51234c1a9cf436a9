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

// scatterItemsGo overwrites the elements that indices pick.
func scatterItemsGo[T any, I Index](data, items, idx *byte, n, size, lift, stride, step int) int {
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

// addItemsGo adds items to the elements that indices pick.
func addItemsGo[T float32 | float64, I Index](data, items, idx *byte, n, size, lift, stride, step int) int {
	var element T
	along := 0
	for t, v := range unsafe.Slice((*I)(unsafe.Pointer(idx)), n) {
		j := uint64(v)
		if j >= uint64(size) {
			if j += uint64(lift); j >= uint64(size) {
				return t
			}
		}
		*(*T)(byteAt(data, int(j)*stride+along)) += *(*T)(byteAt(items, t*int(unsafe.Sizeof(element))))
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

// scatterOffsetsGo overwrites the elements at offsets.
func scatterOffsetsGo[T any](data, items *byte, offsets, places *int64, n, _, step, _ int) {
	place := unsafe.Slice(places, n)
	for i, at := range unsafe.Slice(offsets, n) {
		*(*T)(byteAt(data, int(at))) = *(*T)(byteAt(items, int(place[i])*step))
	}
}

// scatterRowsGo overwrites rows.
func scatterRowsGo(data, items *byte, offsets, places *int64, n, bytes, step, _ int) {
	place := unsafe.Slice(places, n)
	for i, at := range unsafe.Slice(offsets, n) {
		copy(unsafe.Slice((*byte)(byteAt(data, int(at))), bytes), unsafe.Slice((*byte)(byteAt(items, int(place[i])*step)), bytes))
	}
}

// addOffsetsGo adds items to the elements at offsets.
func addOffsetsGo[T float32 | float64](data, items *byte, offsets, places *int64, n, _, step, _ int) {
	place := unsafe.Slice(places, n)
	for i, at := range unsafe.Slice(offsets, n) {
		*(*T)(byteAt(data, int(at))) += *(*T)(byteAt(items, int(place[i])*step))
	}
}

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

// addRowsGo adds rows.
func addRowsGo[T float32 | float64](data, items *byte, offsets, places *int64, n, bytes, step, _ int) {
	var element T
	length := bytes / int(unsafe.Sizeof(element))
	place := unsafe.Slice(places, n)
	for i, at := range unsafe.Slice(offsets, n) {
		targets := unsafe.Slice((*T)(byteAt(data, int(at))), length)
		row := unsafe.Slice((*T)(byteAt(items, int(place[i])*step)), length)
		for len(row) >= 8 && len(targets) >= 8 {
			t, r := (*[8]T)(targets), (*[8]T)(row)
			t[0] += r[0]
			t[1] += r[1]
			t[2] += r[2]
			t[3] += r[3]
			t[4] += r[4]
			t[5] += r[5]
			t[6] += r[6]
			t[7] += r[7]
			targets, row = targets[8:], row[8:]
		}
		if len(row) >= 4 && len(targets) >= 4 {
			t, r := (*[4]T)(targets), (*[4]T)(row)
			t[0] += r[0]
			t[1] += r[1]
			t[2] += r[2]
			t[3] += r[3]
			targets, row = targets[4:], row[4:]
		}
		for i := range row {
			// Written like those above: where both are NaN, the compiler may
			// take the payload of either, and the target's is wanted.
			t, r := (*[1]T)(targets[i:]), (*[1]T)(row[i:])
			t[0] += r[0]
		}
	}
}
