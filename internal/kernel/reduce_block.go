package kernel

import "gorgonia.org/gather/internal/num"

// reduceBlock is Reduce in the form Block.
func (c *Call) reduceBlock(kind num.Kind, r num.Reduction) int {
	blocks := c.Batch * c.Outer
	if blocks*c.N*c.Inner == 0 {
		return -1
	}
	per := perRow
	if c.Inner == 1 {
		per = perItem
	}
	few := byBlocks
	if c.Inner >= ownedSumElements {
		few = byOwners
	}
	if per == perItem && len(c.Axes) == 1 {
		if loops := c.itemLoops(kind, r, 1); loops != nil {
			c.items(loops, c.width, true)
			return c.scatter([2]Loop{addBlocks, addBlocks}, blocks, byBlocks)
		}
	} else if c.row = c.rowLoop(kind, r); c.row != nil {
		return c.scatter([2]Loop{combineRows[int32], combineRows[int64]}, blocks, few)
	}
	return c.scatter(realLoops[kind][r][per], blocks, few)
}

// itemLoops are the implementation's loops over single items for a reduction, if
// they are faster than the loops here, or the only ones.
func (c *Call) itemLoops(kind num.Kind, r num.Reduction, columns int) itemLoops {
	switch {
	case !isReal(kind):
		return active.combine[kind][r].item
	case r == num.Add && c.itemsRun(columns):
		return active.addItem[kind]
	}
	return nil
}

// rowLoop is the implementation's loop over rows for a reduction, if it is faster
// than the loops here, or the only one.
func (c *Call) rowLoop(kind num.Kind, r num.Reduction) addLoop {
	switch {
	case !isReal(kind):
		return active.combine[kind][r].row
	case r != num.Add:
		return nil
	case c.Inner == 1:
		return active.addOffset[kind]
	}
	return active.addRow[kind]
}

// granule is what one index, or index tuple, picks.
type granule uint8

const (
	perItem   granule = iota // one element, the next index one in the same column
	perRow                   // a row of elements
	perColumn                // one element, the next index one in the next column
	granules
)

// realLoops holds the loops for each kind, reduction, granule and index type.
// They are made once, here: a generic function made into a value where it is
// used would be an allocation in every call.
var realLoops [num.Kinds][num.Reductions][granules][2]Loop

func init() {
	register[int8](num.Int8)
	register[int16](num.Int16)
	register[int32](num.Int32)
	register[int64](num.Int64)
	register[uint8](num.Uint8)
	register[uint16](num.Uint16)
	register[uint32](num.Uint32)
	register[uint64](num.Uint64)
	register[float32](num.Float32)
	register[float64](num.Float64)
}

// isReal reports whether the kind's elements are Real.
func isReal(kind num.Kind) bool { return realLoops[kind][num.Add][perItem][0] != nil }

func register[T num.Real](kind num.Kind) {
	realLoops[kind][num.Add] = loopsOf[add, T]()
	realLoops[kind][num.Sub] = loopsOf[sub, T]()
	realLoops[kind][num.Mul] = loopsOf[mul, T]()
	realLoops[kind][num.Min] = loopsOf[least, T]()
	realLoops[kind][num.Max] = loopsOf[most, T]()
}

func loopsOf[R reduction, T num.Real]() [granules][2]Loop {
	return [granules][2]Loop{
		perItem:   {reduceItems[R, T, int32], reduceItems[R, T, int64]},
		perRow:    {reduceRows[R, T, int32], reduceRows[R, T, int64]},
		perColumn: {reduceLines[R, T, int32], reduceLines[R, T, int64]},
	}
}

// reduction is a reduction as a type. Types of different memory layout are
// compiled separately, and the length of an array is a constant there, so the
// switch in combine costs nothing: each loop has its one operation inlined.
type reduction interface {
	add | sub | mul | least | most | or | and | xor
}

type (
	add   [1]byte
	sub   [2]byte
	mul   [3]byte
	least [4]byte
	most  [5]byte
	or    [6]byte // of bools
	and   [7]byte
	xor   [8]byte
)

func combine[R reduction, T num.Real](target, update T) T {
	var r R
	switch len(r) {
	case len(add{}):
		return target + update
	case len(sub{}):
		return target - update
	case len(mul{}):
		return target * update
	case len(least{}):
		return min(target, update) // NaN if either is
	case len(most{}):
		return max(target, update)
	case len(or{}):
		return T(uint64(target) | uint64(update))
	case len(and{}):
		return T(uint64(target) & uint64(update))
	default:
		return T(uint64(target) ^ uint64(update))
	}
}

// reduceItems runs the blocks lo to hi, with one element for each tuple.
func reduceItems[R reduction, T num.Real, I Index](c *Call, lo, hi int) int {
	if len(c.Axes) > 1 {
		return eachPicks[T, I](c, lo, hi, 1, func(r picks[T]) {
			for i, at := range r.at {
				target := &r.block[at]
				*target = combine[R](*target, r.updates[r.rows[i]])
			}
		})
	}
	items, data, idx := num.As[T](c.Items), num.As[T](c.Data), num.As[I](c.Idx)
	size, lift := uint64(c.Axes[0].Size), c.lift(c.Axes[0].Size)
	for block := lo; block < hi; block++ {
		targets := data[block*c.Span:][:c.Span]
		updates := items[block*c.N:][:c.N]
		first := block / c.Outer * c.N
		for t, v := range idx[first:][:len(updates)] {
			j := uint64(v)
			if j >= size {
				if j += lift; j >= size {
					if !c.Fill {
						return first + t
					}
					continue
				}
			}
			targets[j] = combine[R](targets[j], updates[t])
		}
	}
	return -1
}

// reduceRows runs blocks or owners, with a row for each tuple.
func reduceRows[R reduction, T num.Real, I Index](c *Call, lo, hi int) int {
	return eachPicks[T, I](c, lo, hi, 1, func(r picks[T]) {
		for i, at := range r.at {
			row := r.updates[int(r.rows[i])*c.Inner:][:c.Inner]
			targets := r.block[at:][:c.Inner]
			for i, u := range row {
				targets[i] = combine[R](targets[i], u)
			}
		}
	})
}

// combineRows runs an implementation's loop over rows, or over items that tuples
// pick.
func combineRows[I Index](c *Call, lo, hi int) int {
	row := c.rowBytes()
	ahead := distance(row)
	return eachPicks[byte, I](c, lo, hi, c.width, func(r picks[byte]) {
		c.row.run(pointer(r.block), pointer(r.updates), &r.at[0], &r.rows[0], len(r.at), row, row, ahead)
	})
}
