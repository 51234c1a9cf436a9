package kernel

import "gorgonia.org/gather/internal/num"

// Reduce combines what the indices pick in data with their items, in row-major
// order of the indices; Form says what that is:
//
//	data[…] ⊕= items[…]
//
// The kind must have the reduction (Has). It returns the position in Idx of the
// first bad index, or -1.
func (c *Call) Reduce(kind num.Kind, r num.Reduction) int {
	c.width = kind.Width()
	if c.NoInit {
		c.neutral = neutrals[kind][r]
	}
	switch c.Form {
	case Elements:
		return c.reduceElements(kind, r)
	case Walk:
		return c.reduceWalk(kind, r)
	}
	return c.reduceBlock(kind, r)
}
