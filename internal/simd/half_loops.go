package simd

import (
	"math"

	"gorgonia.org/gather/internal/num"
)

// half is a 16-bit float as a type, in the way that a reduction is one: the
// choice between the two costs nothing in a loop.
type half interface{ binary16 | brain16 }

// format is what numbers are.
type format interface{ half | exact | single | double }

type (
	binary16 [0x3ff]byte // it has so many NaN of each sign
	brain16  [0x7f]byte
	exact    [0]byte // real, and what Go computes with
	single   [4]byte // complex64
	double   [5]byte // complex128
)

func halfLoopsGo[H half]() [num.Reductions]CombineLoops {
	return [num.Reductions]CombineLoops{
		num.Add: halvesGo[add, H](), num.Sub: halvesGo[sub, H](), num.Mul: halvesGo[mul, H](),
		num.Min: withFew[least, H, int16](halvesGo[least, H]()), num.Max: withFew[most, H, int16](halvesGo[most, H]()),
	}
}

func halvesGo[R reduction, H half]() CombineLoops {
	return CombineLoops{
		Lines: LineLoops{combineLine[R, H, int16, int32], combineLine[R, H, int16, int64]},
		Rows:  combineEachRow[R, H, short, int16], Offsets: combineEachRow[R, H, short, int16],
	}
}

// combineHalf combines the bits of 16-bit floats.
//
//go:noinline
func combineHalf[R reduction, F format](target *uint16, update uint16) {
	var f F
	if len(f) == len(brain16{}) {
		*target = num.BFloat16From32(combine[R](num.BFloat16To32(*target), num.BFloat16To32(update)))
	} else {
		*target = num.Float16From32(combine[R](num.Float16To32(*target), num.Float16To32(update)))
	}
}

// computes reports whether 16-bit floats are computed with, as float32. Their extremes are those of integers: once those
// of negative numbers are inverted, their bits are in order, but that NaN are at both ends.
func computes[R reduction, F format]() bool {
	var r R
	var f F
	return len(r) < len(least{}) && (len(f) == len(binary16{}) || len(f) == len(brain16{}))
}

// inOrder is what an element is compared by: itself, or the integer for the bits of a 16-bit float, moved so far that NaN
// are all at the end that is looked for: by n, as many as there are of each sign. n stands in both functions, as a generic
// function in them would be looked for at each element.
func inOrder[R reduction, F format, T num.Real](x T) T {
	var r R
	var f F
	if n := int16(len(f) * (2*len(r) - len(least{}) - len(most{}))); n != 0 {
		return T(int16(x) ^ int16(x)>>15&math.MaxInt16 - n)
	}
	return x
}

// fromOrder is the inverse of inOrder.
func fromOrder[R reduction, F format, T num.Real](x T) T {
	var r R
	var f F
	if n := int16(len(f) * (2*len(r) - len(least{}) - len(most{}))); n != 0 {
		at := int16(x) + n
		return T(at ^ at>>15&math.MaxInt16)
	}
	return x
}
