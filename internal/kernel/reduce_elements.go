package kernel

import "gorgonia.org/gather/internal/num"

// reduceElements is Reduce in the form Elements.
func (c *Call) reduceElements(kind num.Kind, r num.Reduction) int {
	if c.Batch*c.N*c.Inner == 0 {
		return -1
	}
	per, few := perColumn, byBlocks
	if c.Inner == 1 {
		per = perItem
	}
	if c.Inner >= ownedColumns {
		few = byColumns
	}
	if loops := c.itemLoops(kind, r, c.Inner); loops != nil {
		c.items(loops, c.width, true)
		loop := addLines
		if per == perItem {
			loop = addBlocks
		}
		return c.scatter([2]Loop{loop, loop}, c.Batch, few)
	}
	return c.scatter(realLoops[kind][r][per], c.Batch, few)
}

// reduceLines runs blocks or columns, with an index for each element.
func reduceLines[R reduction, T num.Real, I Index](c *Call, lo, hi int) int {
	blocks, cols := c.cut(lo, hi, c.Batch)
	items, data, idx := num.As[T](c.Items), num.As[T](c.Data), num.As[I](c.Idx)
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
						if !c.Fill {
							return first + cols.lo + i
						}
						continue
					}
				}
				target := &line[int(j)*c.Inner+cols.lo+i]
				*target = combine[R](*target, updates[i])
			}
		}
	}
	return -1
}
