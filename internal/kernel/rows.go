package kernel

import (
	"sync"
	"unsafe"
)

// rowLoop works on n rows of the given number of bytes: row t of items, which
// are step bytes apart, and the row of data at offsets[t]. The offsets have
// been checked. Assembly prefetches the row of data that is distance rows ahead.
type rowLoop func(data, items *byte, offsets *int64, n, bytes, step, distance int)

// Implementation is one way to run the loops over rows: in Go, or in assembly
// for an instruction set.
type Implementation struct {
	Name  string
	least int // the fewest bytes of a row that copy can take
	copy  rowLoop
	add   map[Kind]rowLoop
}

// Implementations are those that this machine can run, the fastest last. The
// first is in Go.
var Implementations = []*Implementation{{Name: "go", copy: copyRowsGo}}

// active is the implementation in use.
var active = Implementations[0]

// Use makes an implementation the active one until restore is called. It is for
// tests and benchmarks, which compare them, and not safe while kernels run.
func Use(i *Implementation) (restore func()) {
	before := active
	active = i
	return func() { active = before }
}

// copyRowsGo copies rows of more than 64 bytes, or of any size.
func copyRowsGo(data, items *byte, offsets *int64, n, bytes, step, _ int) {
	for t, at := range unsafe.Slice(offsets, n) {
		from, to := unsafe.Add(unsafe.Pointer(data), at), unsafe.Add(unsafe.Pointer(items), t*step)
		copy(unsafe.Slice((*byte)(to), bytes), unsafe.Slice((*byte)(from), bytes))
	}
}

// copyShort copies rows of size(T) to 2*size(T) bytes as two T, which overlap
// unless the row is as long as both. The call of copy would take longer.
func copyShort[T any](data, items *byte, offsets *int64, n, bytes, step, _ int) {
	var t T
	second := bytes - int(unsafe.Sizeof(t))
	for t, at := range unsafe.Slice(offsets, n) {
		from, to := unsafe.Add(unsafe.Pointer(data), at), unsafe.Add(unsafe.Pointer(items), t*step)
		first, last := *(*T)(from), *(*T)(unsafe.Add(from, second))
		*(*T)(to) = first
		*(*T)(unsafe.Add(to, second)) = last
	}
}

// copyLoop chooses the loop for rows of the given size.
func copyLoop(bytes int) rowLoop {
	switch {
	case bytes == 1:
		return copyRowsGo
	case bytes < 4:
		return copyShort[[2]byte]
	case bytes < 8:
		return copyShort[[4]byte]
	case bytes < 16:
		return copyShort[[8]byte]
	case bytes < 32:
		return copyShort[[16]byte]
	case bytes < 64:
		return copyShort[[32]byte]
	case active.copy != nil && bytes >= active.least:
		return active.copy
	}
	return copyRowsGo
}

// prefetchBytes is how far ahead in data the rows are that are prefetched: far
// enough to arrive in time, not so far that they fall out of the cache again.
const prefetchBytes = 4 << 10

// distance is prefetchBytes in rows.
func distance(bytes int) int { return min(16, max(2, prefetchBytes/max(1, bytes))) }

// resolved is how many index tuples are turned into offsets at a time.
const resolved = 512

// buffers holds memory for offsets. On the stack they would not stay: a rowLoop
// is called through a variable, and might keep what it is given.
var buffers = sync.Pool{New: func() any { return new([resolved]int64) }}

// offsets turns tuples into offsets in their block of data, in elements. It stops at the first bad index and returns
// how many tuples it has done, and where in that tuple the bad index is.
func offsets[I Index](c *Call, to []int64, idx []I) (n, bad int) {
	switch len(c.Axes) {
	case 1:
		size, lift, stride := uint64(c.Axes[0].Size), c.lift(c.Axes[0].Size), int64(c.Axes[0].Stride)
		to = to[:len(idx)]
		for t, v := range idx {
			j := uint64(v)
			if j >= size {
				if j += lift; j >= size {
					return t, 0
				}
			}
			to[t] = int64(j) * stride
		}
		return len(idx), 0
	case 2:
		a, b := c.axis(0), c.axis(1)
		for t := range len(idx) / 2 {
			v := idx[2*t:][:2]
			i, j := uint64(v[0]), uint64(v[1])
			if i >= a.size {
				if i += a.lift; i >= a.size {
					return t, 0
				}
			}
			if j >= b.size {
				if j += b.lift; j >= b.size {
					return t, 1
				}
			}
			to[t] = int64(i)*a.stride + int64(j)*b.stride
		}
	case 3:
		a, b, d := c.axis(0), c.axis(1), c.axis(2)
		for t := range len(idx) / 3 {
			v := idx[3*t:][:3]
			i, j, k := uint64(v[0]), uint64(v[1]), uint64(v[2])
			if i >= a.size {
				if i += a.lift; i >= a.size {
					return t, 0
				}
			}
			if j >= b.size {
				if j += b.lift; j >= b.size {
					return t, 1
				}
			}
			if k >= d.size {
				if k += d.lift; k >= d.size {
					return t, 2
				}
			}
			to[t] = int64(i)*a.stride + int64(j)*b.stride + int64(k)*d.stride
		}
	default:
		k := len(c.Axes)
		for t := range len(idx) / k {
			at, bad := resolve(c, idx[t*k:][:k])
			if bad >= 0 {
				return t, bad
			}
			to[t] = int64(at)
		}
	}
	return len(idx) / len(c.Axes), 0
}

// axis is an Axis as the loops over tuples use it.
func (c *Call) axis(i int) struct {
	size, lift uint64
	stride     int64
} {
	a := c.Axes[i]
	return struct {
		size, lift uint64
		stride     int64
	}{uint64(a.Size), c.lift(a.Size), int64(a.Stride)}
}
