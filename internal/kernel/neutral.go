package kernel

import (
	"math"

	"gorgonia.org/gather/internal/plan"
)

// Neutral is the memory of the value that a reduction starts from where the old
// value of data takes no part: combined with an update it gives the update, and
// for Sub the update's negative.
func Neutral(kind Kind, r plan.Reduction) []byte { return neutrals[kind][r] }

var neutrals [kinds][plan.Mean + 1][]byte

func init() {
	neutral(Bool, false, true, true, false)
	neutral[int8](Int8, 0, 1, math.MaxInt8, math.MinInt8)
	neutral[int16](Int16, 0, 1, math.MaxInt16, math.MinInt16)
	neutral[int32](Int32, 0, 1, math.MaxInt32, math.MinInt32)
	neutral[int64](Int64, 0, 1, math.MaxInt64, math.MinInt64)
	neutral[uint8](Uint8, 0, 1, math.MaxUint8, 0)
	neutral[uint16](Uint16, 0, 1, math.MaxUint16, 0)
	neutral[uint32](Uint32, 0, 1, math.MaxUint32, 0)
	neutral[uint64](Uint64, 0, 1, math.MaxUint64, 0)
	inf := float32(math.Inf(1))
	neutral(Float16, 0, float16From32(1), float16From32(inf), float16From32(-inf))
	neutral(BFloat16, 0, bfloat16From32(1), bfloat16From32(inf), bfloat16From32(-inf))
	neutral(Float32, 0, 1, inf, -inf)
	neutral(Float64, 0, 1, math.Inf(1), math.Inf(-1))
	neutral[complex64](Complex64, 0, 1, 0, 0) // has no min and max
	neutral[complex128](Complex128, 0, 1, 0, 0)
}

func neutral[T any](kind Kind, zero, one, greatest, least T) {
	for r, v := range [...]T{
		plan.Add: zero,
		plan.Sub: zero,
		plan.Mul: one,
		plan.Min: greatest,
		plan.Max: least,
	} {
		neutrals[kind][r] = Bytes([]T{v})
	}
}
