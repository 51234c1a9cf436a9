package kernel

import "math"

// The 16-bit floats are computed in float32 and rounded to nearest even after
// each operation.

// float16To32 converts the bits of an IEEE 754 binary16: a sign, 5 bits of
// exponent with a bias of 15, 10 bits of fraction. A NaN comes out quiet.
func float16To32(bits uint16) float32 {
	sign := uint32(bits>>15) << 31
	exponent, fraction := uint32(bits>>10&0x1f), uint32(bits&0x3ff)
	switch {
	case exponent == 0: // zero, or so many times the least number
		return math.Float32frombits(sign | math.Float32bits(float32(fraction)*0x1p-24))
	case exponent < 0x1f:
		return math.Float32frombits(sign | (exponent+127-15)<<23 | fraction<<13)
	case fraction == 0:
		return math.Float32frombits(sign | 0xff<<23)
	}
	return math.Float32frombits(sign | 0x1ff<<22 | fraction<<13)
}

// float16From32 rounds to nearest, ties to even. A NaN keeps its upper bits,
// with the quiet bit set.
func float16From32(f float32) uint16 {
	const (
		inf   = 0x7c00
		quiet = 0x200
	)
	bits := math.Float32bits(f)
	sign := uint16(bits >> 31 << 15)
	switch bits &= 1<<31 - 1; {
	case bits > 0xff<<23:
		return sign | inf | quiet | uint16(bits>>13&0x3ff)
	case bits >= 0x477ff000: // 65520, from where infinity is nearer than 65504
		return sign | inf
	case bits < (127-14)<<23:
		// Below 2^-14 the numbers are 2^-24 apart, as they are from 0.5 on in
		// float32: adding 0.5 rounds.
		return sign | uint16(math.Float32bits(math.Float32frombits(bits)+0.5)-math.Float32bits(0.5))
	}
	bits -= (127 - 15) << 23
	return sign | uint16((bits+0xfff+bits>>13&1)>>13)
}

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
