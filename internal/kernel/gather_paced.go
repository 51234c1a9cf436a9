package kernel

import "sync/atomic"

// Elements that lie far apart are copied by one of two loops. The paced one has few loads
// on their way, which is faster where they come from the last cache, as it is where an
// operator has just written them, and slower where they come from memory: see paced.go in
// _asm. 8 of each of 1024 lines of 32000 float32, one thread of a Zen 3: from the cache 47
// µs, and 62 by the loop that prefetches; from memory 120 and 72. Which it is cannot be
// known, so both are tried, and timed.

// A trial is what is known of the two loops.
type trial struct {
	paced, far atomic.Int64 // how long each took the last time for 64 elements, 0 if it has not been tried
}

// gatherFar is gatherShortRuns where runs are far apart.
func (c *Call) gatherFar(blocks int) int {
	c.trial.paced.Store(0)
	c.trial.far.Store(0)
	return c.Run(pick(c.Idx32, gatherShortRuns[int32], gatherShortRuns[int64]), blocks, c.farBlocks())
}

// copyPaced copies the elements at offsets, of so many bytes each.
func (c *Call) copyPaced(bytes int, data, items *byte, at []int64) {
	l := log2(bytes)
	loop, took := active.copyPaced[l], &c.trial.paced
	if loop == nil {
		active.copyFar[l](data, items, &at[0], len(at), bytes, bytes, 0)
		return
	}
	if paced, far := c.trial.paced.Load(), c.trial.far.Load(); paced > 0 && paced > far {
		loop, took = active.copyFar[l], &c.trial.far
	}
	if len(at) < resolved/2 {
		loop(data, items, &at[0], len(at), bytes, bytes, 0)
		return
	}
	start := active.ticks()
	loop(data, items, &at[0], len(at), bytes, bytes, 0)
	took.Store(max(1, 64*(active.ticks()-start)/int64(len(at))))
}
