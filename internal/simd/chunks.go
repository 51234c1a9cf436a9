package simd

import (
	"unsafe"

	"gorgonia.org/gather/internal/num"
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
	ItemsAtOnce    = 4096
	RowBytesAtOnce = 1 << 20
	CachedBytes    = 8 << 20
)

// BytesAtOnce is how many of so many bytes are copied in one call. Go's copy writes past the caches from 1 MiB
// on. That is faster from about CachedBytes on, and slower below.
func BytesAtOnce(bytes int) int {
	if bytes < CachedBytes {
		return RowBytesAtOnce / 2
	}
	return RowBytesAtOnce
}

// Run runs the loop over n rows, in calls of RowBytesAtOnce at most, or as many and a vector.
//
//go:noinline
func (loop GatherLoop) Run(data, items *byte, offsets *int64, n, bytes, step, distance int) {
	if n*bytes < RowBytesAtOnce {
		loop(data, items, offsets, n, bytes, step, distance)
		return
	}
	eachChunk(n, bytes, func(t, n, from, bytes int) {
		loop((*byte)(byteAt(data, from)), (*byte)(byteAt(items, t*step+from)), int64At(offsets, t), n, bytes, step, distance)
	})
}

// Run runs the loop over n rows, in calls of RowBytesAtOnce at most, or as many and a vector.
//
//go:noinline
func (loop ScatterLoop) Run(data, items *byte, offsets, places *int64, n, bytes, step, distance int) {
	if n*bytes < RowBytesAtOnce {
		loop(data, items, offsets, places, n, bytes, step, distance)
		return
	}
	eachChunk(n, bytes, func(t, n, from, bytes int) {
		loop((*byte)(byteAt(data, from)), (*byte)(byteAt(items, from)), int64At(offsets, t), int64At(places, t), n, bytes, step, distance)
	})
}

// eachChunk divides n rows into chunks of some rows or, where rows are longer than
// a chunk may be, of a part of one: bytes many of it from a byte on.
//
//go:noinline
func eachChunk(n, bytes int, do func(t, n, from, bytes int)) {
	// Parts begin where a vector does in the row, and none is shorter than one:
	// a loop may rely on both.
	const vector = 64
	atOnce := BytesAtOnce(n * bytes)
	rows := max(1, atOnce/bytes)
	for t := 0; t < n; t += rows {
		for from, part := 0, 0; from < bytes; from += part {
			if part = bytes - from; part >= atOnce+vector {
				part = atOnce
			}
			do(t, min(rows, n-t), from, part)
		}
	}
}

func int64At(p *int64, i int) *int64 { return (*int64)(unsafe.Add(unsafe.Pointer(p), 8*i)) }

// Divide divides the sums that have a count.
func (l *MeanLoops) Divide(sums, counts []byte, more int) {
	width := 4 * len(sums) / max(1, len(counts))
	for len(counts) > 0 {
		n := min(len(counts)/4, RowBytesAtOnce/width)
		l.divideChunk(sums[:n*width], counts[:4*n], more)
		sums, counts = sums[n*width:], counts[4*n:]
	}
}

//go:noinline
func (l *MeanLoops) divideChunk(sums, counts []byte, more int) {
	l.Quotients(num.Pointer(sums), num.Pointer(counts), len(counts)/4, more)
}

// DivideRows divides rows of a block, of so many bytes, at offsets. It clears the Lookahead
// behind them.
func (l *MeanLoops) DivideRows(block []byte, at []int64, by []int32, row int) {
	clear(at[len(at):][:Lookahead])
	for n := 0; len(at) > 0; at, by = at[n:], by[n:] {
		n = min(len(at), max(1, RowBytesAtOnce/row))
		for from := 0; from < row; from += RowBytesAtOnce {
			l.divideRowsChunk(block[from:], at[:n], by, min(row-from, RowBytesAtOnce))
		}
	}
}

//go:noinline
func (l *MeanLoops) divideRowsChunk(block []byte, at []int64, by []int32, bytes int) {
	l.Rows(num.Pointer(block), num.Pointer(by), &at[0], len(at), bytes, 0, Distance(bytes))
}
