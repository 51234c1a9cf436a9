package simd_test

import (
	"math/rand/v2"
	"slices"
	"testing"

	"gorgonia.org/gather/internal/memtest"
	"gorgonia.org/gather/internal/num"
	"gorgonia.org/gather/internal/simd"
)

// lengths are those of rows up to some vectors, and more than are unrolled.
var lengths = []int{1, 2, 3, 4, 5, 7, 8, 9, 12, 15, 16, 17, 31, 32, 33, 67}

// TestCombinedRows compares the loops over rows and over elements at offsets, for every kind
// and reduction, with combinations one by one: several rows for one target among them.
func TestCombinedRows(t *testing.T) {
	skipRaces(t)
	for _, impl := range simd.Implementations {
		for _, k := range allKinds {
			k.testRows(t, impl)
		}
	}
}

func (k plain[T]) testRows(t *testing.T, impl *simd.Implementation) {
	rng := rand.New(rand.NewPCG(21, uint64(k.kind)))
	for r, reduce := range k.reduce {
		loops := impl.Combine[k.kind][r]
		if (loops.Rows == nil) != (reduce == nil) {
			t.Fatalf("%s: there is a loop: %v", what(impl, k.kind, "rows", r), loops.Rows != nil)
		}
		if reduce == nil {
			continue
		}
		for i, length := range lengths {
			k.combine(t, rng, impl, "rows", loops.Rows, r, length, 1+i%7*3)
		}
		for _, n := range []int{1, 2, 3, 8, 33} {
			k.combine(t, rng, impl, "offsets", loops.Offsets, r, 1, n)
			if loops.Same != nil {
				for columns := 1; columns <= 3; columns++ {
					k.combine(t, rng, impl, "same", loops.Same, r, columns, n)
				}
			}
			if loops.FewRows != nil {
				k.combine(t, rng, impl, "few", loops.FewRows, r, 1, n)
				k.combine(t, rng, impl, "few", loops.FewRows, r, 3, n)
			}
		}
	}
}

// combine runs a loop on n rows of items, with gaps between them, and some of data.
func (k plain[T]) combine(t *testing.T, rng *rand.Rand, impl *simd.Implementation, name string, loop simd.ScatterLoop, r, length, n int) {
	t.Helper()
	rows, step := 5, length+rng.IntN(3)
	if name == "same" {
		rows = 1
	}
	if name != "rows" && impl != simd.Go {
		step = length // those in assembly know no gaps
	}
	want, items := k.draws(rng, rows*length), k.draws(rng, (n-1)*step+length)
	data, from := memtest.Copy(want, rng), memtest.Copy(items, rng)
	offsets, places := make([]int64, n), make([]int64, n)
	for i, place := range rng.Perm(n) {
		row := rng.IntN(rows)
		offsets[i], places[i] = int64(row*length*k.width()), int64(place)
		for c, x := range items[place*step:][:length] {
			want[row*length+c] = k.reduce[r](want[row*length+c], x)
		}
	}
	loop(num.Pointer(data.Mem), num.Pointer(from.Mem), ahead(offsets), ahead(places), n, length*k.width(), step*k.width(), simd.Distance(length*k.width()))
	k.same(t, what(impl, k.kind, name, "reduction", r, n, "rows of", length), data, want)
}

// TestCombinedBools: the sum of bools is or, their product and, and their difference
// tells whether they differ.
func TestCombinedBools(t *testing.T) {
	for _, impl := range simd.Implementations {
		for r, want := range map[num.Reduction][]byte{
			num.Add: {0, 1, 1, 1}, num.Max: {0, 1, 1, 1}, num.Mul: {0, 0, 0, 1}, num.Min: {0, 0, 0, 1}, num.Sub: {0, 1, 1, 0},
		} {
			for _, loop := range []simd.ScatterLoop{impl.Combine[num.Bool][r].Rows, impl.Combine[num.Bool][r].Offsets} {
				data, items := []byte{0, 0, 1, 1}, []byte{0, 1, 0, 1}
				offsets, places := ahead([]int64{0, 1, 2, 3}), ahead([]int64{0, 1, 2, 3})
				loop(&data[0], &items[0], offsets, places, 4, 1, 1, simd.Distance(1))
				if !slices.Equal(data, want) {
					t.Errorf("%s, %v: %v, want %v", impl.Name, r, data, want)
				}
			}
		}
	}
}
