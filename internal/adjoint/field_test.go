package adjoint

import (
	"math"
	"slices"
	"testing"

	"gorgonia.org/gather/internal/num"
)

// TestQuotients divides numbers of all sorts by counts below and above the least one, element by
// element and in rows, and wants the bits of a loop that looks at each count.
func TestQuotients(t *testing.T) {
	testQuotients(t, float32Field, []float32{math.Float32frombits(0x7fa00001), math.Float32frombits(0xffc00002)})
	testQuotients(t, float64Field, []float64{math.Float64frombits(0x7ff4000000000001), math.Float64frombits(0xfff8000000000002)})
}

func testQuotients[T float32 | float64](t *testing.T, f *field[T], nans []T) {
	t.Helper()
	inf := T(math.Inf(1))
	values := append(nans, 0, T(math.Copysign(0, -1)), 7, -1, inf, -inf)
	numbers := slices.Repeat(values, 4)
	for _, width := range []int{1, 2, 4} {
		counts := make([]int, len(numbers)/width)
		for i := range counts {
			counts[i] = i * width / len(values)
		}
		for _, least := range []int{1, 2} {
			got, want := make([]T, len(numbers)), make([]T, len(numbers))
			quotientsBy(f.divide)(want, numbers, counts, width, least)
			if f.quotients(got, numbers, counts, width, least); !slices.Equal(num.Bytes(got), num.Bytes(want)) {
				t.Errorf("%T, rows of %d, counts from %d on: %v, want %v", f.one, width, least, got, want)
			}
			copy(got, numbers)
			if f.quotients(got, got, counts, width, least); !slices.Equal(num.Bytes(got), num.Bytes(want)) {
				t.Errorf("%T, rows of %d, counts from %d on, in place: %v, want %v", f.one, width, least, got, want)
			}
		}
	}
}
