package kernel

import (
	"unsafe"

	"gorgonia.org/gather/internal/par"
)

// Go interrupts a goroutine at any place in Go code, but not in assembly, and
// what copies and clears memory for Go is assembly, too (see par.Copy). A garbage
// collection waits until it returns, and with it every goroutine. So one call into
// assembly does no more than the amounts below, which take some tenths of a
// millisecond.
//
// That is not enough: where one call follows the other in a loop, the signal
// that is to interrupt the goroutine finds it in assembly each time. Between two
// calls of such a size it enters a Go function that calls others. There it looks
// at its stack, and stops if it is asked to. Functions that call none, or are
// inlined, and the wrappers of assembly do not look.
const (
	itemsAtOnce    = 4096
	rowBytesAtOnce = 1 << 20
)

// run runs the loop over n rows, in calls of at most rowBytesAtOnce.
//
//go:noinline
func (loop rowLoop) run(data, items *byte, offsets *int64, n, bytes, step, distance int) {
	if n*bytes <= rowBytesAtOnce {
		loop(data, items, offsets, n, bytes, step, distance)
		return
	}
	eachPiece(n, bytes, func(t, n, from, bytes int) {
		loop((*byte)(byteAt(data, from)), (*byte)(byteAt(items, t*step+from)), int64At(offsets, t), n, bytes, step, distance)
	})
}

// run runs the loop over n rows, in calls of at most rowBytesAtOnce.
//
//go:noinline
func (loop addLoop) run(data, items *byte, offsets, places *int64, n, bytes, step, distance int) {
	if n*bytes <= rowBytesAtOnce {
		loop(data, items, offsets, places, n, bytes, step, distance)
		return
	}
	eachPiece(n, bytes, func(t, n, from, bytes int) {
		loop((*byte)(byteAt(data, from)), (*byte)(byteAt(items, from)), int64At(offsets, t), int64At(places, t), n, bytes, step, distance)
	})
}

// eachPiece cuts n rows into pieces of some rows or, where rows are longer than
// a piece may be, of a part of one: bytes many of it from a byte on.
//
//go:noinline
func eachPiece(n, bytes int, do func(t, n, from, bytes int)) {
	if rows := rowBytesAtOnce / bytes; rows > 0 {
		for t := 0; t < n; t += rows {
			do(t, min(rows, n-t), 0, bytes)
		}
		return
	}
	// Parts begin where a vector does in the row, and none is shorter than one:
	// a loop may rely on both.
	const vector = 64
	for t := range n {
		for from := 0; from < bytes; {
			part := min(rowBytesAtOnce, bytes-from)
			if left := bytes - from - part; left > 0 && left < vector {
				part -= vector
			}
			do(t, 1, from, part)
			from += part
		}
	}
}

func int64At(p *int64, i int) *int64 { return (*int64)(unsafe.Add(unsafe.Pointer(p), 8*i)) }

// shortBytes is how many bytes of neutral elements there are, for rows as long.
const shortBytes = 256

// copyAny and clearAny are copy and clear for memory of any size.
func copyAny[T any](to, from []T) { par.Copy(to, from) }
func clearAny[T any](mem []T)     { par.Clear(mem) }
