package kernel

import "gorgonia.org/gather/internal/num"

// scatterBlock is Scatter in the form Block.
func (c *Call) scatterBlock() int {
	if c.Batch*c.Outer*c.N*c.Inner == 0 {
		return -1
	}
	few := byBlocks
	if c.rowBytes() >= ownedCopyBytes || c.width == 0 && c.Inner >= ownedStrings {
		few = byOwners
	}
	var loops [2]Loop
	switch {
	case c.width == 0:
		loops = [2]Loop{scatterStrings[int32], scatterStrings[int64]}
	case c.Inner == 1 && len(c.Axes) == 1 && IsWord(c.width):
		return c.scatterItems(c.Batch * c.Outer)
	default:
		c.row = setLoop(c.rowBytes())
		loops = [2]Loop{combineRows[int32], combineRows[int64]}
	}
	return c.scatter(loops, c.Batch*c.Outer, few)
}

// scatterItems runs over single elements.
func (c *Call) scatterItems(blocks int) int {
	if c.width == 0 || !c.itemsRun(1) && !c.farRuns(1) {
		return c.scatter(scatterItemsOf(c.width), blocks, byBlocks)
	}
	c.item = c.itemWork(active.setItem[log2(c.width)], c.width)
	return c.scatter([2]Loop{scatterByItems, scatterByItems}, blocks, byBlocks)
}

func scatterItemsOf(width int) [2]Loop {
	switch width {
	case 1:
		return [2]Loop{scatterItems[uint8, int32], scatterItems[uint8, int64]}
	case 2:
		return [2]Loop{scatterItems[uint16, int32], scatterItems[uint16, int64]}
	case 4:
		return [2]Loop{scatterItems[uint32, int32], scatterItems[uint32, int64]}
	case 8:
		return [2]Loop{scatterItems[[8]byte, int32], scatterItems[[8]byte, int64]}
	case 16:
		return [2]Loop{scatterItems[[16]byte, int32], scatterItems[[16]byte, int64]}
	}
	return [2]Loop{scatterItems[string, int32], scatterItems[string, int64]}
}

// scatterItems runs the blocks lo to hi, with one element for each index.
func scatterItems[T any, I Index](c *Call, lo, hi int) int {
	items, data, idx := num.As[T](c.Items), num.As[T](c.Data), num.As[I](c.Idx)
	size, lift := uint64(c.Axes[0].Size), c.lift(c.Axes[0].Size)
	for block := lo; block < hi; block++ {
		target := data[block*c.Span:][:c.Span]
		updates := items[block*c.N:][:c.N]
		first := block / c.Outer * c.N
		for t, v := range idx[first:][:c.N] {
			j := uint64(v)
			if j >= size {
				if j += lift; j >= size {
					return first + t
				}
			}
			target[j] = updates[t]
		}
	}
	return -1
}
