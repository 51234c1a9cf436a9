package kernel

import (
	"unsafe"

	"gorgonia.org/gather/internal/num"
)

// reduceBlock is Reduce in the form Block. The kind must be a Real one.
func (c *Call) reduceBlock(kind num.Kind, r num.Reduction) int {
	blocks := c.Batch * c.Outer
	if blocks*c.N*c.Inner == 0 {
		return -1
	}
	per := perRow
	if c.Inner == 1 {
		per = perItem
	}
	if per == perItem && len(c.Axes) == 1 && r == num.Add && active.addItem[kind] != nil && c.itemsRun(1) {
		c.items(active.addItem[kind], c.width, true)
		return c.scatter([2]Loop{addBlocks, addBlocks}, blocks, byBlocks)
	}
	few := byBlocks
	if c.Inner >= ownedSumElements {
		few = byOwners
	}
	return c.scatter(realLoops[kind][r][per], blocks, few)
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

// IsReal reports whether the kind's elements are Real.
func IsReal(kind num.Kind) bool { return realLoops[kind][num.Add][perItem][0] != nil }

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
type reduction interface{ add | sub | mul | least | most }

type (
	add   [1]byte
	sub   [2]byte
	mul   [3]byte
	least [4]byte
	most  [5]byte
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
	default:
		return max(target, update)
	}
}

// reduceItems runs the blocks lo to hi, with one element for each tuple.
func reduceItems[R reduction, T num.Real, I Index](c *Call, lo, hi int) int {
	if adder := adderOf[R, T](&active.addOffset); adder != nil && len(c.Axes) > 1 {
		return addRuns[T, I](c, adder, lo, hi)
	}
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
	if adder := adderOf[R, T](&active.addRow); adder != nil {
		return addRuns[T, I](c, adder, lo, hi)
	}
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

// adderOf is an implementation's loop for the reduction add of a type, or nil
// for other reductions and types that it has no loop for.
func adderOf[R reduction, T num.Real](loops *[num.Kinds]addLoop) addLoop {
	var r R
	if len(r) != len(add{}) {
		return nil
	}
	switch any(T(0)).(type) {
	case float32:
		return loops[num.Float32]
	case float64:
		return loops[num.Float64]
	}
	return nil
}

// addRuns runs an implementation's loop over rows or items.
func addRuns[T num.Real, I Index](c *Call, adder addLoop, lo, hi int) int {
	size := int(unsafe.Sizeof(T(0)))
	row := c.rowBytes()
	ahead := distance(row)
	return eachPicks[T, I](c, lo, hi, size, func(r picks[T]) {
		adder.run(pointer(r.block), pointer(r.updates), &r.at[0], &r.rows[0], len(r.at), row, row, ahead)
	})
}
