package simd

import (
	"math/bits"
	"unsafe"
)

// GatherLoop works on n rows of the given number of bytes: row t of items, which
// are step bytes apart, and the row of data at offsets[t]. The offsets have
// been checked. Assembly prefetches the row of data that is distance rows ahead: it
// reads so many more offsets.
type GatherLoop func(data, items *byte, offsets *int64, n, bytes, step, distance int)

// ScatterLoop works on n rows of items and of data. It is like GatherLoop, but row t of
// items is the one at places[t].
type ScatterLoop func(data, items *byte, offsets, places *int64, n, bytes, step, distance int)

// Distance is how many rows ahead the row is that is prefetched: about 16 KiB, further than a processor looks ahead by
// itself, and not so far that it falls out of the cache again. See benchmarks/results/thresholds.md.
func Distance(bytes int) int {
	if bytes <= 16<<10/Lookahead {
		return Lookahead // without a division
	}
	return max(8, 16<<10/bytes)
}

// PackedDistance is Distance for rows in fewer bits, which have so many bytes as they are
// stored.
func PackedDistance(bytes int) int { return min(PackedLookahead, max(8, 8<<10/max(1, bytes))) }

// IsWord reports whether elements of the width, or strings for 0, can be moved
// one by one as a Go type.
func IsWord(width int) bool { return width <= 16 && width&(width-1) == 0 }

// Log2 is the logarithm of a power of two.
func Log2(n int) int { return bits.TrailingZeros(uint(n)) }

// longRow is from how many bytes on Go's copy is as fast as a loop with prefetches.
const longRow = 4 << 10

// CopyLoop chooses the loop that copies rows of the given size from data.
func CopyLoop(bytes int) GatherLoop {
	return chooseLoop[GatherLoop](bytes, copyRowsGo, &active.CopyOffsets, &active.CopyShort, active.CopyRows)
}

// SetLoop chooses the loop that overwrites rows of data of the given size.
func SetLoop(bytes int) ScatterLoop {
	return chooseLoop[ScatterLoop](bytes, setRowsGo, &active.SetOffsets, &setShortLoops, active.SetRows)
}

func chooseLoop[L GatherLoop | ScatterLoop](bytes int, long L, words, short *[5]L, vectors L) L {
	switch {
	case bytes >= longRow:
		return long
	case IsWord(bytes):
		return words[Log2(bytes)]
	case bytes < active.MinVectorBytes:
		return short[min(bits.Len(uint(bytes))-2, 4)]
	}
	return vectors
}

// setShortLoops are the loops over rows of 2 or 3 bytes, of 4 to 7 and so on.
var setShortLoops = [...]ScatterLoop{setShort[[2]byte], setShort[[4]byte], setShort[[8]byte], setShort[[16]byte], setShort[quad]}

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
		*(*T)(to) = *(*T)(from)
		*(*T)(unsafe.Add(to, second)) = *(*T)(unsafe.Add(from, second))
	}
}

// setShort is copyShort from items to data.
func setShort[T any](data, items *byte, offsets, places *int64, n, bytes, step, _ int) {
	var t T
	second := bytes - int(unsafe.Sizeof(t))
	place := unsafe.Slice(places, n)
	for i, at := range unsafe.Slice(offsets, n) {
		from, to := byteAt(items, int(place[i])*step), byteAt(data, int(at))
		*(*T)(to) = *(*T)(from)
		*(*T)(unsafe.Add(to, second)) = *(*T)(unsafe.Add(from, second))
	}
}

// CopyStringRows and SetStringRows move rows of strings as what they are, in sight of the
// garbage collector.
func CopyStringRows(data, items *byte, offsets *int64, n, bytes, step, _ int) {
	for t, at := range unsafe.Slice(offsets, n) {
		moveStrings(byteAt(items, t*step), byteAt(data, int(at)), bytes)
	}
}

func SetStringRows(data, items *byte, offsets, places *int64, n, bytes, step, _ int) {
	place := unsafe.Slice(places, n)
	for t, at := range unsafe.Slice(offsets, n) {
		moveStrings(byteAt(data, int(at)), byteAt(items, int(place[t])*step), bytes)
	}
}

func moveStrings(to, from unsafe.Pointer, bytes int) {
	n := bytes / int(unsafe.Sizeof(""))
	copy(view[string](to, n), view[string](from, n))
}

// quad are 32 bytes that Go keeps in registers, as it does not an array: it would call memmove.
type quad struct{ A, B, C, D uint64 }
