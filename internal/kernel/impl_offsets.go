package kernel

import (
	"sync"
	"unsafe"
)

// vectorRun is the fewest indices that are worth the call of resolve.
const vectorRun = 16

// resolved is how many index tuples are turned into offsets at a time, at most.
const resolved = 512

type offsetBuffer [resolved + lookahead]int64

// buffers holds memory for offsets, with room behind them for the loops that
// look ahead. On the stack they would not stay: a rowLoop is called through a
// variable, and might keep what it is given.
var buffers = sync.Pool{New: func() any { return new(offsetBuffer) }}

// lookahead is how many offsets behind the last one a rowLoop may read, only to
// prefetch what is there: whatever it is, nothing comes of it.
const lookahead = 32

// offsets turns tuples into offsets in their block of data, in units of which
// an element has scale. It stops at the first bad index and returns how many
// tuples it has done, and where in that tuple the bad index is.
func offsets[I Index](c *Call, to []int64, idx []I, scale int) (n, bad int) {
	switch k := len(c.Axes); k {
	case 1:
		a := c.axis(0, scale)
		return resolveAxis(to, idx, a, 0), 0
	case 2:
		return pairs(to, idx, c.axis(0, scale), c.axis(1, scale))
	case 3:
		return triples(to, idx, c.axis(0, scale), c.axis(1, scale), c.axis(2, scale))
	default:
		for t := range len(idx) / k {
			at, bad := resolve(c, idx[t*k:][:k])
			if bad >= 0 {
				return t, bad
			}
			to[t] = int64(at * scale)
		}
		return len(idx) / k, 0
	}
}

// checkedAxis is an Axis as the loops use it.
type checkedAxis struct {
	size, lift uint64
	stride     int64
}

func (c *Call) axis(i, scale int) checkedAxis {
	a := c.Axes[i]
	return checkedAxis{uint64(a.Size), c.lift(a.Size), int64(a.Stride * scale)}
}

// fix checks an index and counts it from the front.
func (a *checkedAxis) fix(v int64) (j uint64, ok bool) {
	if j = uint64(v); j >= a.size {
		if j += a.lift; j >= a.size {
			return 0, false
		}
	}
	return j, true
}

// resolveAxis turns indices of one axis into offsets index*stride + t*step. It returns
// how many are good before the first bad one.
func resolveAxis[I Index](to []int64, idx []I, a checkedAxis, step int) int {
	to = to[:len(idx)]
	done := 0
	if len(idx) >= vectorRun && active.resolve64 != nil && a.size < 1<<32 && a.stride < 1<<32 && uint64(step) < 1<<32 {
		vectors := active.resolve64
		if unsafe.Sizeof(idx[0]) == 4 {
			vectors = active.resolve32
		}
		done = vectors(&to[0], (*byte)(unsafe.Pointer(&idx[0])), len(idx), int(a.size), int(a.lift), int(a.stride), step)
	}
	for t := done; t < len(idx); t++ {
		j, ok := a.fix(int64(idx[t]))
		if !ok {
			return t
		}
		to[t] = int64(j)*a.stride + int64(t*step)
	}
	return len(idx)
}

// Resolve counts indices of an axis of some size from the front, in place, up to the
// first that is out of range, and returns how many it has done: 4096 in 0.9 µs, one by
// one in 5.
func Resolve(idx []int64, size int, nonNegative bool) int {
	axis := checkedAxis{size: uint64(size), stride: 1}
	if !nonNegative {
		axis.lift = axis.size
	}
	for done := 0; done < len(idx); {
		n := min(resolved, len(idx)-done)
		now := resolveSome(idx[done:][:n], axis)
		if done += now; now < n {
			return done
		}
	}
	return len(idx)
}

// resolveSome is Resolve for as many as a call of assembly may have. It is not inlined:
// here a goroutine can be stopped.
//
//go:noinline
func resolveSome(idx []int64, axis checkedAxis) int { return resolveAxis(idx, idx, axis, 0) }

// pairs and triples are resolve without its loop over axes: 512 tuples of two take 0.90
// µs and not 2.53, of three 1.13 and not 3.25.
func pairs[I Index](to []int64, idx []I, a, b checkedAxis) (n, bad int) {
	for t := range len(idx) / 2 {
		v := idx[2*t:][:2]
		i, ok := a.fix(int64(v[0]))
		if !ok {
			return t, 0
		}
		j, ok := b.fix(int64(v[1]))
		if !ok {
			return t, 1
		}
		to[t] = int64(i)*a.stride + int64(j)*b.stride
	}
	return len(idx) / 2, 0
}

func triples[I Index](to []int64, idx []I, a, b, d checkedAxis) (n, bad int) {
	for t := range len(idx) / 3 {
		v := idx[3*t:][:3]
		i, ok := a.fix(int64(v[0]))
		if !ok {
			return t, 0
		}
		j, ok := b.fix(int64(v[1]))
		if !ok {
			return t, 1
		}
		k, ok := d.fix(int64(v[2]))
		if !ok {
			return t, 2
		}
		to[t] = int64(i)*a.stride + int64(j)*b.stride + int64(k)*d.stride
	}
	return len(idx) / 3, 0
}
