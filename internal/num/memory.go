package num

import "unsafe"

// As views memory as elements of type T.
func As[T any](mem []byte) []T {
	var element T
	n := len(mem) / int(unsafe.Sizeof(element))
	if n == 0 {
		return nil
	}
	return unsafe.Slice((*T)(unsafe.Pointer(unsafe.SliceData(mem))), n)
}

// Bytes views elements as memory.
func Bytes[T any](s []T) []byte {
	var element T
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(s))), len(s)*int(unsafe.Sizeof(element)))
}

// Pointer is the start of a slice, as assembly takes it.
func Pointer[T any](s []T) *byte { return (*byte)(unsafe.Pointer(unsafe.SliceData(s))) }

// Resize is a slice of n elements, in the same memory if there is enough, which holds what
// it held. New memory is 0.
func Resize[T any](s []T, n int) []T {
	if cap(s) < n {
		return make([]T, n, n+n/4)
	}
	return s[:n]
}

// Fill writes a value to all of a slice.
func Fill[T any](all []T, value T) {
	for i := range all {
		all[i] = value
	}
}

// IndexBytes is the size of an index, which is an int32 or an int64.
func IndexBytes(is32 bool) int {
	if is32 {
		return 4
	}
	return 8
}

// Index is number i of some indices.
func Index(indices []byte, is32 bool, i int) int64 {
	if is32 {
		return int64(As[int32](indices)[i])
	}
	return As[int64](indices)[i]
}
