package kernel

import (
	"gorgonia.org/gather/internal/num"
	"gorgonia.org/gather/internal/par"
	"gorgonia.org/gather/internal/simd"
)

// Check compares every index with the size of its axis. It returns the position in
// Idx of the first that is out of range, or -1.
func (c *Call) Check() int {
	n := c.tuples()
	return par.Run((*checkCall)(c), n, par.Grains(n, 16*len(c.Axes)))
}

// tuples is the number of index tuples.
func (c *Call) tuples() int { return len(c.Idx) / num.IndexBytes(c.Idx32) / len(c.Axes) }

// checkCall is a Call whose pieces check index tuples.
type checkCall Call

// Piece checks some hundred tuples at a time, which stay in the cache from one axis to the next.
func (check *checkCall) Piece(lo, hi int) int {
	c := (*Call)(check)
	for k := len(c.Axes); lo < hi; lo += simd.OffsetsAtOnce {
		n := min(simd.OffsetsAtOnce, hi-lo)
		done, bad := 0, 0
		if c.Idx32 {
			done, bad = goodTuples(c, num.As[int32](c.Idx)[lo*k:][:n*k])
		} else {
			done, bad = goodTuples(c, num.As[int64](c.Idx)[lo*k:][:n*k])
		}
		if done < n {
			return (lo+done)*k + bad
		}
	}
	return -1
}

// goodTuples is how many tuples come before the first bad index, and where in the next one that is.
func goodTuples[I simd.Index](c *Call, idx []I) (n, bad int) {
	k := len(c.Axes)
	n = len(idx) / k
	for i := 0; i < k && n > 0; i++ {
		if found := simd.Good(idx[i:n*k], k, c.axis(i, 1)); found < n {
			n, bad = found, i
		}
	}
	return n, bad
}

// Narrow makes index tuples into indices of one axis, if they address single words and all other axes have one element: no
// offset then has more than one part. It checks all indices, and returns the position of a bad one, or -1, and where in
// a tuple the index is that is left. Few elements have loops for offsets: see simd.FewTargets. Elements that are no words, such
// as those of three bytes, are rows, whose indices have none between them.
func (c *Call) Narrow() (at, bad int) {
	k, long := len(c.Axes), -1
	for i, a := range c.Axes {
		switch {
		case a.Size == 1:
		case a.Size <= simd.Few || long >= 0:
			return 0, -1
		default:
			long = i
		}
	}
	if k < 2 || long < 0 || c.SkipBad || !simd.IsWord(c.Width) {
		return 0, -1
	}
	for _, l := range c.Loops {
		if l.Idx == 0 && l.N != 1 {
			return 0, -1
		}
	}
	if bad := c.Check(); bad >= 0 {
		return 0, bad
	}
	loops := c.AvailableLoops() // the memory of those that are read
	for _, l := range c.Loops {
		loops = append(loops, Loop{l.N, l.Items, l.Data, l.Idx * k})
	}
	c.Describe(&Description{ // neither Atomic, as all indices are good, nor SkipBad
		Width: c.Width, Data: c.Data, Items: c.Items, Idx: c.Idx[long*num.IndexBytes(c.Idx32):], Idx32: c.Idx32, Loops: loops,
		Axes: c.Axes[long:][:1], Separate: c.Separate, NonNegative: c.NonNegative, Old: c.Old, NoInit: c.NoInit,
	})
	return long, -1
}
