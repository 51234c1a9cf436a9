package bag

import (
	"fmt"
	"math"
	"math/big"
	"math/rand"
	"slices"
	"testing"

	"gorgonia.org/gather/internal/memtest"
	"gorgonia.org/gather/internal/num"
	"gorgonia.org/gather/internal/simd"
	"gorgonia.org/gather/internal/turns"
)

// TestGradientOfMeanOfOne gives every position a bag of its own, in rows of many lengths:
// as many rows are divided as there are positions.
func TestGradientOfMeanOfOne(t *testing.T) {
	gradientOfMeanOfOne[float32](t, num.Float32)
	gradientOfMeanOfOne[float64](t, num.Float64)
}

func gradientOfMeanOfOne[T float32 | float64](t *testing.T, kind num.Kind) {
	const n = 1000
	for i, bytes := range []int{256, 1024, 2048, 4096, 8192, 12288} {
		if !turns.Case(2, i+kind.Width()/8) {
			continue
		}
		inner := bytes / kind.Width()
		grad, idx, dst, wanted := make([]T, n*inner), make([]int64, n), make([]T, n*inner), make([]T, n*inner)
		for p := range idx {
			idx[p] = int64(p * 7 % n)
			for i := range inner {
				grad[p*inner+i] = T(p*inner + i)
			}
			copy(wanted[int(idx[p])*inner:][:inner], grad[p*inner:])
		}
		d := Description{Kind: kind, Reduction: num.Mean, Rows: n, Inner: inner, Idx: num.Bytes(idx), Borders: Borders{Bags: n, PerBag: 1}, Default: -1}
		memtest.OnThreads(t, func(t *testing.T) {
			for _, impl := range simd.Implementations {
				clear(dst)
				restore := simd.Use(impl)
				bad := d.AddGradient(num.Bytes(dst), num.Bytes(grad))
				restore()
				if bad >= 0 {
					t.Fatalf("the index at %d is bad", bad)
				}
				if slices.Equal(dst, wanted) {
					continue
				}
				name := fmt.Sprintf("%s: kind %d, rows of %d bytes", impl.Name, kind, bytes)
				for i, want := range wanted {
					if got := dst[i]; got != want {
						t.Fatalf("%s: row %d, column %d is %v, want %v", name, i/inner, i%inner, got, want)
					}
				}
			}
		})
	}
}

// TestDivideWords has quotients next to whole numbers, and those of the greatest sums: they are rounded
// toward minus infinity in rows of any length.
func TestDivideWords(t *testing.T) {
	rng := rand.New(rand.NewSource(3))
	counts := []int32{0, 1, 2, 3, 4, 5, 6, 7, 9, 641, 1<<16 + 1, 1 << 30, 1<<30 + 1, math.MaxInt32 - 1, math.MaxInt32}
	for range 50 {
		counts = append(counts, rng.Int31()>>rng.Intn(31))
	}
	for _, count := range counts {
		n := max(1, int64(count))
		sums := []int64{0, 1, -1, n - 1, n, n + 1, -n - 1, -n, 1 - n, math.MaxInt64, math.MinInt64, math.MaxInt64 / n * n, math.MaxInt64/n*n - 1, math.MinInt64 / n * n}
		for range 20 {
			sums = append(sums, int64(rng.Uint64())>>rng.Intn(64))
		}
		for _, inner := range []int{1, 3, 4, len(sums)} {
			r := reader{row: inner * 8}
			got := slices.Clone(sums[:inner])
			r.divideWords(num.Bytes(got), []int32{count}, r.row)
			for i, sum := range sums[:inner] {
				if wanted := new(big.Int).Div(big.NewInt(sum), big.NewInt(n)).Int64(); got[i] != wanted { // n is positive: Euclidean division rounds down
					t.Errorf("%d columns: %d / %d = %d, wanted %d", inner, sum, n, got[i], wanted)
				}
			}
			rng.Shuffle(len(sums), func(i, j int) { sums[i], sums[j] = sums[j], sums[i] })
		}
	}
}
