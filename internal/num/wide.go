package num

import "math/bits"

// Integer are the integers that data may be of.
type Integer interface {
	int8 | int16 | int32 | int64 | uint8 | uint16 | uint32 | uint64
}

// Wide is a sum of integers that no number of them overflows: High·2⁶⁴ + Low.
type Wide struct {
	High int64
	Low  uint64
}

// AddWide adds a row of integers to as many sums.
func AddWide[T Integer](sums []Wide, row []T) {
	sums = sums[:len(row)]
	for i, x := range row {
		s := &sums[i]
		var carry uint64
		s.Low, carry = bits.Add64(s.Low, uint64(x), 0)
		s.High += int64(carry) + upper(x)
	}
}

// upper is the upper half of a number of 128 bits: -1 of a negative one.
func upper[T Integer](x T) int64 {
	if ^T(0) > 0 { // there are none
		return 0
	}
	return int64(x) >> 63
}

// Mean is the sum divided by n, rounded toward minus infinity: the mean of n numbers of 64
// bits has 64 bits.
func (s Wide) Mean(n uint64) uint64 {
	if s.High >= 0 {
		quo, _ := bits.Div64(uint64(s.High), s.Low, n)
		return quo
	}
	// -ceil(-s / n)
	low, borrow := bits.Sub64(0, s.Low, 0)
	high := uint64(-s.High) - borrow
	quo, rem := bits.Div64(high, low, n)
	if rem > 0 {
		quo++
	}
	return -quo
}
