package oracle

import (
	"math"
	"math/big"
	"math/cmplx"
)

// Arith is the arithmetic of one element type. What a type does not have is nil: the order of complex numbers, the mean of
// bool, everything for string.
type Arith[T any] struct {
	Zero, One     T
	Add, Sub, Mul func(a, b T) T
	Min, Max      func(a, b T) T     // a NaN on either side wins
	Mean          func(values []T) T // of at least one value
	Div           func(a T, n int) T // for gradients
	Conj          func(a T) T        // for gradients; the same number where there is no imaginary part
	Same          func(a, b T) bool  // for the gradients of min and max: equal, or both NaN
}

// Integer lists the integer types.
type Integer interface {
	~int | ~int8 | ~int16 | ~int32 | ~int64 | ~uint | ~uint8 | ~uint16 | ~uint32 | ~uint64
}

// Float lists the float types Go computes in.
type Float interface{ ~float32 | ~float64 }

// Complex lists the complex types.
type Complex interface{ ~complex64 | ~complex128 }

// Bools is the arithmetic of bool: add and max are OR, mul and min are AND, sub is XOR.
func Bools() Arith[bool] {
	or := func(a, b bool) bool { return a || b }
	and := func(a, b bool) bool { return a && b }
	xor := func(a, b bool) bool { return a != b }
	return Arith[bool]{Zero: false, One: true, Add: or, Sub: xor, Mul: and, Min: and, Max: or}
}

// Integers is the arithmetic of integers: it wraps, except that the mean is exact, rounded toward minus infinity.
func Integers[T Integer]() Arith[T] {
	return Arith[T]{
		Zero: 0,
		One:  1,
		Add:  func(a, b T) T { return a + b },
		Sub:  func(a, b T) T { return a - b },
		Mul:  func(a, b T) T { return a * b },
		Min:  func(a, b T) T { return min(a, b) },
		Max:  func(a, b T) T { return max(a, b) },
		Mean: floorMean[T],
	}
}

// floorMean sums without bounds: three values of math.MaxInt64 have that very mean.
func floorMean[T Integer](values []T) T {
	unsigned := T(0)-1 > 0
	sum := new(big.Int)
	for _, v := range values {
		if unsigned {
			sum.Add(sum, new(big.Int).SetUint64(uint64(v)))
		} else {
			sum.Add(sum, big.NewInt(int64(v)))
		}
	}
	// Div rounds toward minus infinity for a positive divisor.
	mean := sum.Div(sum, big.NewInt(int64(len(values))))
	if unsigned {
		return T(mean.Uint64())
	}
	return T(mean.Int64())
}

// Floats is the arithmetic of float32 and float64. The mean is the sum, in order, divided by the count.
func Floats[T Float]() Arith[T] {
	return withMean(Arith[T]{
		Zero: 0,
		One:  1,
		Add:  func(a, b T) T { return a + b },
		Sub:  func(a, b T) T { return a - b },
		Mul:  func(a, b T) T { return a * b },
		Min:  func(a, b T) T { return min(a, b) },
		Max:  func(a, b T) T { return max(a, b) },
		Div:  func(a T, n int) T { return a / T(n) },
		Conj: func(a T) T { return a },
		Same: func(a, b T) bool { return a == b || math.IsNaN(float64(a)) && math.IsNaN(float64(b)) },
	})
}

// Complexes is the arithmetic of complex64 and complex128. They have no order, so neither Min nor Max, and no
// need of Same.
func Complexes[T Complex]() Arith[T] {
	return withMean(Arith[T]{
		Zero: 0,
		One:  1,
		Add:  func(a, b T) T { return a + b },
		Sub:  func(a, b T) T { return a - b },
		Mul:  func(a, b T) T { return a * b },
		Div:  func(a T, n int) T { return T(complex(real(complex128(a))/float64(n), imag(complex128(a))/float64(n))) },
		Conj: func(a T) T { return T(cmplx.Conj(complex128(a))) },
	})
}

// Halves is the arithmetic of a 16-bit float type given by its conversions, of which narrow rounds to nearest even: each
// operation is computed in float32 and rounded.
func Halves[T any](widen func(T) float32, narrow func(float32) T) Arith[T] {
	f := Floats[float32]()
	rounded := func(op func(a, b float32) float32) func(a, b T) T {
		return func(a, b T) T { return narrow(op(widen(a), widen(b))) }
	}
	return withMean(Arith[T]{
		Zero: narrow(0),
		One:  narrow(1),
		Add:  rounded(f.Add),
		Sub:  rounded(f.Sub),
		Mul:  rounded(f.Mul),
		Min:  rounded(f.Min),
		Max:  rounded(f.Max),
		Div:  func(a T, n int) T { return narrow(f.Div(widen(a), n)) },
		Conj: func(a T) T { return a },
		Same: func(a, b T) bool { return f.Same(widen(a), widen(b)) },
	})
}

// withMean adds the mean made of Add and Div.
func withMean[T any](arith Arith[T]) Arith[T] {
	arith.Mean = func(values []T) T {
		sum := values[0]
		for _, v := range values[1:] {
			sum = arith.Add(sum, v)
		}
		return arith.Div(sum, len(values))
	}
	return arith
}
