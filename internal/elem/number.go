package elem

import (
	"math"

	"gorgonia.org/gather/internal/num"
)

// FromFloat is the memory of a number of a kind. It reports whether the kind has it:
// integers have no fractions, infinities and NaN, floats round.
func FromFloat(kind num.Kind, x float64) ([]byte, bool) {
	switch kind {
	case num.Int8:
		return integer[int8](x)
	case num.Int16:
		return integer[int16](x)
	case num.Int32:
		return integer[int32](x)
	case num.Int64:
		return integer[int64](x)
	case num.Uint8:
		return integer[uint8](x)
	case num.Uint16:
		return integer[uint16](x)
	case num.Uint32:
		return integer[uint32](x)
	case num.Uint64:
		return integer[uint64](x)
	case num.Float16:
		return num.Bytes([]uint16{num.Float16From32(float32(x))}), true
	case num.BFloat16:
		return num.Bytes([]uint16{num.BFloat16From32(float32(x))}), true
	case num.Float32:
		return num.Bytes([]float32{float32(x)}), true
	case num.Float64:
		return num.Bytes([]float64{x}), true
	case num.Complex64:
		return num.Bytes([]complex64{complex(float32(x), 0)}), true
	case num.Complex128:
		return num.Bytes([]complex128{complex(x, 0)}), true
	}
	return nil, false
}

// NegativeZero is memory of numbers of a kind to which any can be added without a change: -0 for floats, and for both parts of
// complex numbers.
func NegativeZero(kind num.Kind) []byte {
	if kind >= num.Complex64 {
		kind -= num.Complex64 - num.Float32
	}
	zero, _ := FromFloat(kind, math.Copysign(0, -1))
	return zero
}

func integer[T int8 | int16 | int32 | int64 | uint8 | uint16 | uint32 | uint64](x float64) ([]byte, bool) {
	// What a conversion of a float gives that the integer does not have is not the same on
	// all processors, so only numbers that int64 or uint64 has are converted.
	switch {
	case x != math.Trunc(x): // or NaN
		return nil, false
	case x >= math.MinInt64 && x < 1<<63:
		n := int64(x)
		v := T(n)
		return num.Bytes([]T{v}), int64(v) == n && (v < 0) == (n < 0)
	case x >= 1<<63 && x < 1<<64:
		n := uint64(x)
		v := T(n)
		return num.Bytes([]T{v}), uint64(v) == n && v > 0
	}
	return nil, false
}
