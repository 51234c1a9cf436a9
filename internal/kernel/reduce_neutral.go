package kernel

import (
	"bytes"
	"math"

	"gorgonia.org/gather/internal/num"
)

// Neutral is the memory of the value that a reduction starts from where the old
// value of data takes no part: combined with an update it gives the update, and
// for Sub the update's negative.
func Neutral(kind num.Kind, r num.Reduction) []byte { return neutrals[kind][r][:kind.Width()] }

// shortBytes is how many bytes of neutral elements there are, for rows as long.
const shortBytes = 256

// neutrals holds shortBytes of each value.
var neutrals [num.Kinds][num.Reductions][]byte

func init() {
	neutral(num.Bool, false, true, true, false)
	neutral[int8](num.Int8, 0, 1, math.MaxInt8, math.MinInt8)
	neutral[int16](num.Int16, 0, 1, math.MaxInt16, math.MinInt16)
	neutral[int32](num.Int32, 0, 1, math.MaxInt32, math.MinInt32)
	neutral[int64](num.Int64, 0, 1, math.MaxInt64, math.MinInt64)
	neutral[uint8](num.Uint8, 0, 1, math.MaxUint8, 0)
	neutral[uint16](num.Uint16, 0, 1, math.MaxUint16, 0)
	neutral[uint32](num.Uint32, 0, 1, math.MaxUint32, 0)
	neutral[uint64](num.Uint64, 0, 1, math.MaxUint64, 0)
	inf := float32(math.Inf(1))
	neutral(num.Float16, 0, num.Float16From32(1), num.Float16From32(inf), num.Float16From32(-inf))
	neutral(num.BFloat16, 0, num.BFloat16From32(1), num.BFloat16From32(inf), num.BFloat16From32(-inf))
	neutral(num.Float32, 0, 1, inf, -inf)
	neutral(num.Float64, 0, 1, math.Inf(1), math.Inf(-1))
	neutral[complex64](num.Complex64, 0, 1, 0, 0) // has no min and max
	neutral[complex128](num.Complex128, 0, 1, 0, 0)
}

func neutral[T any](kind num.Kind, zero, one, greatest, least T) {
	for r, v := range [...]T{
		num.Add: zero,
		num.Sub: zero,
		num.Mul: one,
		num.Min: greatest,
		num.Max: least,
	} {
		neutrals[kind][r] = bytes.Repeat(num.Bytes([]T{v}), shortBytes/kind.Width())
	}
}
