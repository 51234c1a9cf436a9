package kernel

import "gorgonia.org/gather/internal/num"

// ScatterBlock overwrites the slabs of data that the index tuples pick, in
// row-major order of the indices, so that the last writer wins:
//
//	data[o, indices[o/Outer, t], c] = items[o, t, c]
//
// Elements are width bytes wide, or strings if width is 0. It returns the
// place in Idx of the first bad index, or -1.
func (c *Call) ScatterBlock(width int) int {
	if c.Batch*c.Outer*c.N*c.Inner == 0 {
		return -1
	}
	var loops [2]Loop
	few, size := byBlocks, c.Span*width
	switch {
	case width == 0:
		loops = [2]Loop{scatterRows[string, int32], scatterRows[string, int64]}
	case c.Inner == 1 && len(c.Axes) == 1 && IsWord(width):
		loops = scatterItemsOf(width)
	default:
		c.bytes(width)
		loops = [2]Loop{scatterRows[byte, int32], scatterRows[byte, int64]}
		if c.Inner >= 64 {
			few = byOwners
		}
	}
	return c.scatter(loops, c.Batch*c.Outer, size, few)
}

// ScatterElements overwrites, for every item, the element that its index picks
// on the item's own line along the axis, in row-major order of the indices:
//
//	data[o, indices[o, t, c], c] = items[o, t, c]
//
// It returns the place in Idx of the first bad index, or -1. The width must be
// that of a word.
func (c *Call) ScatterElements(width int) int {
	if c.Batch*c.N*c.Inner == 0 {
		return -1
	}
	if c.Inner == 1 {
		return c.scatter(scatterItemsOf(width), c.Batch, c.Span*width, byBlocks)
	}
	var loops [2]Loop
	switch width {
	case 0:
		loops = [2]Loop{scatterLines[string, int32], scatterLines[string, int64]}
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
	few := byBlocks
	if c.Inner >= 32 {
		few = byColumns
	}
	return c.scatter(loops, c.Batch, c.Span*width, few)
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
		line := data[block*c.Span:][:c.Span]
		updates := items[block*c.N:][:c.N]
		first := block / c.Outer * c.N
		for t, v := range idx[first:][:c.N] {
			j := uint64(v)
			if j >= size {
				if j += lift; j >= size {
					return first + t
				}
			}
			line[j] = updates[t]
		}
	}
	return -1
}

// scatterRows runs blocks or owners, with a row for each tuple.
func scatterRows[T any, I Index](c *Call, lo, hi int) int {
	return eachRun[T, I](c, lo, hi, 1, func(r run[T]) {
		for i, at := range r.at {
			copyAny(r.line[at:][:c.Inner], r.updates[int(r.places[i])*c.Inner:][:c.Inner])
		}
	})
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
