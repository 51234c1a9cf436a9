package kernel

import (
	"gorgonia.org/gather/internal/num"
	"gorgonia.org/gather/internal/simd"
)

// offsets turns n index tuples, from number first on, into offsets in data, in units of
// which an element has scale: base + t*step + what tuple t addresses. It stops at the first
// bad index and returns how many tuples it has done, and where in the next one the bad index
// is.
func (c *Call) offsets(to []int64, first, n, scale, base, step int) (done, bad int) {
	first, n = first*len(c.Axes), n*len(c.Axes)
	if c.Idx32 {
		return offsets(c, to, num.As[int32](c.Idx)[first:][:n], scale, base, step)
	}
	return offsets(c, to, num.As[int64](c.Idx)[first:][:n], scale, base, step)
}

func offsets[I simd.Index](c *Call, to []int64, idx []I, scale, base, step int) (n, bad int) {
	switch k := len(c.Axes); k {
	case 1:
		return simd.Resolve(to, idx, c.axis(0, scale), base, step), 0
	case 2:
		n, bad = pairs(to, idx, c.axis(0, scale), c.axis(1, scale))
	case 3:
		n, bad = triples(to, idx, c.axis(0, scale), c.axis(1, scale), c.axis(2, scale))
	default:
		var buf [8]simd.Axis
		axes := buf[:0]
		for i := range c.Axes {
			axes = append(axes, c.axis(i, scale))
		}
		n, bad = tuples(to, idx, axes)
	}
	shift(to[:n], base, step)
	return n, bad
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
	return simd.Axis{Size: uint64(a.Size), NegativeOffset: c.negativeOffset(a.Size), Stride: int64(a.Stride * scale)}
}

// pairs and triples are tuples without its loop over axes, which takes longer than the rest.
func pairs[I simd.Index](to []int64, idx []I, a, b simd.Axis) (n, bad int) {
	for t := range len(idx) / 2 {
		v := idx[2*t:][:2]
		i, ok := a.Fix(int64(v[0]))
		if !ok {
			return t, 0
		}
		j, ok := b.Fix(int64(v[1]))
		if !ok {
			return t, 1
		}
		to[t] = int64(i)*a.Stride + int64(j)*b.Stride
	}
	return len(idx) / 2, 0
}

func triples[I simd.Index](to []int64, idx []I, a, b, d simd.Axis) (n, bad int) {
	for t := range len(idx) / 3 {
		v := idx[3*t:][:3]
		i, ok := a.Fix(int64(v[0]))
		if !ok {
			return t, 0
		}
		j, ok := b.Fix(int64(v[1]))
		if !ok {
			return t, 1
		}
		k, ok := d.Fix(int64(v[2]))
		if !ok {
			return t, 2
		}
		to[t] = int64(i)*a.Stride + int64(j)*b.Stride + int64(k)*d.Stride
	}
	return len(idx) / 3, 0
}

// tuples is pairs for tuples of any length. Each component is checked against its own axis
// before it is used: checking only the offset would let a too large component slip into the
// next row.
func tuples[I simd.Index](to []int64, idx []I, axes []simd.Axis) (n, bad int) {
	for k := len(axes); n < len(idx)/k; n++ {
		at := int64(0)
		for i, v := range idx[n*k:][:k] {
			a := &axes[i]
			j, ok := a.Fix(int64(v))
			if !ok {
				return n, i
			}
			at += int64(j) * a.Stride
		}
		to[n] = at
	}
	return n, 0
}
