package simd

import (
	"fmt"
	"math"
	"math/bits"
	"math/rand/v2"
	"slices"
	"testing"
)

// TestResolveInPlace: indices are counted from the front up to the first that is out of range,
// and those from it on are as they were.
func TestResolveInPlace(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	for _, n := range []int{0, 1, 3, 15, 16, 17, 64, 511, 512, 513, 5000} {
		for _, size := range []int{1, 2, 1000, math.MaxInt32} {
			for _, nonNegative := range []bool{false, true} {
				for _, bad := range []int64{0, math.MinInt64, math.MaxInt64, int64(size), -int64(size) - 1} {
					checkResolveInPlace(t, rng, n, size, nonNegative, bad)
				}
			}
		}
	}
}

// checkResolveInPlace draws n indices, with a bad one somewhere unless that is 0.
func checkResolveInPlace(t *testing.T, rng *rand.Rand, n, size int, nonNegative bool, bad int64) {
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
	if got := Resolve(idx, idx, AxisOf(size, nonNegative, 1), 0, 0); got != good {
		t.Fatalf("%s: %d are done, want %d", what, got, good)
	}
	if !slices.Equal(idx, want) {
		t.Fatalf("%s: not as they should be", what)
	}
}

// TestResolveAtItsBounds turns indices into offsets where the size of the axis,
// the stride and the step are just below what 32 bits hold, and just above.
func TestResolveAtItsBounds(t *testing.T) {
	if bits.UintSize == 32 {
		t.Skip("no step is so long here")
	}
	const n = 53
	for _, size := range []int64{7, 1<<32 - 1, 1 << 32, 1<<32 + 1} {
		for _, stride := range []int64{3, 1<<31 + 1, 1<<32 - 1, 1 << 32, 1<<32 + 1} {
			for _, step := range []int64{0, 5, 1<<32 - 1, 1 << 32, 1<<32 + 1} {
				idx, want := make([]int64, n), make([]int64, n)
				for i := range idx {
					j := int64(i) % 7
					if i%3 == 0 {
						j = size - 1 - j
					}
					if j >= 1<<29 {
						j &= 1<<29 - 1 // else the offsets would not fit
						if i%2 == 0 && stride < 8 {
							j = size - 1
						}
					}
					want[i] = j*stride + int64(i)*step
					if idx[i] = j; i%5 == 0 {
						idx[i] -= size
					}
				}
				got := make([]int64, n)
				if done := Resolve(got, idx, Axis{Size: uint64(size), NegativeOffset: uint64(size), Stride: stride}, 0, int(step)); done != n {
					t.Fatalf("size %d, stride %d, step %d: %d of %d done", size, stride, step, done, n)
				}
				for i := range want {
					if got[i] != want[i] {
						t.Fatalf("size %d, stride %d, step %d: offset %d is %d, want %d", size, stride, step, i, got[i], want[i])
					}
				}
				idx[n-2] = size
				if done := Resolve(got, idx, Axis{Size: uint64(size), NegativeOffset: uint64(size), Stride: stride}, 0, int(step)); done != n-2 {
					t.Fatalf("size %d, stride %d, step %d: %d done, want %d", size, stride, step, done, n-2)
				}
			}
		}
	}
}

// TestGood: of some indices, each so many from the one before, with a bad one somewhere, those
// before it are good, and become offsets. Those between are bad and do not count.
func TestGood(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 8))
	for n := range 14 {
		for _, step := range []int{1, 2, 3, 7} {
			for _, size := range []int64{1, 5, math.MaxInt32} {
				for _, negative := range []bool{false, true} {
					for bad := range n + 1 {
						good[int64](t, rng, n, step, size, negative, bad)
						good[int32](t, rng, n, step, size, negative, bad)
					}
				}
			}
		}
	}
}

func good[I Index](t *testing.T, rng *rand.Rand, n, step int, size int64, negative bool, bad int) {
	t.Helper()
	axis := Axis{Size: uint64(size)}
	wrong := []int64{size, math.MaxInt32 + 1, math.MinInt32, -1} // the second is the third as int32
	if negative {
		axis.NegativeOffset = uint64(size)
		wrong[3] = -size - 1
	}
	if size == math.MaxInt32 {
		wrong[0] = math.MinInt32 // size+1 as int32
	}
	idx := make([]I, max(0, (n-1)*step+1))
	for i := range idx {
		idx[i] = I(wrong[3])
		if i%step != 0 {
			continue
		}
		if idx[i] = I(rng.Int64N(size)); negative && rng.IntN(2) == 0 {
			idx[i] -= I(size)
		}
	}
	if bad < n {
		idx[bad*step] = I(wrong[rng.IntN(len(wrong))])
	}
	if got := Good(idx, step, axis); got != bad {
		t.Fatalf("%v, below %d, negative: %v, each %d: %d are good, want %d", idx, size, negative, step, got, bad)
	}
	axis.Stride = 3
	got, want := make([]int64, n), make([]int64, n)
	for i := range n {
		got[i], want[i] = int64(i), int64(i)
		if v := int64(idx[i*step]); v < 0 && i < bad {
			want[i] += 3 * (v + size)
		} else if i < bad {
			want[i] += 3 * v
		}
	}
	if n == 0 {
		return // there is no index to begin with
	}
	if done := AddOffsets(got, idx, step, axis); done != bad || !slices.Equal(got, want) {
		t.Fatalf("%v, below %d, negative: %v, each %d: %d are done, want %d, offsets %v, want %v", idx, size, negative, step, done, bad, got, want)
	}
}
