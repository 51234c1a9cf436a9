package kernel

import (
	"sync"
	"unsafe"

	"gorgonia.org/gather/internal/simd"
)

// A scatter in place that meets a bad index must leave data as it was. There
// are two ways: to check every index before the first write, or to keep what
// is overwritten. Indices are often larger than data, and reading them twice
// takes longer than keeping data, block by block, on its way through the cache:
// ScatterElements add by 8 MB of indices takes 968 µs in 4 MB of floats either way, but
// 922 with a check first and 832 with copies in 2 MB, and 2675 and 2129 by 16 MB in 8.

// undoMost is how many bytes are kept at most.
const undoMost = 8 << 20

// undoMemory is for what is kept, by the next call, too.
var undoMemory = sync.Pool{New: func() any { return new([]byte) }}

// keepsOld reports whether data is kept. Strings have no bytes.
func (c *Call) keepsOld(blocks int) bool {
	all := blocks * c.spanBytes()
	return all > 0 && all <= undoMost && all <= len(c.Idx)
}

// atomic runs a scatter so that it changes nothing if an index is bad.
func (c *Call) atomic(loop Loop, blocks int, few division) int {
	size := c.spanBytes()
	all := blocks * size
	if !c.keepsOld(blocks) {
		if bad := c.Check(); bad >= 0 {
			return bad
		}
		return c.divide(loop, blocks, few)
	}
	kept := undoMemory.Get().(*[]byte)
	defer undoMemory.Put(kept)
	if cap(*kept) < all {
		*kept = make([]byte, all)
	}
	data, undo := c.Data[:all], (*kept)[:all]
	c.old = undo
	if blocks < fewBlocks {
		copyAll(undo, data)
	} else {
		c.copyBefore(undo, data, size)
		c.stages.past = !c.blends && keepsPast(all)
	}
	bad := c.divide(loop, blocks, few)
	if bad >= 0 {
		copyAll(data, undo)
	}
	return bad
}

// keepsPast reports whether so many bytes are kept past the caches.
func keepsPast(bytes int) bool { return active.stream != nil && bytes >= keptPast }

// copy is copyAny for the stage of copies.
func (s *stages) copy(to, from []byte) {
	if s.past {
		copyPast(to, from)
	} else {
		copyAny(to, from)
	}
}

// copyPast is copyAny past the caches, which the scatter needs for itself.
func copyPast(to, from []byte) {
	head := min(len(from), int(-uintptr(unsafe.Pointer(unsafe.SliceData(to)))%simd.CacheLine))
	copyAny(to[:head], from[:head])
	to, from = to[head:], from[head:]
	for len(from) >= simd.CacheLine {
		n := min(len(from)/simd.CacheLine, rowBytesAtOnce/simd.CacheLine)
		streamLines(to, from, n)
		to, from = to[n*simd.CacheLine:], from[n*simd.CacheLine:]
	}
	copyAny(to, from)
}

// streamLines is not inlined: here a goroutine can be stopped.
//
//go:noinline
func streamLines(to, from []byte, lines int) {
	active.stream(&to[:lines*simd.CacheLine][0], &from[:lines*simd.CacheLine][0], lines)
}
