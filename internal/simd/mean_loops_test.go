package simd_test

import (
	"math/rand/v2"
	"testing"

	"gorgonia.org/gather/internal/memtest"
	"gorgonia.org/gather/internal/num"
	"gorgonia.org/gather/internal/simd"
)

// TestMeanLoops divides sums one by one, and rows of them, also more than go at once.
func TestMeanLoops(t *testing.T) {
	skipRaces(t)
	for _, impl := range simd.Implementations {
		for _, k := range allKinds {
			k.testMeans(t, impl)
		}
	}
}

func (k plain[T]) testMeans(t *testing.T, impl *simd.Implementation) {
	loops := impl.Means[k.kind]
	if (loops == nil) != (k.divide == nil) {
		t.Fatalf("%s: there are loops: %v", what(impl, k.kind, "means"), loops != nil)
	}
	if loops == nil {
		return
	}
	rng := rand.New(rand.NewPCG(24, uint64(k.kind)))
	more := simd.RowBytesAtOnce/k.width() + 5 // than go at once
	for i, n := range append(lengths, 0, more) {
		sums, counts, extra := k.draws(rng, n), make([]int32, n), i%2
		want := make([]T, n)
		for j := range counts {
			counts[j] = int32(rng.IntN(3)) << (rng.IntN(2) * 20)
			if want[j] = sums[j]; counts[j] > 0 {
				want[j] = k.divide(sums[j], int(counts[j])+extra)
			}
		}
		to, by := memtest.Copy(sums, rng), memtest.Copy(counts, rng)
		none := plainInteger[int32](num.Int32)
		loops.Quotients(num.Pointer(to.Mem), num.Pointer(by.Mem), n, extra)
		k.same(t, what(impl, k.kind, "quotients", n), to, want)
		none.same(t, what(impl, k.kind, "counts of quotients", n), by, make([]int32, n))

		to, by = memtest.Copy(sums, rng), memtest.Copy(counts, rng)
		loops.Divide(to.Mem, by.Mem, extra)
		k.same(t, what(impl, k.kind, "divided", n), to, want)
		none.same(t, what(impl, k.kind, "counts of what is divided", n), by, make([]int32, n))
	}
	for i, length := range append(lengths, more) {
		const rows = 5
		n := 1 + i%4
		want := k.draws(rng, rows*length)
		block := memtest.Copy(want, rng)
		at, by := make([]int64, n, n+simd.Lookahead), make([]int32, n)
		for j, row := range rng.Perm(rows)[:n] {
			at[j], by[j] = int64(row*length*k.width()), int32(1+rng.IntN(9))
			for c := range length {
				want[row*length+c] = k.divide(want[row*length+c], int(by[j]))
			}
		}
		loops.DivideRows(block.Mem, at, by, length*k.width())
		k.same(t, what(impl, k.kind, "rows divided", n, "of", length), block, want)
	}
}
