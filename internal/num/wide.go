package num

import (
	"math/bits"
	"unsafe"
)

// Integer are the integers that data may be of.
type Integer interface {
	int8 | int16 | int32 | int64 | uint8 | uint16 | uint32 | uint64
}

// Wide is a sum of integers that no number of them overflows: High·2⁶⁴ + Low. The sum of
// integers of up to 16 bits is Low alone, as an int64.
type Wide struct {
	High, Low uint64
}

// AddWide adds a row of integers to as many sums.
func AddWide[T Integer](sums []Wide, row []T) {
	sums = sums[:len(row)]
	for i, x := range row {
		sums[i] = plus(sums[i], x)
	}
}

// FewColumns is up to how many columns rows have few: of these a sum at a time takes in all rows.
const FewColumns = 8

// AddWideRows adds the rows of data at offsets, in bytes, to sums.
func AddWideRows[T Integer](sums []Wide, data []T, offsets []int64) {
	width := int(unsafe.Sizeof(T(0)))
	if len(sums) > FewColumns {
		for _, at := range offsets {
			AddWide(sums, data[int(at)/width:][:len(sums)])
		}
		return
	}
	for c, s := range sums {
		for _, at := range offsets {
			s = plus(s, data[int(at)/width+c])
		}
		sums[c] = s
	}
}

// plus must be inlined: it is one step of the loops above.
func plus[T Integer](s Wide, x T) Wide {
	if unsafe.Sizeof(x) < 4 {
		s.Low += uint64(x)
		return s
	}
	low, carry := bits.Add64(s.Low, uint64(x), 0)
	high, _ := bits.Add64(s.High, upper(x), carry)
	return Wide{high, low}
}

// upper is the upper half of a number of 128 bits: -1 of a negative one.
func upper[T Integer](x T) uint64 {
	if ^T(0) > 0 { // there are none
		return 0
	}
	return uint64(int64(x) >> 63)
}

// Magnitude has all bits that numbers have, each with a bias.
func Magnitude(numbers []uint64, bias uint64) (all uint64) {
	for ; len(numbers) >= 8; numbers = numbers[8:] {
		x := (*[8]uint64)(numbers)
		all |= (x[0] + bias) | (x[1] + bias) | (x[2] + bias) | (x[3] + bias) | (x[4] + bias) | (x[5] + bias) | (x[6] + bias) | (x[7] + bias)
	}
	for _, x := range numbers {
		all |= x + bias
	}
	return all
}

// MeanOf is a sum of n integers of a type divided by n, rounded toward minus infinity.
func MeanOf[T Integer](s Wide, n int) T {
	if unsafe.Sizeof(T(0)) < 4 || s.High == uint64(int64(s.Low)>>63) {
		quo, rem := int64(s.Low)/int64(n), int64(s.Low)%int64(n)
		return T(quo + rem>>63) // Go rounds toward zero
	}
	if int64(s.High) >= 0 {
		quo, _ := bits.Div64(s.High, s.Low, uint64(n))
		return T(quo)
	}
	// -ceil(-s / n)
	low, borrow := bits.Sub64(0, s.Low, 0)
	quo, rem := bits.Div64(-s.High-borrow, low, uint64(n))
	if rem > 0 {
		quo++
	}
	return T(-quo)
}

// DivideRows divides some columns of rows of sums, of which none overflows an int64 and which are step numbers apart, by
// their counts, and rounds toward minus infinity: the quotient of x < 0 is that of ^x, inverted. Those of 0 stay.
func DivideRows(sums []uint64, counts []int32, step, columns int) {
	if columns == 1 {
		for b, count := range counts {
			sum, n := &sums[b*step], uint64(max(count, 1)) // without a branch: it would be predicted wrongly
			sign := uint64(int64(*sum) >> 63)
			*sum = (*sum^sign)/n ^ sign
		}
		return
	}
	for b, count := range counts {
		if count <= 1 {
			continue
		}
		row, l, inverse := sums[b*step:][:columns], bits.Len(uint(count)-1), uint64(0)
		if len(row) >= 4 {
			inverse, _ = bits.Div64(1<<(l-1), 0, uint64(count))
		}
		for i, sum := range row {
			sign := uint64(int64(sum) >> 63)
			if sum ^= sign; inverse == 0 {
				row[i] = sum/uint64(count) ^ sign
			} else {
				// The product with 2^(63+l)/n, rounded up, is the quotient of numbers below 2^63, too, and takes
				// less time: see Granlund and Montgomery, Division by Invariant Integers using Multiplication.
				quotient, _ := bits.Mul64(sum, inverse+1)
				row[i] = quotient>>(l-1) ^ sign
			}
		}
	}
}

// Ascending reports whether no number is less than the one before. It takes half of the time of slices.IsSorted.
func Ascending[T Integer](numbers []T) bool {
	for ; len(numbers) > 4; numbers = numbers[4:] {
		x := (*[5]T)(numbers)
		if x[0] > x[1] || x[1] > x[2] || x[2] > x[3] || x[3] > x[4] {
			return false
		}
	}
	for i := 1; i < len(numbers); i++ {
		if numbers[i-1] > numbers[i] {
			return false
		}
	}
	return true
}
