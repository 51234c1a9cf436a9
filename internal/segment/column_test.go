package segment_test

import (
	"fmt"
	"math"
	"math/rand"
	"slices"
	"testing"

	"gorgonia.org/gather/internal/num"
	"gorgonia.org/gather/internal/par"
	"gorgonia.org/gather/internal/segment"
)

// TestColumn compares reductions of numbers with sums, products and extremes made number
// by number, in one piece and in many: segments longer than a piece, empty ones before,
// between and behind, NaN and zeros of both signs.
func TestColumn(t *testing.T) {
	rng := rand.New(rand.NewSource(5))
	for _, cores := range []int{1, 4} {
		restore := par.UseCores(cores)
		for _, n := range []int{1, 2, 300, 150000} {
			for _, segments := range []int{1, 7, n/2 + 1, 3*n + 1} {
				ids := make([]int64, n)
				for i := range ids {
					ids[i] = rng.Int63n(int64(segments))
				}
				slices.Sort(ids)
				name := fmt.Sprintf("%d numbers, %d segments, %d cores", n, segments, cores)
				testColumn(t, name, num.Float32, ids, segments, func() float32 { return float32(special(rng)) })
				testColumn(t, name, num.Float64, ids, segments, func() float64 { return special(rng) })
				testColumn(t, name, num.Int8, ids, segments, func() int8 { return int8(rng.Int()) })
				testColumn(t, name, num.Uint64, ids, segments, func() uint64 { return rng.Uint64() })
			}
		}
		restore()
	}
}

// special is a number, now and then a zero of either sign, and seldom NaN.
func special(rng *rand.Rand) float64 {
	switch rng.Intn(5000) {
	case 0:
		return math.NaN()
	case 1, 2:
		return 0
	case 3, 4:
		return math.Copysign(0, -1)
	}
	return float64(rng.Intn(2000)-1000) / 64
}

func testColumn[T num.Real](t *testing.T, name string, kind num.Kind, ids []int64, segments int, draw func() T) {
	t.Helper()
	x, short := make([]T, len(ids)), make([]int32, len(ids))
	for i := range x {
		x[i], short[i] = draw(), int32(ids[i])
	}
	for _, r := range []num.Reduction{num.Add, num.Mul, num.Min, num.Max, num.Mean} {
		if !segment.HasColumn(kind, r) {
			continue
		}
		want, counts := make([]T, segments), make([]int, segments)
		for i := range want {
			if want[i] = 77; r == num.Mul {
				want[i] = 1
			}
		}
		for i, s := range ids {
			switch counts[s]++; {
			case r == num.Mul:
				want[s] *= x[i]
			case counts[s] == 1:
				want[s] = 0 + x[i]
				if r == num.Min || r == num.Max {
					want[s] = x[i]
				}
			case r == num.Min:
				want[s] = min(want[s], x[i])
			case r == num.Max:
				want[s] = max(want[s], x[i])
			default:
				want[s] += x[i]
			}
		}
		for s, count := range counts {
			switch {
			case count == 0:
				want[s] = 77
			case r == num.Mean:
				want[s] /= T(count)
			}
		}
		c := segment.Column{Kind: kind, Reduction: r, X: num.Bytes(x), IDs: num.Bytes(ids), Empty: num.Bytes([]T{77})}
		for _, c.Short = range []bool{false, true} {
			if c.Short {
				c.IDs = num.Bytes(short)
			}
			got := make([]T, segments)
			c.Reduce(num.Bytes(got))
			for s := range got {
				if got[s] != want[s] && (got[s] == got[s] || want[s] == want[s]) || 1/float64(got[s]) != 1/float64(want[s]) && got[s] == 0 {
					t.Fatalf("%s of %T, %v: segment %d is %v, want %v", name, x[0], r, s, got[s], want[s])
				}
			}
		}
	}
}
