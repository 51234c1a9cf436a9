package num

import (
	"math/big"
	"math/rand/v2"
	"testing"
)

// TestWide compares means with those of math/big: of numbers at the ends of their ranges,
// whose sums overflow.
func TestWide(t *testing.T) {
	testWide[int8](t)
	testWide[int32](t)
	testWide[int64](t)
	testWide[uint8](t)
	testWide[uint32](t)
	testWide[uint64](t)
}

func testWide[T Integer](t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	greatest := ^T(0)
	if greatest < 0 {
		greatest = T(^uint64(0) >> 1 >> (64 - 8*len(Bytes([]T{0}))))
	}
	for range 2000 {
		var sums [2]Wide
		n, sum := 1+rng.IntN(9), new(big.Int)
		for range n {
			x := []T{0, 1, greatest, greatest + 1, greatest - T(rng.IntN(3)), T(rng.Uint64())}[rng.IntN(6)]
			AddWide(sums[:], []T{x, 3})
			if x < 0 {
				sum.Add(sum, big.NewInt(int64(x)))
			} else {
				sum.Add(sum, new(big.Int).SetUint64(uint64(x)))
			}
		}
		mean := new(big.Int).Div(sum, big.NewInt(int64(n))) // Euclidean: toward minus infinity
		want := T(mean.Int64())
		if mean.Sign() > 0 {
			want = T(mean.Uint64())
		}
		if got := MeanOf[T](sums[0], n); got != want || MeanOf[T](sums[1], n) != 3 {
			t.Fatalf("the mean of %d %T is %d, want %d", n, want, got, want)
		}
	}
}
