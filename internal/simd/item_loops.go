package simd

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
