package segment

import "math"

// exp32 is e**x of a difference of float32 that is not above 0, or NaN, and a float32 of
// it is within 1 ulp. It takes a fraction of the time of math.Exp, which is exact to 53 bits,
// and is inlined. Each processor gives the same bits: a product that is converted is not
// fused with the sum that it is in.
func exp32(x float64) float64 {
	const (
		steps = len(powers)
		// A sum with shift is rounded to an integer, in the low bits of the mantissa.
		shift = 3 << 51
	)
	if x < -200 { // of which a float32 is 0
		x = -200
	}
	shifted := float64(x*(float64(steps)/math.Ln2)) + shift
	k := math.Float64bits(shifted)
	r := x - float64((shifted-shift)*(math.Ln2/float64(steps)))
	// |r| ≤ ln 2 / 32, where these terms of the series miss e**r by a 10⁸th.
	p := 1 + float64(r*(1+float64(r*(0.5+float64(r*(1./6))))))
	return p * math.Float64frombits(powers[k%uint64(steps)]+k/uint64(steps)<<52)
}

// powers are the bits of 2**(i/16).
var powers = [16]uint64{
	0x3ff0000000000000, 0x3ff0b5586cf9890f, 0x3ff172b83c7d517b, 0x3ff2387a6e756238,
	0x3ff306fe0a31b715, 0x3ff3dea64c123422, 0x3ff4bfdad5362a27, 0x3ff5ab07dd485429,
	0x3ff6a09e667f3bcd, 0x3ff7a11473eb0187, 0x3ff8ace5422aa0db, 0x3ff9c49182a3f090,
	0x3ffae89f995ad3ad, 0x3ffc199bdd85529c, 0x3ffd5818dcfba487, 0x3ffea4afa2a490da,
}
