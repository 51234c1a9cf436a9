package simd

import (
	"gorgonia.org/gather/internal/num"
)

// half is a 16-bit float as a type, in the way that a reduction is one: the
// choice between the two costs nothing in a loop.
type half interface{ binary16 | brain16 }

// format is what numbers are.
type format interface {
	half | exact | single | double
}

type (
	binary16 [1]byte
	brain16  [2]byte
	exact    [3]byte // real, and what Go computes with
	single   [4]byte // complex64
	double   [5]byte // complex128
)

func halfLoopsGo[H half]() [num.Reductions]CombineLoops {
	return [num.Reductions]CombineLoops{
		num.Add: halvesGo[add, H](), num.Sub: halvesGo[sub, H](), num.Mul: halvesGo[mul, H](),
		num.Min: withFew[least, H, uint16](halvesGo[least, H]()), num.Max: withFew[most, H, uint16](halvesGo[most, H]()),
	}
}

func halvesGo[R reduction, H half]() CombineLoops {
	return CombineLoops{
		Lines: LineLoops{combineLine[R, H, uint16, int32], combineLine[R, H, uint16, int64]},
		Rows:  combineEachRow[R, H, short, uint16], Offsets: combineEachRow[R, H, short, uint16],
	}
}
