package kernel

// Without the old value a reduction of many single elements goes over the indices
// once: it starts with all of a block at the neutral element, marks what it works
// on, and puts the old values back where there is no mark. That takes memory for
// the old values elsewhere, which a call in place has if it keeps them in case of
// a bad index (see sched_undo.go). Otherwise reduce_start.go goes twice.

// markedLoop is an itemLoop that also sets the mark of every element that it works
// on. stride and step are in elements.
type markedLoop func(data, items, idx, marks *byte, n, size, lift, stride, step int) int

// markedLoops are the loops for int32 and for int64 indices.
type markedLoops *[2]markedLoop

// marks prepares for marked loops, if they are worth it: most of data must be worked
// on, as all of it is written twice.
func (c *Call) marks(loops *combineLoops, blocks, columns int, few division) bool {
	if loops.marked == nil || active.blend[log2(c.width)] == nil || c.shortRuns(columns) || !c.dense() || !c.hasOld(blocks) {
		return false
	}
	if few == byColumns && blocks < fewBlocks && c.width < 4 {
		return false // marks as large as data would be as far away
	}
	c.item.marked, c.item.mark, c.blends = pickMarked(c.Idx32, loops.marked), 1, true
	if few == byColumns && blocks < fewBlocks {
		c.touches, c.touched = marksOf(blocks * c.Span)
	}
	return true
}

// dense reports whether most of data is worked on, and some of it more than once.
func (c *Call) dense() bool { return c.N > 1 && 2*c.N*c.Inner >= c.Span }

// hasOld reports whether there are the old values of data, elsewhere, while the loop
// runs.
func (c *Call) hasOld(blocks int) bool {
	if c.Atomic {
		return c.keepsOld(blocks)
	}
	return c.Old != nil
}

func pickMarked(idx32 bool, loops markedLoops) markedLoop {
	if idx32 {
		return loops[0]
	}
	return loops[1]
}

// marksOf is memory for marks, of the pool and as much as needed of it.
func marksOf(n int) (memory *[]byte, marks []byte) {
	memory = touchedMemory.Get().(*[]byte)
	if cap(*memory) < n {
		*memory = make([]byte, n)
	}
	return memory, (*memory)[:n]
}

// reduceMarked runs blocks, or columns of all of them.
func reduceMarked(c *Call, lo, hi int) int {
	if c.columns {
		return reduceMarkedColumns(c, span{lo, hi})
	}
	size := c.spanBytes()
	each := max(1, copiedBefore/max(1, size))
	memory, marks := marksOf(min(each, hi-lo) * c.Span)
	defer touchedMemory.Put(memory)
	for ; lo < hi; lo += each {
		end := min(lo+each, hi)
		data, marks := c.Data[lo*size:end*size], marks[:(end-lo)*c.Span]
		clearAny(marks)
		fillRow(data, c.neutral)
		if bad := c.item.scatter(c, lo, end, marks); bad >= 0 {
			return bad
		}
		c.blend(data, c.old[lo*size:end*size], marks)
	}
	return -1
}

func reduceMarkedColumns(c *Call, columns span) int {
	for at := columns.lo; at < len(c.touched); at += c.Inner {
		n := columns.hi - columns.lo
		clearAny(c.touched[at:][:n])
		fillRow(c.Data[at*c.width:][:n*c.width], c.neutral)
	}
	if bad := c.item.scatter(c, columns.lo, columns.hi, c.touched); bad >= 0 {
		return bad
	}
	for at := columns.lo; at < len(c.touched); at += c.Inner {
		n := columns.hi - columns.lo
		c.blend(c.Data[at*c.width:][:n*c.width], c.old[at*c.width:][:n*c.width], c.touched[at:][:n])
	}
	return -1
}

// blend replaces the elements that have no mark by the old ones.
func (c *Call) blend(to, old, marks []byte) {
	for len(marks) > 0 {
		n := min(len(marks), rowBytesAtOnce/c.width)
		c.blendPiece(to, old, marks[:n])
		to, old, marks = to[n*c.width:], old[n*c.width:], marks[n:]
	}
}

//go:noinline
func (c *Call) blendPiece(to, old, marks []byte) {
	_, _ = to[len(marks)*c.width-1], old[len(marks)*c.width-1]
	active.blend[log2(c.width)](&to[0], &old[0], &marks[0], len(marks))
}
