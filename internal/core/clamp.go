package core

import (
	"sync"

	"gorgonia.org/gather/internal/num"
	"gorgonia.org/gather/internal/par"
	"gorgonia.org/gather/internal/plan"
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
	tuples := x.size / k
	grain := par.Grain(8 * k)
	switch {
	case x.scratch == nil:
		x.scratch = scratch.Get().(*[]int64)
		if cap(*x.scratch) < x.size {
			*x.scratch = make([]int64, x.size)
		}
	case x.is32:
		grain = tuples // packed by load in the memory that is written to, further behind
	}
	c := clampings.Get().(*clamping)
	defer clampings.Put(c)
	*c = clamping{to: (*x.scratch)[:x.size], from: x.loaded, is32: x.is32, sizes: sizes, nonNegative: p.NonNegative}
	par.Run(c, tuples, grain)
	x.loaded, x.is32 = num.Bytes(c.to), false
	*c = clamping{}
	return nil
}

// clamping is the job of clamping index tuples.
type clamping struct {
	to          []int64
	from        []byte
	is32        bool
	sizes       []int
	nonNegative bool
}

var clampings = sync.Pool{New: func() any { return new(clamping) }}

// Piece clamps the tuples lo to hi.
func (c *clamping) Piece(lo, hi int) int {
	k := len(c.sizes)
	lo, hi = lo*k, hi*k
	if c.is32 {
		clampTo(c.to[lo:hi], num.As[int32](c.from)[lo:hi], c.sizes, c.nonNegative)
	} else {
		clampTo(c.to[lo:hi], num.As[int64](c.from)[lo:hi], c.sizes, c.nonNegative)
	}
	return -1
}

// clampTo writes clamped tuples, in their order.
func clampTo[I int32 | int64](to []int64, idx []I, sizes []int, nonNegative bool) {
	if len(sizes) == 1 {
		last, fromEnd := int64(sizes[0])-1, fromEnd(sizes[0], nonNegative)
		to = to[:len(idx)]
		for i, v := range idx {
			to[i] = clampIndex(int64(v), last, fromEnd)
		}
		return
	}
	for i := 0; i < len(idx); {
		for _, size := range sizes {
			to[i] = clampIndex(int64(idx[i]), int64(size)-1, fromEnd(size, nonNegative))
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
