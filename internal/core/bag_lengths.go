package core

import (
	"gorgonia.org/gather/internal/fault"
	"gorgonia.org/gather/internal/num"
	"gorgonia.org/gather/shapes"
)

// Offsets makes offsets of the lengths of bags, in place: none is negative, and their sum
// is n, the number of what is named. Those of uint64 are read with Wrapped.
func Offsets(op string, lengths []int64, kind num.Kind, n int, what string) error {
	sum := int64(0)
	for i, length := range lengths {
		switch {
		case length < 0 && kind != num.Uint64:
			return fault.Errorf(shapes.ErrShape, "%s: lengths[%d] is %d, none may be negative", op, i, length)
		case uint64(length) > uint64(int64(n)-sum):
			return fault.Errorf(shapes.ErrShape, "%s: lengths[%d] is %d, and the sum of those before it %d: there are %d %s", op, i, uint64(length), sum, n, what)
		}
		lengths[i] = sum
		sum += length
	}
	if sum != int64(n) {
		return fault.Errorf(shapes.ErrShape, "%s: the sum of lengths is %d, %d is needed, the number of %s", op, sum, n, what)
	}
	return nil
}

// CheckLast refuses another last offset, where bags end, than the number of what is named.
func CheckLast(op string, last int64, at, n int, what string) error {
	if last != int64(n) {
		return fault.Errorf(shapes.ErrShape, "%s: offsets[%d] is %d, with WithLastOffset the last one is %d, the number of %s", op, at, last, n, what)
	}
	return nil
}
