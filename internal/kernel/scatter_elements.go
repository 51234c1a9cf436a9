package kernel

import "gorgonia.org/gather/internal/num"

// scatterElements is Scatter in the form Elements. The width must be that of a
// word.
func (c *Call) scatterElements() int {
	if c.Batch*c.N*c.Inner == 0 {
		return -1
	}
	if c.Inner == 1 {
		return c.scatterItems(c.Batch)
	}
	few := byBlocks
	if c.Inner >= ownedColumns {
		few = byColumns
	}
	if c.width > 0 && c.itemsRun(c.Inner) {
		c.item = c.itemWork(active.setItem[log2(c.width)], c.width)
		return c.scatter([2]Loop{scatterByItems, scatterByItems}, c.Batch, few)
	}
	var loops [2]Loop
	switch c.width {
	case 0:
		loops = [2]Loop{scatterStringLines[int32], scatterStringLines[int64]}
	case 1:
		loops = [2]Loop{scatterLines[uint8, int32], scatterLines[uint8, int64]}
	case 2:
		loops = [2]Loop{scatterLines[uint16, int32], scatterLines[uint16, int64]}
	case 4:
		loops = [2]Loop{scatterLines[uint32, int32], scatterLines[uint32, int64]}
	case 8:
		loops = [2]Loop{scatterLines[[8]byte, int32], scatterLines[[8]byte, int64]}
	case 16:
		loops = [2]Loop{scatterLines[[16]byte, int32], scatterLines[[16]byte, int64]}
	}
	return c.scatter(loops, c.Batch, few)
}

// scatterLines runs blocks or columns, with an index for each element.
func scatterLines[T any, I Index](c *Call, lo, hi int) int {
	items, data, idx := num.As[T](c.Items), num.As[T](c.Data), num.As[I](c.Idx)
	blocks, cols := c.cut(lo, hi, c.Batch)
	size, lift := uint64(c.Axes[0].Size), c.lift(c.Axes[0].Size)
	for block := blocks.lo; block < blocks.hi; block++ {
		line := data[block*c.Span:][:c.Span]
		for t := range c.N {
			first := (block*c.N + t) * c.Inner
			updates := items[first:][cols.lo:cols.hi]
			for i, v := range idx[first:][cols.lo:cols.hi] {
				j := uint64(v)
				if j >= size {
					if j += lift; j >= size {
						return first + cols.lo + i
					}
				}
				line[int(j)*c.Inner+cols.lo+i] = updates[i]
			}
		}
	}
	return -1
}
