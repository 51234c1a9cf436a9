package bag

import (
	"math/big"
	"math/cmplx"
	"math/rand/v2"

	"gorgonia.org/gather/internal/memtest"
	"gorgonia.org/gather/internal/num"
)

// plainKind is the arithmetic of a kind for the plain loops that bags are compared
// with.
type plainKind[T comparable] struct {
	kind     num.Kind
	add, mul func(a, b T) T
	div      func(a T, n int) T
	mean     func(all []T) T   // nil: the sum divided
	max      func(a, b T) T    // nil: no order
	same     func(a, b T) bool // NaN and NaN, too
	nan      func(a T) bool
	conj     func(a T) T
	draw     func(rng *rand.Rand) T
}

func plainReal[T num.Real](kind num.Kind, draw func(*rand.Rand) T) plainKind[T] {
	return plainKind[T]{
		kind: kind, draw: draw, conj: func(x T) T { return x },
		add: func(a, b T) T { return a + b }, mul: func(a, b T) T { return a * b }, max: func(a, b T) T { return max(a, b) },
		div:  func(a T, n int) T { return a / T(n) },
		same: func(a, b T) bool { return a == b || a != a && b != b },
		nan:  func(a T) bool { return a != a },
	}
}

func plainInt[T num.Integer](kind num.Kind) plainKind[T] {
	k := plainReal(kind, func(rng *rand.Rand) T {
		if rng.IntN(2) == 0 {
			return T(rng.IntN(7))
		}
		return T(rng.Uint64()) // sums wrap, means must not
	})
	k.mean = func(all []T) T {
		sum := new(big.Int)
		for _, x := range all {
			if x < 0 {
				sum.Add(sum, big.NewInt(int64(x)))
			} else {
				sum.Add(sum, new(big.Int).SetUint64(uint64(x)))
			}
		}
		mean := new(big.Int).Div(sum, big.NewInt(int64(len(all)))) // Euclidean: toward minus infinity
		if mean.Sign() < 0 {
			return T(mean.Int64())
		}
		return T(mean.Uint64())
	}
	k.div = nil // integers have no gradients but that of Add
	return k
}

func plainHalf(kind num.Kind, to func(uint16) float32, from func(float32) uint16) plainKind[uint16] {
	in := func(f func(a, b float32) float32) func(a, b uint16) uint16 { return inFloat32(to, from, f) }
	return plainKind[uint16]{
		kind: kind, conj: func(x uint16) uint16 { return x },
		add:  in(func(a, b float32) float32 { return a + b }),
		mul:  in(func(a, b float32) float32 { return a * b }),
		max:  in(func(a, b float32) float32 { return max(a, b) }),
		div:  func(a uint16, n int) uint16 { return from(to(a) / float32(n)) },
		same: func(a, b uint16) bool { return to(a) == to(b) || to(a) != to(a) && to(b) != to(b) },
		nan:  func(a uint16) bool { return to(a) != to(a) },
		draw: func(rng *rand.Rand) uint16 { return from(float32(memtest.DrawFloat(rng))) },
	}
}

func plainComplex[T complex64 | complex128](kind num.Kind, pair func(re, im float64) T) plainKind[T] {
	round := func(x float64) float64 { return float64(x) } // never fused with what follows
	return plainKind[T]{
		kind: kind,
		add:  func(a, b T) T { return a + b },
		mul: func(a, b T) T {
			x, y := complex128(a), complex128(b)
			return pair(round(real(x)*real(y))-round(imag(x)*imag(y)), round(real(x)*imag(y))+round(imag(x)*real(y)))
		},
		div:  func(a T, n int) T { return a / pair(float64(n), 0) },
		conj: func(a T) T { return pair(real(complex128(a)), -imag(complex128(a))) },
		nan:  func(a T) bool { return cmplx.IsNaN(complex128(a)) },
		draw: func(rng *rand.Rand) T { return pair(rng.NormFloat64(), rng.NormFloat64()) },
	}
}

// inFloat32 makes arithmetic of float32 that of 16-bit floats.
func inFloat32(to func(uint16) float32, from func(float32) uint16, f func(a, b float32) float32) func(a, b uint16) uint16 {
	return func(a, b uint16) uint16 { return from(f(to(a), to(b))) }
}
