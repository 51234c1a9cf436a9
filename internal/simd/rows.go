package simd

import "unsafe"

// AddLoop adds n rows of items to the rows of data at offsets: row t of them is the one at
// places[t] in items, whose rows are step bytes apart. The offsets have been checked.
// Assembly prefetches the row of data that is distance rows ahead: it reads so many more
// offsets.
type AddLoop func(data, items *byte, offsets, places *int64, n, bytes, step, distance int)

func addRowsGo[T float32 | float64](data, items *byte, offsets, places *int64, n, bytes, step, _ int) {
	var element T
	length := bytes / int(unsafe.Sizeof(element))
	place := unsafe.Slice(places, n)
	for t, offset := range unsafe.Slice(offsets, n) {
		addRow(view[T](byteAt(data, int(offset)), length), view[T](byteAt(items, int(place[t])*step), length))
	}
}

// Distance is how many rows ahead the row is that is prefetched: about 8 KiB,
// far enough to arrive in time, not so far that it falls out of the cache again.
func Distance(bytes int) int { return min(Lookahead, max(8, 8<<10/max(1, bytes))) }
