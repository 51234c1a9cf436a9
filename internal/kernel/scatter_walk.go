package kernel

// scatterWalk is Scatter in the form Walk. Step by step it runs in one chunk: two
// chunks could meet in data.
func (c *Call) scatterWalk() int {
	n, _ := c.walkGrain()
	if n == 0 {
		return -1
	}
	if bad := c.beforeWalk(); bad >= 0 {
		return bad
	}
	switch fast := c.width > 0 && IsWord(c.width); {
	case c.width == 0 && c.itemWalk():
		return c.runWalk(pick(c.Idx32, scatterWalkStrings[int32], scatterWalkStrings[int64]), true)
	case fast && c.itemWalk():
		c.item = c.itemWork(active.setItem[log2(c.width)], c.width)
		return c.runWalk(walkItems, true)
	case fast && c.rowWalk() && c.distinct():
		c.strided = strided{moves: toData}
		return c.runWalk(pick(c.Idx32, walkRows[int32], walkRows[int64]), true)
	}
	move := &moves[moveAs(c.width)]
	c.step = move.scatter
	return pick(c.Idx32, move.loops[0], move.loops[1])(c, 0, n)
}

func scatterLine[T any](items, data []T, itemAt, dataAt, n, stepItems, stepData int) {
	if stepItems == 1 && stepData == 1 {
		copyAny(data[dataAt:dataAt+n], items[itemAt:itemAt+n])
		return
	}
	for i := range n {
		data[dataAt+i*stepData] = items[itemAt+i*stepItems]
	}
}
