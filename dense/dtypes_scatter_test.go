package dense_test

import (
	"fmt"
	"math"
	"testing"

	"github.com/x448/float16"
	"gorgonia.org/gather/dense"
	"gorgonia.org/gather/internal/oracle"
)

// A scatterer is a dtype on which scatters can be run.
type scatterer interface {
	dtype
	scatter(c *scatterCall) error
	bits(t *testing.T, c *scatterCall) []byte
	reduces(r oracle.Reduction) bool
}

// reduces reports whether elements have a reduction.
func (e elements[T]) reduces(r oracle.Reduction) bool {
	arith := e.arithmetic()
	switch r {
	case oracle.None:
		return true
	case oracle.Add:
		return arith.Add != nil
	case oracle.Sub:
		return arith.Sub != nil
	case oracle.Mul:
		return arith.Mul != nil
	case oracle.Min:
		return arith.Min != nil
	case oracle.Max:
		return arith.Max != nil
	}
	return arith.Mean != nil
}

// arithmetic is all that elements have: a bool has no adjoint, but it has
// reductions, and an uintptr is a uint.
func (e elements[T]) arithmetic() oracle.Arith[T] {
	switch any(e.of(0)).(type) {
	case bool:
		return any(oracle.Bools()).(oracle.Arith[T])
	case uintptr:
		u := oracle.Integers[uint]()
		lift := func(f func(a, b uint) uint) func(a, b uintptr) uintptr {
			return func(a, b uintptr) uintptr { return uintptr(f(uint(a), uint(b))) }
		}
		return any(oracle.Arith[uintptr]{
			One: 1, Add: lift(u.Add), Sub: lift(u.Sub), Mul: lift(u.Mul), Min: lift(u.Min), Max: lift(u.Max),
			Mean: func(values []uintptr) uintptr {
				wide := make([]uint, len(values))
				for i, v := range values {
					wide[i] = uint(v)
				}
				return uintptr(u.Mean(wide))
			},
		}).(oracle.Arith[T])
	}
	return e.arith
}

// extremes are the elements that are easy to get wrong: the ends of the range,
// and what floats have beside numbers.
func (e elements[T]) extremes() []T {
	inf, nan := math.Inf(1), math.NaN()
	var all any
	switch any(e.of(0)).(type) {
	case int8:
		all = []int8{math.MinInt8, math.MaxInt8}
	case int16:
		all = []int16{math.MinInt16, math.MaxInt16}
	case int32:
		all = []int32{math.MinInt32, math.MaxInt32}
	case int64:
		all = []int64{math.MinInt64, math.MaxInt64}
	case int:
		all = []int{math.MinInt, math.MaxInt}
	case uint8:
		all = []uint8{math.MaxUint8}
	case uint16:
		all = []uint16{math.MaxUint16}
	case uint32:
		all = []uint32{math.MaxUint32}
	case uint64:
		all = []uint64{math.MaxUint64}
	case uint:
		all = []uint{math.MaxUint}
	case float16.Float16:
		all = []float16.Float16{float16.Inf(1), float16.Inf(-1), float16.NaN(), 0x8000, 0x7bff}
	case dense.BF16:
		all = []dense.BF16{0x7f80, 0xff80, 0x7fc0, 0x8000, 0x7f7f}
	case float32:
		all = []float32{float32(inf), float32(-inf), float32(nan), float32(math.Copysign(0, -1)), math.MaxFloat32}
	case float64:
		all = []float64{inf, -inf, nan, math.Copysign(0, -1), math.MaxFloat64}
	case complex64:
		all = []complex64{complex(float32(inf), 0), complex(0, float32(nan))}
	case complex128:
		all = []complex128{complex(inf, 0), complex(0, nan)}
	default:
		return nil
	}
	return all.([]T)
}

// drawn is n elements that a seed determines. Few numbers occur, so that
// updates tie; some are zero, and one in ten is an extreme.
func (e elements[T]) drawn(seed int64, n int) []T {
	extremes := e.extremes()
	out := make([]T, n)
	state := uint64(seed)*2654435761 + 12345
	for i := range out {
		state = state*6364136223846793005 + 1442695040888963407
		v := int64(state >> 33)
		out[i] = e.of(v%19 - 6)
		if len(extremes) > 0 && v/19%10 == 0 && seed%3 > 0 {
			out[i] = extremes[int(v/190)%len(extremes)]
		}
	}
	return out
}

// different is difference, to which all NaN are one: a processor chooses their
// bits as it likes.
func (e elements[T]) different(got, want []T) error {
	if len(got) != len(want) {
		return fmt.Errorf("%d elements, want %d", len(got), len(want))
	}
	for i := range got {
		if isNaN(got[i]) && isNaN(want[i]) {
			continue
		}
		if err := difference(got[i:i+1], want[i:i+1]); err != nil {
			return fmt.Errorf("element %d of %d: %w: got %v, want %v", i, len(got), err, got, want)
		}
	}
	return nil
}

// isNaN reports whether an element is no number. Of a complex number with one
// NaN and one infinite part it is up to the compiler which part is which.
func isNaN[T any](v T) bool {
	switch v := any(v).(type) {
	case float16.Float16:
		return v.IsNaN()
	case dense.BF16:
		return math.IsNaN(float64(fromBF16(v)))
	case float32:
		return math.IsNaN(float64(v))
	case float64:
		return math.IsNaN(v)
	case complex64:
		return math.IsNaN(float64(real(v))) || math.IsNaN(float64(imag(v)))
	case complex128:
		return math.IsNaN(real(v)) || math.IsNaN(imag(v))
	}
	return false
}
