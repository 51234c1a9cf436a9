package kernel

import "gorgonia.org/gather/internal/num"

// reduceWalk is Reduce in the form Walk, for every kind that Has the reduction.
// Step by step it runs in one chunk: two chunks could meet in data.
func (c *Call) reduceWalk(kind num.Kind, r num.Reduction) int {
	f := &folds[kind][r]
	n, _ := c.walkGrain()
	if n == 0 {
		return -1
	}
	if bad := c.beforeWalk(); bad >= 0 {
		return bad
	}
	switch {
	case c.itemWalk():
		c.item = c.itemWork(active.combine[kind][r].item, c.width)
		c.startWalkItems()
		return c.runWalk(walkItems, true)
	case c.rowWalk() && c.distinct():
		c.strided = strided{intoData, kind, r}
		if c.NoInit {
			c.stages.start = pick(c.Idx32, startWalkRows[int32], startWalkRows[int64])
		}
		return c.runWalk(pick(c.Idx32, walkRows[int32], walkRows[int64]), true)
	}
	if c.NoInit {
		if bad := c.startWalk(n); bad >= 0 {
			return bad
		}
	}
	c.step = f.line
	return pick(c.Idx32, f.loops[0], f.loops[1])(c, 0, n)
}

// startWalkItems has an itemWalk start from the neutral element, without the old value.
func (c *Call) startWalkItems() {
	if c.NoInit {
		c.startItem = c.itemWork(active.fillItem[log2(c.width)], c.width)
		c.startItem.one = c.neutral[:c.width]
		c.stages.start = startWalkItems
	}
}

// startWalk sets what the indices pick to the value that a reduction starts from.
func (c *Call) startWalk(n int) int {
	items, move := c.Items, &moves[moveAs(c.width)]
	c.Items, c.step = c.neutral, move.fill
	bad := pick(c.Idx32, move.loops[0], move.loops[1])(c, 0, n)
	c.Items = items
	return bad
}

// fillLine repeats the items that there are.
func fillLine[T any](items, data []T, _, datum, n, _, stepData int) {
	item := 0
	for i := range n {
		data[datum+i*stepData] = items[item]
		if item++; item == len(items) {
			item = 0
		}
	}
}

// Has reports whether values of the kind can be combined by the reduction.
func Has(kind num.Kind, r num.Reduction) bool { return folds[kind][r].line != nil }

// fold is a kind's reduction: the function for a line of elements, and the
// walks over its element type.
type fold struct {
	line  any
	loops [2]Loop
}

var folds [num.Kinds][num.Reductions]fold

func init() {
	registerReal[int8](num.Int8)
	registerReal[int16](num.Int16)
	registerReal[int32](num.Int32)
	registerReal[int64](num.Int64)
	registerReal[uint8](num.Uint8)
	registerReal[uint16](num.Uint16)
	registerReal[uint32](num.Uint32)
	registerReal[uint64](num.Uint64)
	registerReal[float32](num.Float32)
	registerReal[float64](num.Float64)
	registerComplex[complex64](num.Complex64)
	registerComplex[complex128](num.Complex128)
	for r, f := range map[num.Reduction]func(a, b float32) float32{
		num.Add: combine[add, float32],
		num.Sub: combine[sub, float32],
		num.Mul: combine[mul, float32],
		num.Min: combine[least, float32],
		num.Max: combine[most, float32],
	} {
		registerFold(num.Float16, r, inFloat32(num.Float16To32, num.Float16From32, f))
		registerFold(num.BFloat16, r, inFloat32(num.BFloat16To32, num.BFloat16From32, f))
	}
	or := func(a, b uint8) uint8 { return a | b }
	and := func(a, b uint8) uint8 { return a & b }
	registerFold(num.Bool, num.Add, or)
	registerFold(num.Bool, num.Max, or)
	registerFold(num.Bool, num.Mul, and)
	registerFold(num.Bool, num.Min, and)
	registerFold(num.Bool, num.Sub, func(a, b uint8) uint8 { return a ^ b })
}

func registerReal[T num.Real](kind num.Kind) {
	registerFold(kind, num.Add, combine[add, T])
	registerFold(kind, num.Sub, combine[sub, T])
	registerFold(kind, num.Mul, combine[mul, T])
	registerFold(kind, num.Min, combine[least, T])
	registerFold(kind, num.Max, combine[most, T])
}

// registerComplex leaves out min and max: complex numbers have no order.
func registerComplex[T complex64 | complex128](kind num.Kind) {
	registerFold(kind, num.Add, func(a, b T) T { return a + b })
	registerFold(kind, num.Sub, func(a, b T) T { return a - b })
	registerFold(kind, num.Mul, func(a, b T) T { return a * b })
}

func registerFold[T any](kind num.Kind, r num.Reduction, f func(target, update T) T) {
	var line LineFunc[T] = func(items, data []T, item, datum, n, stepItems, stepData int) {
		if datum < 0 {
			return
		}
		for i := range n {
			target := &data[datum+i*stepData]
			*target = f(*target, items[item+i*stepItems])
		}
	}
	folds[kind][r] = fold{line, [2]Loop{walk[T, int32], walk[T, int64]}}
}
