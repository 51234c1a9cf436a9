package kernel

import (
	"math"

	"github.com/x448/float16"
)

// The 16-bit floats are computed in float32 and rounded to nearest even after
// each operation.

// float16To32 and float16From32 convert the bits of an IEEE 754 binary16.
func float16To32(bits uint16) float32 { return float16.Frombits(bits).Float32() }
func float16From32(f float32) uint16  { return float16.Fromfloat32(f).Bits() }

// bfloat16To32 converts the bits of a bfloat16, the upper half of a float32.
func bfloat16To32(bits uint16) float32 { return math.Float32frombits(uint32(bits) << 16) }

// bfloat16From32 rounds to nearest, ties to even. A NaN keeps its upper bits,
// with the quiet bit set: rounding could carry a NaN into infinity.
func bfloat16From32(f float32) uint16 {
	bits := math.Float32bits(f)
	if f != f {
		return uint16(bits>>16) | 0x40
	}
	return uint16((bits + 0x7fff + bits>>16&1) >> 16)
}

// inFloat32 lifts float32 arithmetic to 16-bit floats.
func inFloat32(to func(uint16) float32, from func(float32) uint16, f func(a, b float32) float32) func(a, b uint16) uint16 {
	return func(a, b uint16) uint16 { return from(f(to(a), to(b))) }
}
