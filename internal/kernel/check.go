package kernel

import (
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
func (c *Call) tuples() int { return len(c.Idx) / c.indexBytes() / len(c.Axes) }

// indexBytes is the size of an index.
func (c *Call) indexBytes() int {
	if c.Idx32 {
		return 4
	}
	return 8
}

// checkCall is a Call whose pieces check index tuples.
type checkCall Call

// Piece makes offsets of the indices, and forgets them.
func (check *checkCall) Piece(lo, hi int) int {
	c := (*Call)(check)
	buf := simd.OffsetsPool.Get().(*simd.Offsets)
	defer simd.OffsetsPool.Put(buf)
	for lo < hi {
		n := min(simd.OffsetsAtOnce, hi-lo)
		done, bad := c.offsets(buf[:], lo, n, 1, 0, 0)
		if lo += done; done < n {
			return lo*len(c.Axes) + bad
		}
	}
	return -1
}
