package kernel

// GatherBlock copies, for every block and index tuple, the slab of Inner
// elements that the tuple picks:
//
//	items[o, t, c] = data[o, indices[o/Outer, t], c]
//
// Elements are width bytes wide, or strings if width is 0. It returns the
// place in Idx of the first bad index, or -1.
func (c *Call) GatherBlock(width int) int {
	n := c.Batch * c.Outer * c.N
	if n == 0 {
		return -1
	}
	if width == 0 {
		return c.Run(pick(c.Idx32, gatherRows[string, int32], gatherRows[string, int64]), n, grain(16*c.Inner))
	}
	// Values are only moved, never interpreted, so a row of elements is as good
	// as one element of the row's size, or as a row of bytes.
	row := c.Inner * width
	var loop Loop
	switch row {
	case 1:
		c.rescale(1)
		loop = pick(c.Idx32, gatherItems[uint8, int32], gatherItems[uint8, int64])
	case 2:
		c.rescale(2 / width)
		loop = pick(c.Idx32, gatherItems[[2]byte, int32], gatherItems[[2]byte, int64])
	case 4:
		c.rescale(4 / width)
		loop = pick(c.Idx32, gatherItems[[4]byte, int32], gatherItems[[4]byte, int64])
	case 8:
		c.rescale(8 / width)
		loop = pick(c.Idx32, gatherItems[[8]byte, int32], gatherItems[[8]byte, int64])
	case 16:
		c.rescale(16 / width)
		loop = pick(c.Idx32, gatherItems[[16]byte, int32], gatherItems[[16]byte, int64])
	default:
		c.bytes(width)
		loop = pick(c.Idx32, gatherRows[byte, int32], gatherRows[byte, int64])
	}
	return c.Run(loop, n, grain(row))
}

// pick chooses the instance for the index type.
func pick(idx32 bool, loop32, loop64 Loop) Loop {
	if idx32 {
		return loop32
	}
	return loop64
}

// rescale counts in units of per elements.
func (c *Call) rescale(per int) {
	c.Inner /= per
	c.Span /= per
	for i := range c.Axes {
		c.Axes[i].Stride /= per
	}
}

// bytes counts in bytes.
func (c *Call) bytes(width int) {
	c.Inner *= width
	c.Span *= width
	for i := range c.Axes {
		c.Axes[i].Stride *= width
	}
}

// gatherItems is gatherRows for rows of one item, which it assigns instead of
// calling copy: a call for each row of 16 bytes takes four times as long.
func gatherItems[T any, I Index](c *Call, lo, hi int) int {
	if len(c.Axes) > 1 {
		return gatherTuples[T, I](c, lo, hi)
	}
	items, data, idx := As[T](c.Items), As[T](c.Data), As[I](c.Idx)
	size, lift := uint64(c.Axes[0].Size), c.lift(c.Axes[0].Size)
	for p := lo; p < hi; {
		block, first, n := c.segment(p, hi)
		line := data[block*c.Span:][:c.Span]
		out := items[p:][:n]
		for t, v := range idx[first:][:n] {
			j := uint64(v)
			if j >= size {
				if j += lift; j >= size {
					if !c.Fill {
						return first + t
					}
					var zero T
					out[t] = zero
					continue
				}
			}
			out[t] = line[j]
		}
		p += n
	}
	return -1
}

// gatherTuples is gatherItems for index tuples of several components.
func gatherTuples[T any, I Index](c *Call, lo, hi int) int {
	items, data, idx := As[T](c.Items), As[T](c.Data), As[I](c.Idx)
	k := len(c.Axes)
	for p := lo; p < hi; {
		block, first, n := c.segment(p, hi)
		line := data[block*c.Span:][:c.Span]
		for t := range n {
			at, bad := resolve(c, idx[first+t*k:][:k])
			if bad < 0 {
				items[p+t] = line[at]
				continue
			}
			if !c.Fill {
				return first + t*k + bad
			}
			var zero T
			items[p+t] = zero
		}
		p += n
	}
	return -1
}

// gatherRows copies a row of Inner items for every tuple.
func gatherRows[T any, I Index](c *Call, lo, hi int) int {
	items, data, idx := As[T](c.Items), As[T](c.Data), As[I](c.Idx)
	k, inner := len(c.Axes), c.Inner
	for p := lo; p < hi; {
		block, first, n := c.segment(p, hi)
		line := data[block*c.Span:][:c.Span]
		for t := range n {
			row := items[(p+t)*inner:][:inner]
			at, bad := resolve(c, idx[first+t*k:][:k])
			switch {
			case bad < 0:
				copy(row, line[at:][:inner])
			case c.Fill:
				clear(row)
			default:
				return first + t*k + bad
			}
		}
		p += n
	}
	return -1
}

// segment cuts the positions from p at the end of p's block. It returns the
// block, where the first position's tuple starts in Idx, and how many
// positions follow, at most up to hi.
func (c *Call) segment(p, hi int) (block, first, n int) {
	block = p / c.N
	t := p - block*c.N
	first = ((block/c.Outer)*c.N + t) * len(c.Axes)
	return block, first, min(c.N-t, hi-p)
}

// resolve turns an index tuple into an offset in its block. Each component is
// checked against its own axis before it is used: checking only the offset
// would let a too large component slip into the next row. The second result is
// the first bad component, or -1.
func resolve[I Index](c *Call, tuple []I) (at, bad int) {
	for i := range c.Axes {
		axis := &c.Axes[i]
		j, size := uint64(tuple[i]), uint64(axis.Size)
		if j >= size {
			if j += c.lift(axis.Size); j >= size {
				return 0, i
			}
		}
		at += int(j) * axis.Stride
	}
	return at, -1
}
