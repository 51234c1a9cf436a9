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
