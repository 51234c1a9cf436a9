package kernel

// pieces is work on a range of positions that may be cut. piece does a part of it
// and returns the place of the first bad index, or -1. Pieces write to separate
// places.
type pieces interface{ piece(lo, hi int) int }

// split runs all of n positions in one piece or, from grain for each of two
// goroutines on, in several, and returns the least place that a piece returned,
// or -1. With even, each goroutine gets one piece: what all of them have to read
// is read no more often than needed.
func split(work pieces, n, grain int, even bool) int {
	c := Get()
	defer c.Put()
	c.step, c.columns = work, even
	return c.Run(runPiece, n, grain)
}

func runPiece(c *Call, lo, hi int) int { return c.step.(pieces).piece(lo, hi) }
