package num

import (
	"bytes"
	"math"
)

// Neutral is memory of NeutralBytes, full of the element that a reduction starts from:
// combined with an update it gives the update, and for Sub the update's negative.
func Neutral(kind Kind, r Reduction) []byte { return neutrals[kind][r] }

// NeutralBytes is how long that memory is, for rows as long.
const NeutralBytes = 256

var neutrals = func() (all [Kinds][Reductions][]byte) {
	all[Bool] = neutral(Bool, false, true, true, false)
	all[Int8] = neutral[int8](Int8, 0, 1, math.MaxInt8, math.MinInt8)
	all[Int16] = neutral[int16](Int16, 0, 1, math.MaxInt16, math.MinInt16)
	all[Int32] = neutral[int32](Int32, 0, 1, math.MaxInt32, math.MinInt32)
	all[Int64] = neutral[int64](Int64, 0, 1, math.MaxInt64, math.MinInt64)
	all[Uint8] = neutral[uint8](Uint8, 0, 1, math.MaxUint8, 0)
	all[Uint16] = neutral[uint16](Uint16, 0, 1, math.MaxUint16, 0)
	all[Uint32] = neutral[uint32](Uint32, 0, 1, math.MaxUint32, 0)
	all[Uint64] = neutral[uint64](Uint64, 0, 1, math.MaxUint64, 0)
	inf := float32(math.Inf(1))
	all[Float16] = neutral(Float16, 0, Float16From32(1), Float16From32(inf), Float16From32(-inf))
	all[BFloat16] = neutral(BFloat16, 0, BFloat16From32(1), BFloat16From32(inf), BFloat16From32(-inf))
	all[Float32] = neutral(Float32, 0, 1, inf, -inf)
	all[Float64] = neutral(Float64, 0, 1, math.Inf(1), math.Inf(-1))
	all[Complex64] = neutral[complex64](Complex64, 0, 1, 0, 0) // has no min and max
	all[Complex128] = neutral[complex128](Complex128, 0, 1, 0, 0)
	return all
}()

func neutral[T any](kind Kind, zero, one, greatest, least T) (all [Reductions][]byte) {
	for r, v := range [...]T{Add: zero, Sub: zero, Mul: one, Min: greatest, Max: least} {
		all[r] = bytes.Repeat(Bytes([]T{v}), NeutralBytes/kind.Width())
	}
	all[Mean] = all[Add]
	return all
}
