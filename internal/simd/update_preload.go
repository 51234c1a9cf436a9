package simd

import "unsafe"

// preloadRows is how many rows are read ahead, in Go, before they are worked on.
const preloadRows = 16

// updatedRows are the rows of a table that a loop in Go updates, with their gradients.
type updatedRows[T float32 | float64] struct {
	table         *byte
	gradients     []*byte
	offsets       []int64
	length, bytes int
}

func newUpdatedRows[T float32 | float64](table *byte, grads **byte, offsets *int64, n, bytes int) updatedRows[T] {
	var element T
	return updatedRows[T]{table, unsafe.Slice(grads, n), unsafe.Slice(offsets, n), bytes / int(unsafe.Sizeof(element)), bytes}
}

// row is row t and its gradient. The rows are to be asked for one after the other:
// before each sixteen it reads a byte of every line of the sixteen that follow, in the
// table and in the states that are like it. One load does not wait for the other, as
// the work on rows would, and what is not in the cache arrives at the same time. Go
// has no prefetch.
func (r *updatedRows[T]) row(t int, first, second *byte) (w, g []T) {
	if t%preloadRows == 0 {
		from, to := t+preloadRows, t+2*preloadRows
		if t == 0 {
			from = 0 // nothing has read the first ones
		}
		for _, mem := range [...]*byte{r.table, first, second} {
			preload(mem, r.offsets[min(from, len(r.offsets)):min(to, len(r.offsets))], r.bytes)
		}
	}
	return view[T](byteAt(r.table, int(r.offsets[t])), r.length), view[T](unsafe.Pointer(r.gradients[t]), r.length)
}

// preload reads a byte of every line of some rows, if they are in any memory. It is not inlined, or the compiler
// would see that nobody wants them.
//
//go:noinline
func preload(mem *byte, offsets []int64, bytes int) (all byte) {
	for _, at := range offsets {
		for line := 0; line < bytes && mem != nil; line += CacheLine {
			all ^= *(*byte)(unsafe.Add(unsafe.Pointer(mem), int(at)+line))
		}
	}
	return all
}
