package kernel

import (
	"unsafe"

	"gorgonia.org/gather/internal/num"
	"gorgonia.org/gather/internal/simd"
)

// Resolve turns index tuples, from number first on, into offsets in data, in units of which an
// element has scale: base + t*step + what tuple t addresses. It stops at the first bad index, and
// returns how many tuples it has done, and where in the next one the bad index is.
func (c *Call) Resolve(to []int64, first, scale, base, step int) (done, bad int) {
	first, n := first*len(c.Axes), len(to)*len(c.Axes)
	if c.Idx32 {
		return offsets(c, to, num.As[int32](c.Idx)[first:][:n], scale, base, step)
	}
	return offsets(c, to, num.As[int64](c.Idx)[first:][:n], scale, base, step)
}

func offsets[I simd.Index](c *Call, to []int64, idx []I, scale, base, step int) (n, bad int) {
	k, a := len(c.Axes), c.axis(0, scale)
	if k == 1 {
		return simd.Resolve(to, idx, a, base, step), 0
	}
	b := c.axis(1, scale)
	n, bad = pairs(to[:len(idx)/k], idx, k, &a, &b)
	for i := 2; i < k && n > 0; i++ {
		if done := simd.AddOffsets(to[:n], idx[i:], k, c.axis(i, scale)); done < n {
			n, bad = done, i
		}
	}
	shift(to[:n], base, step)
	return n, bad
}

// pairs is offsets for the first two components of tuples of k. To resolve them axis by axis would take longer, and so would
// a loop in offsets, which has too few registers. Each is checked against its own axis
// before it is used: checking only the offset would let a too large component slip into the next row.
func pairs[I simd.Index](to []int64, idx []I, k int, a, b *simd.Axis) (n, bad int) {
	for at := 0; n < len(to); at += k {
		v := (*[2]I)(unsafe.Add(unsafe.Pointer(unsafe.SliceData(idx)), at*int(unsafe.Sizeof(idx[0]))))
		i, j := uint64(v[0]), uint64(v[1])
		if i >= a.Size {
			if i += a.NegativeOffset; i >= a.Size {
				return n, 0
			}
		}
		if j >= b.Size {
			if j += b.NegativeOffset; j >= b.Size {
				return n, 1
			}
		}
		to[n] = int64(i)*a.Stride + int64(j)*b.Stride
		n++
	}
	return n, 0
}

// shift adds base + t*step to offset t.
func shift(to []int64, base, step int) {
	if base|step == 0 {
		return
	}
	at := int64(base)
	for t := range to {
		to[t] += at
		at += int64(step)
	}
}

func (c *Call) axis(i, scale int) simd.Axis {
	a := c.Axes[i]
	return simd.AxisOf(a.Size, c.NonNegative, a.Stride*scale)
}
