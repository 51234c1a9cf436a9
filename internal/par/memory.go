package par

import "unsafe"

// Go's copy and clear cannot be interrupted, and a garbage collection waits for them, with
// every goroutine. Go's copy writes past the caches from 1 MiB on, its clear from 32 MiB
// on: of what the caches do not hold, pieces that are smaller would be slower. A scatter into
// old values that they hold takes a third of the time.
const (
	copyAtOnce   = 2 << 20
	cachedBytes  = 8 << 20
	cachedAtOnce = 512 << 10
	clearAtOnce  = 32 << 20
	// shortBytes is what a loop may copy or clear without a call between: it is in Go code
	// often enough to be stopped.
	shortBytes = 256
)

// Copy is copy, to memory as long, of any size, in pieces between which a goroutine can be
// stopped.
func Copy[T any](to, from []T) {
	var element T
	if len(from)*int(unsafe.Sizeof(element)) <= shortBytes {
		copy(to, from)
		return
	}
	copyPieces(to, from)
}

func copyPieces[T any](to, from []T) {
	var element T
	size := int(unsafe.Sizeof(element))
	atOnce := max(1, copyAtOnce/size)
	if len(from)*size <= cachedBytes {
		atOnce = cachedAtOnce / size
	}
	for len(from) > atOnce {
		copyPiece(to[:atOnce], from[:atOnce])
		to, from = to[atOnce:], from[atOnce:]
	}
	copyPiece(to, from)
}

//go:noinline
func copyPiece[T any](to, from []T) { copy(to, from) }

// Clear is clear, for memory of any size, in pieces between which a goroutine can be
// stopped.
func Clear[T any](mem []T) {
	var element T
	if len(mem)*int(unsafe.Sizeof(element)) <= shortBytes {
		clear(mem)
		return
	}
	clearPieces(mem)
}

func clearPieces[T any](mem []T) {
	var element T
	atOnce := max(1, clearAtOnce/int(unsafe.Sizeof(element)))
	for len(mem) > atOnce {
		clearPiece(mem[:atOnce])
		mem = mem[atOnce:]
	}
	clearPiece(mem)
}

//go:noinline
func clearPiece[T any](mem []T) { clear(mem) }
