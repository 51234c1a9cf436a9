package simd

import "unsafe"

// ItemLoop is a LineLoop in assembly, for lines whose items and indices are
// contiguous: for item t the element of data is that at index*stride + t*step bytes. It
// stops at the first bad index. The result is how many items it has done.
type ItemLoop func(data, items, idx *byte, n, size, negativeOffset, stride, step int) int

// ItemLoops are the loops for int32 and for int64 indices. They may be nil: then the loops
// in Go are as fast.
type ItemLoops [2]ItemLoop

// PrefetchLoop prefetches the elements of data that n indices of each of some lines address: of
// line l and item t that at l*lineData + index*stride + t*step bytes. Neither lines nor n is
// 0. It checks no index, as nothing comes of a prefetch, and is nil where there is none.
type PrefetchLoop func(data, idx *byte, lines, n, negativeOffset, stride, step, lineData, lineIdx int)

// widening are a loop over 16-bit floats for int64 indices and, as it is much faster than
// Go's, the same for int32, which are widened first.
func widening(loop ItemLoop) ItemLoops {
	return ItemLoops{func(data, items, idx *byte, n, size, negativeOffset, stride, step int) int {
		buf := OffsetsPool.Get().(*Offsets)
		defer OffsetsPool.Put(buf)
		narrow, t := view[int32](unsafe.Pointer(idx), n), 0
		for t < n {
			chunk := narrow[t:min(n, t+OffsetsAtOnce)]
			for i, j := range chunk {
				buf[i] = int64(j)
			}
			done := loop((*byte)(byteAt(data, t*step)), (*byte)(byteAt(items, 2*t)), (*byte)(unsafe.Pointer(buf)), len(chunk), size, negativeOffset, stride, step)
			if t += done; done < len(chunk) {
				break
			}
		}
		return t
	}, loop}
}
