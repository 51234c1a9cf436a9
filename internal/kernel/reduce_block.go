package kernel

import (
	"unsafe"

	"gorgonia.org/gather/internal/num"
)

// ReduceBlock combines the items with the slabs of data that the index tuples
// pick, in row-major order of the indices:
//
//	data[o, indices[o/Outer, t], c] ⊕= items[o, t, c]
//
// It returns the place in Idx of the first bad index, or -1. The kind must be
// a Real one.
func (c *Call) ReduceBlock(kind num.Kind, r num.Reduction) int {
	if c.Batch*c.Outer*c.N*c.Inner == 0 {
		return -1
	}
	form := rowForm
	if c.Inner == 1 {
		form = itemForm
	}
	if form == itemForm && len(c.Axes) == 1 && r == num.Add && active.addItem[kind] != nil && c.itemsRun() {
		c.items(active.addItem[kind], kind.Width(), true)
		return c.scatter([2]Loop{addBlocks, addBlocks}, c.Batch*c.Outer, c.Span*kind.Width(), byBlocks)
	}
	few := byBlocks
	if c.Inner >= 16 {
		few = byOwners
	}
	return c.scatter(realLoops[kind][r][form], c.Batch*c.Outer, c.Span*kind.Width(), few)
}

// ReduceElements combines every item with the element that its index picks on
// the item's own line along the axis, in row-major order of the indices:
//
//	data[o, indices[o, t, c], c] ⊕= items[o, t, c]
//
// It returns the place in Idx of the first bad index, or -1. The kind must be
// a Real one.
func (c *Call) ReduceElements(kind num.Kind, r num.Reduction) int {
	if c.Batch*c.N*c.Inner == 0 {
		return -1
	}
	form, few := lineForm, byBlocks
	if c.Inner == 1 {
		form = itemForm
	}
	if c.Inner >= 32 {
		few = byColumns
	}
	if r == num.Add && active.addItem[kind] != nil && c.itemsRun() {
		c.items(active.addItem[kind], kind.Width(), true)
		loop := addLines
		if form == itemForm {
			loop = addBlocks
		}
		return c.scatter([2]Loop{loop, loop}, c.Batch, c.Span*kind.Width(), few)
	}
	return c.scatter(realLoops[kind][r][form], c.Batch, c.Span*kind.Width(), few)
}

// form is a shape of loop.
type form uint8

const (
	itemForm form = iota // one element for each index tuple
	rowForm              // a row of elements for each index tuple
	lineForm             // an index for each element, several columns
	forms
)

// realLoops holds the loops for each kind, reduction, form and index type.
// They are made once, here: a generic function made into a value where it is
// used would be an allocation in every call.
var realLoops [num.Kinds][num.Reductions][forms][2]Loop

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
func IsReal(kind num.Kind) bool { return realLoops[kind][num.Add][itemForm][0] != nil }

func register[T num.Real](kind num.Kind) {
	realLoops[kind][num.Add] = loopsOf[add, T]()
	realLoops[kind][num.Sub] = loopsOf[sub, T]()
	realLoops[kind][num.Mul] = loopsOf[mul, T]()
	realLoops[kind][num.Min] = loopsOf[least, T]()
	realLoops[kind][num.Max] = loopsOf[most, T]()
}

func loopsOf[R reduction, T num.Real]() [forms][2]Loop {
	return [forms][2]Loop{
		itemForm: {reduceItems[R, T, int32], reduceItems[R, T, int64]},
		rowForm:  {reduceRows[R, T, int32], reduceRows[R, T, int64]},
		lineForm: {reduceLines[R, T, int32], reduceLines[R, T, int64]},
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
	if adder := adderOf[R, T](&active.addOffset); adder != nil && len(c.Axes) > 1 {
		return addRuns[T, I](c, adder, lo, hi)
	}
	if len(c.Axes) > 1 {
		return eachRun[T, I](c, lo, hi, 1, func(r run[T]) {
			for i, at := range r.at {
				target := &r.line[at]
				*target = combine[R](*target, r.updates[r.places[i]])
			}
		})
	}
	items, data, idx := num.As[T](c.Items), num.As[T](c.Data), num.As[I](c.Idx)
	size, lift := uint64(c.Axes[0].Size), c.lift(c.Axes[0].Size)
	for block := lo; block < hi; block++ {
		line := data[block*c.Span:][:c.Span]
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
			line[j] = combine[R](line[j], updates[t])
		}
	}
	return -1
}

// reduceRows runs blocks or owners, with a row for each tuple.
func reduceRows[R reduction, T num.Real, I Index](c *Call, lo, hi int) int {
	if adder := adderOf[R, T](&active.addRow); adder != nil {
		return addRuns[T, I](c, adder, lo, hi)
	}
	return eachRun[T, I](c, lo, hi, 1, func(r run[T]) {
		for i, at := range r.at {
			row := r.updates[int(r.places[i])*c.Inner:][:c.Inner]
			targets := r.line[at:][:c.Inner]
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
	row := c.Inner * size
	ahead := distance(row)
	return eachRun[T, I](c, lo, hi, size, func(r run[T]) {
		adder.run(pointer(r.line), pointer(r.updates), &r.at[0], &r.places[0], len(r.at), row, row, ahead)
	})
}

// reduceLines runs blocks or columns, with an index for each element.
func reduceLines[R reduction, T num.Real, I Index](c *Call, lo, hi int) int {
	blocks, cols := c.cut(lo, hi, c.Batch)
	items, data, idx := num.As[T](c.Items), num.As[T](c.Data), num.As[I](c.Idx)
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
						if !c.Fill {
							return first + cols.lo + i
						}
						continue
					}
				}
				target := &line[int(j)*c.Inner+cols.lo+i]
				*target = combine[R](*target, updates[i])
			}
		}
	}
	return -1
}
