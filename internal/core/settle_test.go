package core

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gorgonia.org/gather/internal/memtest"
	"gorgonia.org/gather/internal/num"
	"gorgonia.org/gather/internal/plan"
	"gorgonia.org/gather/internal/simd"
)

// TestClampInVectors compares each implementation with the formula, in memory that ends
// where a page cannot be read or begins behind one.
func TestClampInVectors(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	odd := []int64{math.MinInt64, math.MinInt64 + 1, -1 << 32, -1<<31 - 1, -1, 0, 1, 1<<31 - 1, 1 << 31, 1 << 32, math.MaxInt64}
	for n, length := range []int{0, 1, 7, 8, 9, 23, 64, simd.ItemsAtOnce - 1, simd.ItemsAtOnce + 17, 3 * simd.ItemsAtOnce} {
		for _, size := range []int{1, 3, 1000, math.MaxInt32} {
			for _, nonNegative := range []bool{false, true} {
				from := num.As[int64](memtest.Paged(t, 8*length, n%2 == 0))
				want := make([]int32, length)
				for i := range from {
					if from[i] = rng.Int64N(4*int64(size)) - 2*int64(size); rng.IntN(5) == 0 {
						from[i] = odd[rng.IntN(len(odd))]
					}
					v := from[i]
					if v < 0 && !nonNegative {
						v += int64(size)
					}
					want[i] = int32(min(max(v, 0), int64(size)-1))
				}
				for _, i := range simd.Implementations {
					restore := simd.Use(i)
					to := num.As[int32](memtest.Paged(t, 4*length, n%2 == 0))
					c := settling{to: num.Bytes(to), from: num.Bytes(from), to32: true, rule: rule{[]int{size}, plan.Settings{OutOfRange: plan.Clamp, NonNegative: nonNegative}}}
					c.Piece(0, length)
					restore()
					if !slices.Equal(to, want) {
						t.Fatalf("%s: %d indices of %d elements, non-negative %v: %v is clamped to %v, want %v", i.Name, length, size, nonNegative, from, to, want)
					}
				}
			}
		}
	}
}
