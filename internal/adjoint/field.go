package adjoint

import (
	"gorgonia.org/gather/internal/num"
	"gorgonia.org/gather/internal/par"
)

// scalar is what the elements of a kind with gradients are stored as.
type scalar interface {
	uint16 | float32 | float64 | complex64 | complex128
}

// field is the arithmetic of elements, as functions: complex numbers have conjugates, and
// 16-bit floats are computed in float32. The loops use it where their parameter A is byFunction.
type field[T scalar] struct {
	one           T
	add, sub, mul func(a, b T) T
	divide        func(a T, n int) T
	conj          func(a T) T    // nil for real numbers
	least, most   func(a, b T) T // nil for complex numbers, which have no order
	// quotients is to[j] = from[j] / n, where n = counts[j/width] is not less than
	// least, which is 1 or 2, and else from[j].
	quotients func(to, from []T, counts []int, width, least int)
}

// arithmetic is how loops compute, as a type for each way. Types of different memory
// layout are compiled separately, and the length of an array is a constant there.
type arithmetic interface{ native | byFunction }

type (
	native     [1]byte // with Go's own operators: float32 and float64
	byFunction [2]byte // with the functions of a field
)

func sum[A arithmetic, T scalar](f *field[T], a, b T) T {
	var way A
	if len(way) == len(native{}) {
		return a + b
	}
	return f.add(a, b)
}

func product[A arithmetic, T scalar](f *field[T], a, b T) T {
	var way A
	if len(way) == len(native{}) {
		return a * b
	}
	return f.mul(a, b)
}

func conjugate[A arithmetic, T scalar](f *field[T], a T) T {
	var way A
	if len(way) == len(native{}) || f.conj == nil {
		return a
	}
	return f.conj(a)
}

// realField has what loops do not compute with Go's own operators.
func realField[T float32 | float64]() *field[T] {
	return &field[T]{one: 1, sub: minus[T], divide: func(a T, n int) T { return a / T(n) }, quotients: realQuotients[T]}
}

func plus[T scalar](a, b T) T  { return a + b }
func minus[T scalar](a, b T) T { return a - b }
func times[T scalar](a, b T) T { return a * b }

// realQuotients divides by 1, too, which changes nothing but a NaN that signals: where to
// divide is a branch that no processor can predict.
func realQuotients[T float32 | float64](to, from []T, counts []int, width, least int) {
	if width > 1 {
		for j, n := range counts {
			to, from, divisor := to[j*width:][:width], from[j*width:][:width], T(n)
			if n < least {
				par.Copy(to, from)
				continue
			}
			for i, v := range from {
				to[i] = v / divisor
			}
		}
		return
	}
	to, from = to[:len(counts)], from[:len(counts)]
	for j, n := range counts {
		v := from[j]
		quotient := v / T(max(n, 1))
		if quotient != quotient && n < least {
			quotient = v
		}
		to[j] = quotient
	}
}

// quotientsBy are those of a field by its functions.
func quotientsBy[T scalar](divide func(a T, n int) T) func(to, from []T, counts []int, width, least int) {
	return func(to, from []T, counts []int, width, least int) {
		for j, n := range counts {
			for i := j * width; i < (j+1)*width; i++ {
				if to[i] = from[i]; n >= least {
					to[i] = divide(from[i], n)
				}
			}
		}
	}
}

func halfField(to func(uint16) float32, from func(float32) uint16) *field[uint16] {
	halves := func(f func(a, b float32) float32) func(a, b uint16) uint16 {
		return func(a, b uint16) uint16 { return from(f(to(a), to(b))) }
	}
	divide := func(a uint16, n int) uint16 { return from(to(a) / float32(n)) }
	return &field[uint16]{
		one: from(1), add: halves(plus[float32]), sub: halves(minus[float32]), mul: halves(times[float32]),
		divide:    divide,
		least:     halves(better[least, float32]),
		most:      halves(better[most, float32]),
		quotients: quotientsBy(divide),
	}
}

func complexField[T complex64 | complex128](conj func(a T) T, divide func(a T, n int) T) *field[T] {
	return &field[T]{
		one: 1, add: plus[T], sub: minus[T], mul: times[T],
		divide:    divide,
		conj:      conj,
		quotients: quotientsBy(divide),
	}
}

var (
	float32Field   = realField[float32]()
	float64Field   = realField[float64]()
	float16Field   = halfField(num.Float16To32, num.Float16From32)
	bfloat16Field  = halfField(num.BFloat16To32, num.BFloat16From32)
	complex64Field = complexField(
		func(a complex64) complex64 { return complex(real(a), -imag(a)) }, num.DivideComplex64)
	complex128Field = complexField(
		func(a complex128) complex128 { return complex(real(a), -imag(a)) }, num.DivideComplex128)
)
