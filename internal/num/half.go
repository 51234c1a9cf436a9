package num

import "math"

// The 16-bit floats are computed in float32 and rounded to nearest even after
// each operation. The conversions are small enough to be inlined: a call for
// each number would take longer than all the rest.

// Float16To32 converts the bits of an IEEE 754 binary16: a sign, 5 bits of
// exponent with a bias of 15, 10 bits of fraction. A NaN comes out quiet.
func Float16To32(bits uint16) float32 {
	wide := uint32(bits&0x7fff) << 13
	// The product has the bias of float32, and what is below the least normal
	// number its own exponent.
	f := math.Float32bits(math.Float32frombits(wide) * 0x1p112)
	if wide >= 0x1f<<23 {
		f = wide | 0xff<<23
		if wide > 0x1f<<23 {
			f |= 1 << 22
		}
	}
	return math.Float32frombits(f | uint32(bits>>15)<<31)
}

// Float16From32 rounds to nearest, ties to even. A NaN keeps its upper bits,
// with the quiet bit set.
func Float16From32(f float32) uint16 {
	bits := math.Float32bits(f)
	size := bits & (1<<31 - 1)
	if size < (127-14)<<23 {
		// Below 2^-14 the numbers are 2^-24 apart, as they are from 0.5 on in
		// float32: adding 0.5 rounds.
		size = math.Float32bits(math.Float32frombits(size)+0.5) - 0x3f000000
	} else if f == f {
		// From 65520 on infinity is nearer than 65504: 2^16 stands for all of it.
		size = min(size, (127+16)<<23) - (127-15)<<23
		size = (size + 0xfff + size>>13&1) >> 13
	} else {
		size = 0x7e00 | size>>13&0x3ff
	}
	return uint16(size | bits>>16&0x8000)
}

// BFloat16To32 converts the bits of a bfloat16, the upper half of a float32.
func BFloat16To32(bits uint16) float32 { return math.Float32frombits(uint32(bits) << 16) }

// BFloat16From32 rounds to nearest, ties to even. A NaN keeps its upper bits,
// with the quiet bit set: rounding could carry a NaN into infinity.
func BFloat16From32(f float32) uint16 {
	bits := math.Float32bits(f)
	if f != f {
		return uint16(bits>>16) | 0x40
	}
	return uint16((bits + 0x7fff + bits>>16&1) >> 16)
}
