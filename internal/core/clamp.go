package core

import (
	"math"
	"slices"
	"sync"

	"gorgonia.org/gather/internal/num"
	"gorgonia.org/gather/internal/par"
	"gorgonia.org/gather/internal/plan"
	"gorgonia.org/gather/internal/simd"
)

// clamp replaces indices that are loaded by a copy in which each is in range: one below
// the first is the first, and one behind the last is the last. An axis of size 0 has
// neither, and any index of it is an error.
func (x *indices) clamp(p *plan.Params, data *view) error {
	if x.size == 0 {
		return nil
	}
	k := x.axes(p)
	sizes := data.shape[firstAxis(p):][:k]
	for component, size := range sizes {
		if size == 0 {
			return x.indexError(p, data, component)
		}
	}
	memory, before := scratch.Get().(*[]int64), x.scratch
	if cap(*memory) < x.size {
		*memory = make([]int64, x.size)
	}
	c := clampings.Get().(*clamping)
	defer clampings.Put(c)
	*c = clamping{to: num.Bytes((*memory)[:x.size]), from: x.loaded, from32: x.is32, sizes: sizes, nonNegative: p.NonNegative}
	if c.to32 = slices.Max(sizes) <= math.MaxInt32; c.to32 {
		c.to = c.to[:4*x.size] // of which less is written and read
	}
	par.Run(c, x.size/k, par.Grains(x.size, 8))
	x.loaded, x.is32, x.scratch = c.to, c.to32, memory
	*c = clamping{}
	if before != nil {
		scratch.Put(before)
	}
	return nil
}

// clamping is the job of clamping index tuples.
type clamping struct {
	to, from     []byte
	to32, from32 bool // they hold int32, else int64
	sizes        []int
	nonNegative  bool
}

var clampings = sync.Pool{New: func() any { return new(clamping) }}

// Piece clamps the tuples lo to hi.
func (c *clamping) Piece(lo, hi int) int {
	k := len(c.sizes)
	lo, hi = lo*k, hi*k
	switch {
	case c.to32 && c.from32:
		clampTo[int32, int32](c, lo, hi)
	case c.to32:
		clampTo[int32, int64](c, c.inVectors(lo, hi), hi)
	case c.from32:
		clampTo[int64, int32](c, lo, hi)
	default:
		clampTo[int64, int64](c, lo, hi)
	}
	return -1
}

// inVectors clamps indices of one axis from lo on, and returns the first that is left.
func (c *clamping) inVectors(lo, hi int) int {
	if simd.Active().Clamp == nil || len(c.sizes) > 1 {
		return lo
	}
	to, from := num.As[int32](c.to), num.As[int64](c.from)
	for n := 0; hi-lo >= 8; lo += n {
		n = min(hi-lo, simd.ItemsAtOnce) &^ 7
		c.clampVectors(&to[lo], &from[lo], n)
	}
	return lo
}

// clampVectors is where Go can interrupt the goroutine between two calls into assembly.
//
//go:noinline
func (c *clamping) clampVectors(to *int32, from *int64, n int) {
	simd.Active().Clamp(to, from, n, int64(c.sizes[0])-1, fromEnd(c.sizes[0], c.nonNegative))
}

// clampTo clamps the indices lo to hi of tuples.
func clampTo[T, F int32 | int64](c *clamping, lo, hi int) {
	to, from := num.As[T](c.to)[lo:hi], num.As[F](c.from)[lo:hi]
	if len(c.sizes) == 1 {
		last, fromEnd := int64(c.sizes[0])-1, fromEnd(c.sizes[0], c.nonNegative)
		for i, v := range from {
			to[i] = T(clampIndex(int64(v), last, fromEnd))
		}
		return
	}
	for i := 0; i < len(from); {
		for _, size := range c.sizes {
			to[i] = T(clampIndex(int64(from[i]), int64(size)-1, fromEnd(size, c.nonNegative)))
			i++
		}
	}
}

// fromEnd is what is added to a negative index.
func fromEnd(size int, nonNegative bool) int64 {
	if nonNegative {
		return 0
	}
	return int64(size)
}

func clampIndex(v, last, fromEnd int64) int64 { return min(max(v+v>>63&fromEnd, 0), last) }
