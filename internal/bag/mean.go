package bag

import (
	"math/bits"

	"gorgonia.org/gather/internal/num"
)

// wide is a sum of integers that no number of them overflows: high·2⁶⁴ + low.
type wide struct {
	high int64
	low  uint64
}

// meanColumns is how many columns a mean of integers works on at a time.
const meanColumns = 128

// intMeans has what makes the means of integers, for each kind. Its functions are made
// once: a generic function made into a value where it is used would be an allocation in
// every call.
var intMeans = [num.Kinds]func(r *reduction, bags, columns interval) int{
	num.Int8: meanIntegers[int8], num.Int16: meanIntegers[int16], num.Int32: meanIntegers[int32], num.Int64: meanIntegers[int64],
	num.Uint8: meanIntegers[uint8], num.Uint16: meanIntegers[uint16], num.Uint32: meanIntegers[uint32], num.Uint64: meanIntegers[uint64],
}

type integer interface {
	int8 | int16 | int32 | int64 | uint8 | uint16 | uint32 | uint64
}

// meanIntegers writes the exact means of some columns of some bags, rounded toward
// minus infinity.
func meanIntegers[T integer](r *reduction, bags, columns interval) int {
	var sums [meanColumns]wide
	p := r.First(bags.lo, r.n)
	for bag := bags.lo; bag < bags.hi; bag++ {
		start, end := p, r.End(bag, p, r.n)
		count := 0
		for lo := columns.lo; lo < columns.hi; lo += meanColumns * r.width {
			hi := min(lo+meanColumns*r.width, columns.hi)
			clear(sums[:])
			count = 0
			for p = start; p < end; p++ {
				j, ok := r.rowAt(p)
				if !ok {
					if !r.Fill {
						return p
					}
					continue
				}
				addWide(&sums, num.As[T](r.Table[j*r.row:][lo:hi]))
				count++
			}
			out := num.As[T](r.out[bag*r.row:][lo:hi])
			for i := range out {
				if count > 0 {
					out[i] = T(sums[i].mean(uint64(count)))
				}
			}
		}
		if count == 0 {
			r.fillEmpty(r.out[bag*r.row+columns.lo:], columns)
		}
	}
	return -1
}

func addWide[T integer](sums *[meanColumns]wide, row []T) {
	for i, x := range row {
		s := &sums[i%meanColumns]
		var carry uint64
		s.low, carry = bits.Add64(s.low, uint64(x), 0)
		s.high += int64(carry)
		if x < 0 {
			s.high-- // the upper half of a negative number is -1
		}
	}
}

// mean is the sum divided by n, rounded toward minus infinity: the mean of n
// numbers of 64 bits has 64 bits.
func (s wide) mean(n uint64) uint64 {
	if s.high >= 0 {
		quo, _ := bits.Div64(uint64(s.high), s.low, n)
		return quo
	}
	// -ceil(-s / n)
	low, borrow := bits.Sub64(0, s.low, 0)
	high := uint64(-s.high) - borrow
	quo, rem := bits.Div64(high, low, n)
	if rem > 0 {
		quo++
	}
	return -quo
}
