package kernel

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// TestResolve: indices are counted from the front up to the first that is out of range,
// and those from it on are as they were.
func TestResolve(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	for _, impl := range Implementations {
		t.Run(impl.Name, func(t *testing.T) {
			defer Use(impl)()
			for _, n := range []int{0, 1, 3, 15, 16, 17, 64, 511, 512, 513, 5000} {
				for _, size := range []int{1, 2, 1000, math.MaxInt32} {
					for _, nonNegative := range []bool{false, true} {
						for _, bad := range []int64{0, math.MinInt64, math.MaxInt64, int64(size), -int64(size) - 1} {
							checkResolve(t, rng, n, size, nonNegative, bad)
						}
					}
				}
			}
		})
	}
}

// checkResolve draws n indices, with a bad one somewhere unless that is 0.
func checkResolve(t *testing.T, rng *rand.Rand, n, size int, nonNegative bool, bad int64) {
	t.Helper()
	idx := make([]int64, n)
	for i := range idx {
		idx[i] = rng.Int64N(int64(size))
		if !nonNegative && rng.IntN(3) == 0 {
			idx[i] -= int64(size)
		}
	}
	good := n
	if bad != 0 && n > 0 {
		good = rng.IntN(n)
		idx[good] = bad
	}
	want := slices.Clone(idx)
	for i, v := range want[:good] {
		if v < 0 {
			want[i] += int64(size)
		}
	}
	what := fmt.Sprintf("%d indices below %d, non-negative: %v, a bad one %d", n, size, nonNegative, bad)
	if got := Resolve(idx, size, nonNegative); got != good {
		t.Fatalf("%s: %d are done, want %d", what, got, good)
	}
	if !slices.Equal(idx, want) {
		t.Fatalf("%s: not as they should be", what)
	}
}
