package kernel

import "gorgonia.org/gather/internal/num"

// reduceElements is Reduce in the form Elements.
func (c *Call) reduceElements(kind num.Kind, r num.Reduction) int {
	if c.Batch*c.N*c.Inner == 0 {
		return -1
	}
	few := byBlocks
	if c.Inner >= ownedColumns {
		few = byColumns
	}
	return c.reduceItems(kind, r, c.Batch, c.Inner, few)
}
