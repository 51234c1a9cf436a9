package kernel

import "sync"

// A walk in place that meets a bad index must leave data as it was, as the forms
// without strides must: see sched_undo.go. Where each run of indices has a line of data
// for itself, the walk keeps the line before it runs over it, which brings it to the
// cache, too; else it checks all indices before.

// keptLinesMost is how many bytes of lines are kept at most.
const keptLinesMost = 64 << 20

// beforeWalk makes sure that a walk in place changes nothing if an index is bad: it
// checks all of them, or has the walk keep lines. It returns the position of a bad
// index, or -1.
func (c *Call) beforeWalk() int {
	if !c.Atomic {
		return -1
	}
	size := c.keptLines()
	if size == 0 {
		return c.Check()
	}
	c.lines = keptLines.Get().(*[]byte)
	if cap(*c.lines) < size {
		*c.lines = make([]byte, size)
	}
	c.stages.past = keepsPast(size)
	return -1
}

// keptLines is for the lines that a walk keeps, and for those of the next.
var keptLines = sync.Pool{New: func() any { return new([]byte) }}

// keptLines is how many bytes the lines of a walk have that it keeps, 0 if it does not.
func (c *Call) keptLines() int {
	if c.width == 0 || !IsWord(c.width) || c.NoInit || !c.itemWalk() || c.Axes[0].Stride != 1 || !c.distinct() {
		return 0
	}
	size, last := c.lineBytes(), len(c.Dims)-1
	for _, d := range c.Dims[:last] {
		if d.Data == 0 || d.Idx == 0 {
			return 0
		}
		size *= d.N
	}
	if c.Dims[last].Data != 0 || size > min(keptLinesMost, len(c.Idx)) {
		return 0
	}
	return size
}

// lineBytes is how many bytes the lines of data have that are kept.
func (c *Call) lineBytes() int { return c.Axes[0].Size * c.width }

// keptLine is where the line of data of the run at a position is kept. Runs have their
// indices one behind the other.
func (c *Call) keptLine(position int) []byte {
	line := c.lineBytes()
	return (*c.lines)[:cap(*c.lines)][position/c.Dims[len(c.Dims)-1].N*line:][:line]
}

// undone puts back the lines that are kept, if there is a bad index, and returns its
// position.
func (c *Call) undone(bad int) int {
	if c.lines == nil {
		return bad
	}
	if bad >= 0 {
		line := c.lineBytes()
		c.eachRun(0, c.Dims[c.divided].N, func(at walkRun) int {
			copyAny(c.Data[at.data*c.width:][:line], c.keptLine(at.idx))
			return -1
		})
	}
	keptLines.Put(c.lines)
	c.lines = nil
	return bad
}
