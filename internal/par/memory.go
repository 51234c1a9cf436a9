package par

import (
	"unsafe"

	"gorgonia.org/gather/internal/num"
	"gorgonia.org/gather/internal/simd"
)

// Go's copy and clear cannot be interrupted, and a garbage collection waits for them, with
// every goroutine. Go's clear writes past the caches from 32 MiB on, and smaller pieces of memory that
// they do not hold would take longer.
const (
	clearAtOnce = 32 << 20
	// repeatedBytes is how much is repeated at a time, at most.
	repeatedBytes = 4 << 10
	// shortBytes is what a loop may copy or clear without a call between: it is in Go code
	// often enough to be stopped.
	shortBytes = 256
)

// Copy is copy, to memory as long, of any size, in pieces between which a goroutine can be
// stopped.
func Copy[T any](to, from []T) {
	size := len(num.Bytes(from))
	if size <= shortBytes {
		copy(to, from)
		return
	}
	inPieces(from, simd.BytesAtOnce(size), func(lo, hi int) { copy(to[lo:hi], from[lo:hi]) })
}

// Clear is clear, for memory of any size, in pieces between which a goroutine can be
// stopped.
func Clear[T any](mem []T) {
	if len(num.Bytes(mem)) <= shortBytes {
		clear(mem)
		return
	}
	inPieces(mem, clearAtOnce, func(lo, hi int) { clear(mem[lo:hi]) })
}

// Repeat repeats elements in memory, by ever larger copies of what is there, all of them whole,
// which stay in the nearest cache.
func Repeat(to, elements []byte) {
	most := max(1, repeatedBytes/max(1, len(elements))) * len(elements)
	for n := copy(to, elements); n < len(to); {
		more := min(n, len(to)-n, most)
		Copy(to[n:n+more], to[:more])
		n += more
	}
}

// inPieces calls do for pieces of memory of a number of bytes. It is not inlined, so that do is a
// call, where a goroutine can be stopped.
//
//go:noinline
func inPieces[T any](mem []T, bytes int, do func(lo, hi int)) {
	var element T
	atOnce := max(1, bytes/int(unsafe.Sizeof(element)))
	for lo := 0; lo < len(mem); lo += atOnce {
		do(lo, min(lo+atOnce, len(mem)))
	}
}
