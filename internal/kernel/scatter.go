package kernel

import (
	"gorgonia.org/gather/internal/num"
	"gorgonia.org/gather/internal/simd"
)

// Scatter overwrites, for every index, what it addresses in data by its item, in
// row-major order of the indices, so that the last writer wins; Form says what
// that is. In the form Elements the width must be that of a word. It returns the
// position in Idx of the first bad index, or -1.
func (c *Call) Scatter() int {
	switch {
	case simd.IsWord(c.Width) && c.singles(): // strings, too
		return c.scatterElements(c.setOp(), nil)
	case c.Form == Walk:
		return c.scatterWalk()
	case c.Width == 0:
		return c.scatterRows(nil, nil, nil, c.Inner >= partitionedStrings)
	}
	return c.scatterRows(simd.SetLoop(c.rowBytes()), nil, nil, c.rowBytes() >= partitionedCopyBytes)
}

// setOp overwrites single elements.
func (c *Call) setOp() elementOp {
	if c.Width == 0 {
		return elementOp{loop: byIndexWidth(c, simd.SetStrings)}
	}
	return elementOp{loop: byIndexWidth(c, simd.Active().SetItems[simd.Log2(c.Width)])}
}

// Clear sets to zero what the indices address in data, whose elements have the width of a
// word. It does not read the items. It returns the position in Idx of the first bad index,
// or -1.
func (c *Call) Clear() int {
	zeros := neutrals[num.Uint8][num.Add]
	switch {
	case c.singles():
		loop := byIndexWidth(c, simd.Active().FillItems[simd.Log2(c.Width)])
		return c.scatterElements(elementOp{loop: loop, one: zeros[:c.Width]}, nil)
	case c.Form == Walk:
		return c.steps(&moves[moveAs(c.Width)].fill, zeros, true)
	}
	return c.scatterRows(nil, zeros, nil, c.rowBytes() >= partitionedCopyBytes)
}

func (c *Call) scatterWalk() int {
	if n, _ := c.walkGrains(); n == 0 {
		return -1
	}
	if c.Atomic && !c.Fill {
		if bad := c.Check(); bad >= 0 {
			return bad
		}
	}
	if c.Width > 0 && simd.IsWord(c.Width) && c.rowWalk() && c.distinct() {
		return c.runRows(toData, nil, nil)
	}
	return c.steps(&moves[moveAs(c.Width)].scatter, c.Items, true)
}
