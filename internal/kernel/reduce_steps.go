package kernel

import "gorgonia.org/gather/internal/num"

// Has reports whether values of the kind can be combined by the reduction.
func Has(kind num.Kind, r num.Reduction) bool { return folds[kind][r].line != nil }

// folds are the reductions step by step, in any layout.
var folds [num.Kinds][num.Reductions]stepLoop

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
	folds[kind][r] = stepLoopOf(line)
}
