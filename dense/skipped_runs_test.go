package dense_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"gorgonia.org/gather/dense"
	"gorgonia.org/gather/internal/layout"
	"gorgonia.org/tensor"
)

// TestSkippedRuns scatters and gathers runs of contiguous elements, longer than what a loop takes
// at once, of which some, many or all indices are out of range, of both signs.
func TestSkippedRuns(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 8))
	for _, n := range []int{17, 300, 4096, 9001} {
		for _, size := range []int{1, 2, 700} {
			for _, percent := range []int{1, 30, 100} {
				indices, narrow := make([]int64, n), make([]int32, n)
				for i := range indices {
					indices[i] = int64(rng.IntN(2*size) - size)
					if i%max(1, n/3) == 0 || rng.IntN(100) < percent {
						indices[i] = []int64{int64(size), -int64(size) - 1}[rng.IntN(2)]
					}
					narrow[i] = int32(indices[i])
				}
				what := fmt.Sprintf("%d of %d, %d %%", n, size, percent)
				for _, idx := range []*tensor.Dense{values(dims{n}, indices...), values(dims{n}, narrow...)} {
					skippedRuns[float32](t, what, idx, indices, size)
					skippedRuns[uint8](t, what, idx, indices, size)
					skippedRuns[int64](t, what, idx, indices, size)
				}
			}
		}
	}
}

func skippedRuns[T float32 | uint8 | int64](t *testing.T, what string, idx *tensor.Dense, indices []int64, size int) {
	n := len(indices)
	updates, old := make([]T, n), make([]T, size)
	for i := range updates {
		updates[i] = T(i*7%101 + 1)
	}
	for i := range old {
		old[i] = T(i % 50)
	}
	place := func(j int64) int64 { // or below 0
		if j < 0 {
			j += int64(size)
		}
		if j >= int64(size) {
			return -1
		}
		return j
	}
	for r, combine := range map[dense.Reduction]func(a, b T) T{
		dense.None: func(_, b T) T { return b },
		dense.Add:  func(a, b T) T { return a + b },
		dense.Max:  func(a, b T) T { return max(a, b) },
	} {
		want := append([]T(nil), old...)
		for i, j := range indices {
			if j = place(j); j >= 0 {
				want[j] = combine(want[j], updates[i])
			}
		}
		got, err := dense.ScatterElements(values(dims{size}, old...), idx, values(dims{n}, updates...), 0, dense.WithReduction(r), dense.WithOutOfRange(dense.Skip))
		if err != nil {
			t.Fatal(err)
		}
		if !layout.Identical(got.Data().([]T), want) {
			t.Errorf("%s, %T, %v, %v: wrong sums or elements", what, old, idx.Dtype(), r)
		}
	}
	want := make([]T, n)
	for i, j := range indices {
		if j = place(j); j >= 0 {
			want[i] = old[j]
		}
	}
	got, err := dense.GatherElements(values(dims{size}, old...), idx, 0, dense.WithOutOfRange(dense.ZeroFill))
	if err != nil {
		t.Fatal(err)
	}
	if !layout.Identical(got.Data().([]T), want) {
		t.Errorf("%s, %T, %v: wrong elements gathered", what, old, idx.Dtype())
	}
}
