package kernel

import (
	"gorgonia.org/gather/internal/num"
	"gorgonia.org/gather/internal/simd"
)

// Reduce combines what the indices address in data with their items, in row-major
// order of the indices; Form says what that is:
//
//	data[…] ⊕= items[…]
//
// The kind must have the reduction (Has). It returns the position in Idx of the
// first bad index, or -1.
func (c *Call) Reduce(kind num.Kind, r num.Reduction) int {
	loops := &simd.Active().Combine[kind][r]
	var neutral []byte
	if c.NoInit {
		neutral = neutrals[kind][r]
	}
	switch {
	case c.singles():
		return c.scatterElements(elementOp{loop: byIndexWidth(c, loops.Items)}, neutral)
	case c.Form == Walk:
		return c.reduceWalk(kind, r, neutral)
	}
	return c.scatterRows(rowLoop(loops, c), neutral, nil, c.Inner >= partitionedSumElements)
}

// singles reports whether each index addresses one element, in loops that a nest describes.
func (c *Call) singles() bool {
	switch c.Form {
	case Elements:
		return true
	case Walk:
		return c.itemWalk()
	}
	return c.Inner == 1 && len(c.Axes) == 1
}

// rowLoop is the loop over rows, or over elements that tuples address.
func rowLoop(l *simd.CombineLoops, c *Call) simd.AddLoop {
	if c.Inner == 1 {
		return l.Offsets
	}
	return l.Rows
}

// reduceWalk is for rows in any layout. Step by step it runs in one piece: two could meet
// in data.
func (c *Call) reduceWalk(kind num.Kind, r num.Reduction, neutral []byte) int {
	if n, _ := c.walkGrains(); n == 0 {
		return -1
	}
	if c.Atomic && !c.Fill {
		if bad := c.Check(); bad >= 0 {
			return bad
		}
	}
	if c.rowWalk() && c.distinct() {
		return c.runRows(intoData, &simd.CombineLoops{Rows: simd.Active().Combine[kind][r].Rows, Offsets: simd.Go.Combine[kind][r].Offsets}, neutral)
	}
	if neutral != nil {
		if bad := c.steps(&moves[moveAs(c.Width)].fill, neutral, true); bad >= 0 {
			return bad
		}
	}
	return c.steps(&folds[kind][r], c.Items, true)
}
