package kernel

// Check looks at every index and returns the place in Idx of the first that is
// out of range of its axis, or -1. What must not be half done calls it before
// the first write.
func (c *Call) Check() int {
	return c.Run(pick(c.Idx32, check[int32], check[int64]), c.tuples(), grain(16*len(c.Axes)))
}

// tuples is the number of index tuples.
func (c *Call) tuples() int {
	if c.Idx32 {
		return len(c.Idx) / 4 / len(c.Axes)
	}
	return len(c.Idx) / 8 / len(c.Axes)
}

func check[I Index](c *Call, lo, hi int) int {
	k := len(c.Axes)
	idx := As[I](c.Idx)[lo*k : hi*k]
	if k == 1 {
		// v is in [-lift, size) if v+lift, unsigned, is below size+lift.
		lift := c.lift(c.Axes[0].Size)
		limit := uint64(c.Axes[0].Size) + lift
		for t, v := range idx {
			if uint64(v)+lift >= limit {
				return lo + t
			}
		}
		return -1
	}
	for t := 0; t < len(idx); t += k {
		if _, bad := resolve(c, idx[t:][:k]); bad >= 0 {
			return lo*k + t + bad
		}
	}
	return -1
}
