package core

import (
	"gorgonia.org/gather/internal/num"
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
	if x.scratch == nil {
		x.scratch = scratch.Get().(*[]int64)
		if cap(*x.scratch) < x.size {
			*x.scratch = make([]int64, x.size)
		}
	}
	wide := (*x.scratch)[:x.size]
	if x.is32 {
		clampTo(wide, num.As[int32](x.loaded), sizes, p.NonNegative)
	} else {
		clampTo(wide, num.As[int64](x.loaded), sizes, p.NonNegative)
	}
	x.loaded, x.is32 = num.Bytes(wide), false
	return nil
}

// clampTo writes clamped tuples, in their order: they may stand in the memory that is
// written to, as far behind as indices that load has packed there.
func clampTo[I int32 | int64](to []int64, idx []I, sizes []int, nonNegative bool) {
	for i := 0; i < len(idx); {
		for _, size := range sizes {
			v, n := int64(idx[i]), int64(size)
			if v < 0 && !nonNegative {
				v += n
			}
			to[i] = min(max(v, 0), n-1)
			i++
		}
	}
}
