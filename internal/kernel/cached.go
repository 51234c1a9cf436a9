package kernel

import (
	"sync"

	"gorgonia.org/gather/internal/num"
	"gorgonia.org/gather/internal/par"
	"gorgonia.org/gather/internal/simd"
)

// A scatter reads its tuples more than once if it is in place, where all must be good before
// the first write, if it sets what they address first, and if partitions share data. To
// turn a tuple into an offset takes four times as long as to read the offset again: then
// offsets are cached.

// cachedMost is how many offsets are cached at most.
const cachedMost = 8 << 20

// offsetMemory is for cached offsets, for the next call, too.
var offsetMemory = sync.Pool{New: func() any { return new([]int64) }}

// caches reports whether the offsets of all tuples are cached.
func (s *scatter) caches(atomic bool) bool {
	if len(s.Axes) < 2 || s.SkipBad || s.Width == 0 || s.tuples() > cachedMost {
		return false
	}
	return atomic || s.neutral != nil && s.row.change != nil || s.partitions > 1
}

// cache resolves all tuples. It returns the position in Idx of the first bad index, or -1.
func (s *scatter) cache() int {
	n := s.tuples()
	s.offsets = offsetMemory.Get().(*[]int64)
	*s.offsets = num.Resize(*s.offsets, n+simd.Lookahead)
	s.cached = (*s.offsets)[:n]
	return par.Run((*cacheWork)(s), n, par.Grains(n, 16*len(s.Axes)))
}

// cacheWork is a scatter whose pieces resolve tuples.
type cacheWork scatter

func (s *cacheWork) Piece(lo, hi int) int {
	done, bad := s.Call.offsets(s.cached[lo:hi], lo, hi-lo, s.Width, 0, 0)
	if done < hi-lo {
		return (lo+done)*len(s.Axes) + bad
	}
	return -1
}
