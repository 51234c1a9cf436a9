package kernel

import (
	"sync"

	"gorgonia.org/gather/internal/num"
	"gorgonia.org/gather/internal/par"
	"gorgonia.org/gather/internal/simd"
)

// A scatter goes over its tuples more than once if it is in place, where all must be
// good before the first write, if it starts or counts what they pick, and if owners
// share data. To turn a tuple into an offset takes four times as long as to read
// the offset again, so that they are kept then. ScatterND add of 262144 numbers by
// triples into 16 MiB, in place, with one and two threads (2 cores of a Zen 3):
// 2670 and 2520 µs without, 1970 and 1550 with.

// keptMost is how many offsets are kept at most.
const keptMost = 8 << 20

// keptMemory is for offsets, for the next call, too.
var keptMemory = sync.Pool{New: func() any { return new([]int64) }}

// keepsOffsets reports whether the offsets of all tuples are kept.
func (c *Call) keepsOffsets(blocks int) bool {
	if c.Form != Block || len(c.Axes) < 2 || c.Fill || c.width == 0 || c.tuples() > keptMost {
		return false
	}
	return c.Atomic && !c.keepsOld(blocks) || c.NoInit || c.mean != nil || c.alone(blocks)
}

// alone reports whether one goroutine, or each of some owners, goes over all tuples,
// which several can turn into offsets before.
func (c *Call) alone(blocks int) bool {
	return blocks < fewBlocks && par.Threads() > 1 && blocks*c.N*c.Inner >= 2*scatterGrain
}

// keepOffsets fills kept. It returns the position in Idx of the first bad index, or -1.
func (c *Call) keepOffsets() int {
	c.keeps = keptMemory.Get().(*[]int64)
	n := c.tuples()
	if cap(*c.keeps) < n+simd.Lookahead {
		*c.keeps = make([]int64, n+simd.Lookahead)
	}
	c.kept = (*c.keeps)[:n]
	return c.Run(pick(c.Idx32, keepOffsets[int32], keepOffsets[int64]), n, par.Grain(16*len(c.Axes)))
}

func keepOffsets[I Index](c *Call, lo, hi int) int {
	k := len(c.Axes)
	idx := num.As[I](c.Idx)
	done, bad := offsets(c, c.kept[lo:hi], idx[lo*k:hi*k], c.width)
	if done < hi-lo {
		return (lo+done)*k + bad
	}
	return -1
}

// dropOffsets gives the memory of kept back.
func (c *Call) dropOffsets() {
	keptMemory.Put(c.keeps)
	c.keeps, c.kept = nil, nil
}
