package num

import (
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
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

// TestDivideRows has quotients next to whole numbers, and those of the greatest sums: they are rounded
// toward minus infinity in rows of any length.
func TestDivideRows(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	counts := []int32{0, 1, 2, 3, 4, 5, 6, 7, 9, 641, 1<<16 + 1, 1 << 30, 1<<30 + 1, math.MaxInt32 - 1, math.MaxInt32}
	for range 50 {
		counts = append(counts, rng.Int32()>>rng.IntN(31))
	}
	for _, count := range counts {
		n := max(1, int64(count))
		sums := []int64{0, 1, -1, n - 1, n, n + 1, -n - 1, -n, 1 - n, math.MaxInt64, math.MinInt64, math.MaxInt64 / n * n, math.MaxInt64/n*n - 1, math.MinInt64 / n * n}
		for range 20 {
			sums = append(sums, int64(rng.Uint64())>>rng.IntN(64))
		}
		for _, inner := range []int{1, 3, 4, len(sums)} {
			got := slices.Clone(sums[:inner])
			DivideRows(As[uint64](Bytes(got)), []int32{count}, inner, inner)
			for i, sum := range sums[:inner] {
				if wanted := new(big.Int).Div(big.NewInt(sum), big.NewInt(n)).Int64(); got[i] != wanted { // n is positive: Euclidean division rounds down
					t.Errorf("%d columns: %d / %d = %d, wanted %d", inner, sum, n, got[i], wanted)
				}
			}
			rng.Shuffle(len(sums), func(i, j int) { sums[i], sums[j] = sums[j], sums[i] })
		}
	}
}

// TestAscending: of up to twenty numbers none may be less than the one before, wherever it is.
func TestAscending(t *testing.T) {
	for n := range 20 {
		numbers := make([]int64, n)
		for i := range numbers {
			numbers[i] = int64(i/2) + math.MinInt64
		}
		if !Ascending(numbers) {
			t.Errorf("%d: not ascending", numbers)
		}
		for i := range max(n-1, 0) {
			wrong := slices.Clone(numbers)
			wrong[i] = math.MaxInt64
			if Ascending(wrong) {
				t.Errorf("%d: ascending", wrong)
			}
		}
	}
}
