package kernel

// scatterWalk is Scatter in the form Walk. It runs in one chunk: two chunks could
// meet in data.
func (c *Call) scatterWalk() int {
	n, _ := c.walkGrain()
	if n == 0 {
		return -1
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
