package kernel

import (
	"gorgonia.org/gather/internal/num"
	"gorgonia.org/gather/internal/simd"
)

// reduceBlock is Reduce in the form Block.
func (c *Call) reduceBlock(kind num.Kind, r num.Reduction) int {
	blocks := c.Batch * c.Outer
	if blocks*c.N*c.Inner == 0 {
		return -1
	}
	if c.Inner == 1 && len(c.Axes) == 1 {
		return c.reduceItems(kind, r, blocks, 1, byBlocks)
	}
	few := byBlocks
	if c.Inner >= ownedSumElements {
		few = byOwners
	}
	return c.reduceRows(&active.combine[kind][r], blocks, few)
}

// reduceItems runs over single items, in runs of so many columns.
func (c *Call) reduceItems(kind num.Kind, r num.Reduction, blocks, columns int, few division) int {
	loops := &active.combine[kind][r]
	loop := c.overItems(loops, columns)
	if c.NoInit {
		c.startItems(columns)
	}
	return c.scatter(loop, blocks, few)
}

// overItems chooses the loop over single items.
func (c *Call) overItems(loops *combineLoops, columns int) [2]Loop {
	if c.shortRuns(columns) {
		c.row = loops.offset
		return [2]Loop{combineShortRuns[int32], combineShortRuns[int64]}
	}
	c.item = c.itemWork(loops.item, c.width)
	return [2]Loop{scatterByItems, scatterByItems}
}

// startItems has what the indices pick set to neutral before the loop runs.
func (c *Call) startItems(columns int) {
	if c.shortRuns(columns) {
		c.stages.start = pick(c.Idx32, startShortRuns[int32], startShortRuns[int64])
		return
	}
	c.startItem = c.itemWork(active.fillItem[log2(c.width)], c.width)
	c.startItem.one = c.neutral[:c.width]
	c.stages.start = startByItems
}

// reduceRows runs over rows, or over items that tuples pick.
func (c *Call) reduceRows(loops *combineLoops, blocks int, few division) int {
	c.row = loops.row
	if c.Inner == 1 {
		c.row = loops.offset
	}
	if c.NoInit && !c.touch(blocks) {
		c.stages.start = pick(c.Idx32, startRows[int32], startRows[int64])
	}
	bad := c.scatter([2]Loop{combineRows[int32], combineRows[int64]}, blocks, few)
	c.untouch()
	return bad
}

// combineRows runs the implementation's loop over rows, or over items that tuples
// pick.
func combineRows[I Index](c *Call, lo, hi int) int {
	if c.touched != nil {
		return combineTouched[I](c, lo, hi)
	}
	row := c.rowBytes()
	ahead := simd.Distance(row)
	return eachPicks[byte, I](c, lo, hi, c.width, func(r picks[byte]) {
		c.row.run(pointer(r.block), pointer(r.updates), &r.at[0], &r.rows[0], len(r.at), row, row, ahead)
	})
}
