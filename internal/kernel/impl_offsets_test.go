package kernel

import (
	"math/bits"
	"sync/atomic"
	"testing"
)

// TestResolveAxisAtItsBounds turns indices into offsets where the size of the axis,
// the stride and the step are just below what 32 bits hold, and just above: vectors
// multiply numbers of 32 bits.
func TestResolveAxisAtItsBounds(t *testing.T) {
	if bits.UintSize == 32 {
		t.Skip("no step is so long here")
	}
	const n = 3*vectorRun + 5
	eachImplementation(t, func(t *testing.T, _ *Implementation, _ *atomic.Int64) {
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
					if done := resolveAxis(got, idx, checkedAxis{uint64(size), uint64(size), stride}, int(step)); done != n {
						t.Fatalf("size %d, stride %d, step %d: %d of %d done", size, stride, step, done, n)
					}
					for i := range want {
						if got[i] != want[i] {
							t.Fatalf("size %d, stride %d, step %d: offset %d is %d, want %d", size, stride, step, i, got[i], want[i])
						}
					}
					idx[n-2] = size
					if done := resolveAxis(got, idx, checkedAxis{uint64(size), uint64(size), stride}, int(step)); done != n-2 {
						t.Fatalf("size %d, stride %d, step %d: %d done, want %d", size, stride, step, done, n-2)
					}
				}
			}
		}
	})
}
