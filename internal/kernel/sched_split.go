package kernel

// pieces is work on a range of positions that may be cut. piece does a part of it
// and returns the position of the first bad index, or -1. No two pieces write to the
// same memory.
type pieces interface{ piece(lo, hi int) int }

// split runs all of n positions in one piece or, from grain for each of two
// goroutines on, in several, and returns the least position that a piece returned,
// or -1. With even, each goroutine gets one piece: what all of them have to read
// is read no more often than needed.
func split(work pieces, n, grain int, even bool) int {
	if helpers(n, grain) == 0 {
		return work.piece(0, n) // as Run would, but most work is small, and needs no Call
	}
	c := Get()
	defer c.Put()
	c.step, c.columns = work, even
	return c.Run(runPiece, n, grain)
}

func runPiece(c *Call, lo, hi int) int { return c.step.(pieces).piece(lo, hi) }

// Each calls do with ranges that together are 0 to n, in several goroutines if
// there are at least grain positions for each. What they do must be apart.
func Each(n, grain int, do func(lo, hi int)) {
	split(eachRange(do), n, grain, false)
}

type eachRange func(lo, hi int)

func (do eachRange) piece(lo, hi int) int {
	do(lo, hi)
	return -1
}
