package simd_test

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"testing"
	"unsafe"

	"gorgonia.org/gather/internal/memtest"
	"gorgonia.org/gather/internal/num"
	"gorgonia.org/gather/internal/race"
	"gorgonia.org/gather/internal/simd"
)

// plain is the arithmetic of a kind, written here once more, for the loops that the
// loops of this package are compared with.
type plain[T any] struct {
	kind        num.Kind
	reduce      [num.Reductions]func(a, b T) T // nil: there is no such reduction
	times, plus func(a, b T) T                 // rounded
	conj        func(x T) T
	divide      func(a T, n int) T // nil: no means in this package
	nan         func(x T) bool
	draw        func(rng *rand.Rand) T
}

// allKinds are all that Go computes with, and 16-bit floats.
var allKinds = []interface {
	testRows(t *testing.T, impl *simd.Implementation)
	testBags(t *testing.T, impl *simd.Implementation)
	testScaledRows(t *testing.T, impl *simd.Implementation)
	testMeans(t *testing.T, impl *simd.Implementation)
}{
	plainInteger[int8](num.Int8), plainInteger[int16](num.Int16), plainInteger[int32](num.Int32), plainInteger[int64](num.Int64),
	plainInteger[uint8](num.Uint8), plainInteger[uint16](num.Uint16), plainInteger[uint32](num.Uint32), plainInteger[uint64](num.Uint64),
	plainFloat[float32](num.Float32), plainFloat[float64](num.Float64),
	plainHalf(num.Float16, num.Float16To32, num.Float16From32), plainHalf(num.BFloat16, num.BFloat16To32, num.BFloat16From32),
	plainComplex[complex64](num.Complex64, func(re, im int) complex64 { return complex(float32(re), float32(im)) }),
	plainComplex[complex128](num.Complex128, func(re, im int) complex128 { return complex(float64(re), float64(im)) }),
}

// skipRaces leaves a test of loops in one goroutine out where there is nothing to find.
func skipRaces(t *testing.T) {
	t.Helper()
	if race.Enabled {
		t.Skip("the loops run in one goroutine, and Go is compiled otherwise")
	}
}

func plainReal[T num.Real](kind num.Kind, draw func(rng *rand.Rand) T) plain[T] {
	return plain[T]{
		kind: kind, draw: draw,
		reduce: [num.Reductions]func(a, b T) T{
			num.Add: func(a, b T) T { return a + b }, num.Sub: func(a, b T) T { return a - b }, num.Mul: func(a, b T) T { return a * b },
			num.Min: func(a, b T) T { return min(a, b) }, num.Max: func(a, b T) T { return max(a, b) },
		},
		times: func(a, b T) T { return T(a * b) }, plus: func(a, b T) T { return a + b },
		conj: func(x T) T { return x },
		nan:  func(x T) bool { return x != x },
	}
}

func plainInteger[T num.Integer](kind num.Kind) plain[T] {
	return plainReal(kind, func(rng *rand.Rand) T {
		if rng.IntN(2) == 0 {
			return T(rng.IntN(5))
		}
		return T(rng.Uint64())
	})
}

func plainFloat[T float32 | float64](kind num.Kind) plain[T] {
	k := plainReal(kind, func(rng *rand.Rand) T { return T(memtest.DrawFloat(rng)) })
	k.divide = func(a T, n int) T { return a / T(n) }
	return k
}

func plainHalf(kind num.Kind, to func(uint16) float32, from func(float32) uint16) plain[uint16] {
	f := plainFloat[float32](num.Float32)
	k := plain[uint16]{
		kind: kind, draw: func(rng *rand.Rand) uint16 { return from(float32(memtest.DrawFloat(rng))) },
		conj:   func(x uint16) uint16 { return x },
		divide: func(a uint16, n int) uint16 { return from(to(a) / float32(n)) },
		nan:    func(x uint16) bool { return to(x) != to(x) },
	}
	for r, reduce := range f.reduce {
		if reduce != nil {
			k.reduce[r] = func(a, b uint16) uint16 { return from(reduce(to(a), to(b))) }
		}
	}
	k.times, k.plus = k.reduce[num.Mul], k.reduce[num.Add]
	return k
}

// plainComplex has small whole numbers, of which no sum or product is rounded.
func plainComplex[T complex64 | complex128](kind num.Kind, whole func(re, im int) T) plain[T] {
	k := plain[T]{
		kind: kind, draw: func(rng *rand.Rand) T { return whole(rng.IntN(5)-2, rng.IntN(5)-2) },
		times: func(a, b T) T { return a * b }, plus: func(a, b T) T { return a + b },
		conj:   func(x T) T { return whole(int(real(complex128(x))), -int(imag(complex128(x)))) },
		divide: func(a T, n int) T { return a / whole(n, 0) },
		nan:    func(T) bool { return false },
	}
	k.reduce[num.Add], k.reduce[num.Mul] = k.plus, k.times
	k.reduce[num.Sub] = func(a, b T) T { return a - b }
	return k
}

func (k plain[T]) width() int { return int(unsafe.Sizeof(*new(T))) }

func (k plain[T]) draws(rng *rand.Rand, n int) []T {
	all := make([]T, n)
	for i := range all {
		if many := 997; i < many {
			all[i] = k.draw(rng)
		} else {
			all[i] = all[i-many] // of so many again
		}
	}
	return all
}

// same fails the test unless memory holds the numbers, bit for bit but for NaN and, of
// whole complex numbers, the sign of zero, and nothing around it was written.
func (k plain[T]) same(t *testing.T, what string, got memtest.Guarded, want []T) {
	t.Helper()
	got.Check(t, what)
	if bytes.Equal(got.Mem, num.Bytes(want)) {
		return
	}
	for i, x := range num.As[T](got.Mem) {
		if bytes.Equal(num.Bytes([]T{x}), num.Bytes(want[i:i+1])) || k.nan(x) && k.nan(want[i]) {
			continue
		}
		if k.isComplex() && any(x) == any(want[i]) {
			continue
		}
		t.Fatalf("%s: element %d is %v, want %v", what, i, x, want[i])
	}
}

func what(impl *simd.Implementation, kind num.Kind, loop string, n ...any) string {
	return fmt.Sprintf("%s, kind %d, %s, %v", impl.Name, kind, loop, n)
}

// ahead are numbers of rows with room behind them for the loops that look ahead.
func ahead(all []int64) *int64 { return &append(all, make([]int64, simd.PackedLookahead)...)[0] }

func (k plain[T]) isComplex() bool { return k.kind == num.Complex64 || k.kind == num.Complex128 }
