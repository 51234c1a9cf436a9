package simd

import "unsafe"

// CacheLine is the bytes that the processor loads and stores at once, and that two
// goroutines should not both write to.
const CacheLine = 64

func byteAt(p *byte, bytes int) unsafe.Pointer { return unsafe.Add(unsafe.Pointer(p), bytes) }

// view is n elements of memory that has been checked to be there.
func view[T any](p unsafe.Pointer, n int) []T { return unsafe.Slice((*T)(p), n) }
