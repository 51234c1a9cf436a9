package kernel

import "gorgonia.org/gather/internal/plan"

// ReduceWalk is ReduceBlock or ReduceElements in any layout, as the Dims say,
// and for every kind that Has the reduction. It runs in one chunk: two chunks
// could meet in data.
func (c *Call) ReduceWalk(kind Kind, r plan.Reduction) int {
	f := &folds[kind][r]
	n, _ := c.walkGrain(1)
	if n == 0 {
		return -1
	}
	c.line = f.line
	return pick(c.Idx32, f.loops[0], f.loops[1])(c, 0, n)
}

// Has reports whether values of the kind can be combined by the reduction.
func Has(kind Kind, r plan.Reduction) bool { return folds[kind][r].line != nil }

// fold is a kind's reduction: the function for a line of elements, and the
// walks over its element type.
type fold struct {
	line  any
	loops [2]Loop
}

var folds [kinds][plan.Mean + 1]fold

func init() {
	registerReal[int8](Int8)
	registerReal[int16](Int16)
	registerReal[int32](Int32)
	registerReal[int64](Int64)
	registerReal[uint8](Uint8)
	registerReal[uint16](Uint16)
	registerReal[uint32](Uint32)
	registerReal[uint64](Uint64)
	registerReal[float32](Float32)
	registerReal[float64](Float64)
	registerComplex[complex64](Complex64)
	registerComplex[complex128](Complex128)
	for r, f := range map[plan.Reduction]func(a, b float32) float32{
		plan.Add: combine[add, float32],
		plan.Sub: combine[sub, float32],
		plan.Mul: combine[mul, float32],
		plan.Min: combine[least, float32],
		plan.Max: combine[most, float32],
	} {
		registerFold(Float16, r, inFloat32(float16To32, float16From32, f))
		registerFold(BFloat16, r, inFloat32(bfloat16To32, bfloat16From32, f))
	}
	or := func(a, b uint8) uint8 { return a | b }
	and := func(a, b uint8) uint8 { return a & b }
	registerFold(Bool, plan.Add, or)
	registerFold(Bool, plan.Max, or)
	registerFold(Bool, plan.Mul, and)
	registerFold(Bool, plan.Min, and)
	registerFold(Bool, plan.Sub, func(a, b uint8) uint8 { return a ^ b })
}

func registerReal[T Real](kind Kind) {
	registerFold(kind, plan.Add, combine[add, T])
	registerFold(kind, plan.Sub, combine[sub, T])
	registerFold(kind, plan.Mul, combine[mul, T])
	registerFold(kind, plan.Min, combine[least, T])
	registerFold(kind, plan.Max, combine[most, T])
}

// registerComplex leaves out min and max: complex numbers have no order.
func registerComplex[T complex64 | complex128](kind Kind) {
	registerFold(kind, plan.Add, func(a, b T) T { return a + b })
	registerFold(kind, plan.Sub, func(a, b T) T { return a - b })
	registerFold(kind, plan.Mul, func(a, b T) T { return a * b })
}

func registerFold[T any](kind Kind, r plan.Reduction, f func(target, update T) T) {
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
