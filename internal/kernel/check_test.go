package kernel

import (
	"fmt"
	"math"
	"math/rand/v2"
	"sync/atomic"
	"testing"
	"unsafe"

	"gorgonia.org/gather/internal/memtest"
	"gorgonia.org/gather/internal/simd"
)

// TestCheckOfTuples runs the check on tuples of one to seven indices, of every number up to
// several of what vectors take at once, with one index that is bad or just good.
func TestCheckOfTuples(t *testing.T) {
	eachImplementation(t, func(t *testing.T, _ *simd.Implementation, _ *atomic.Int64) {
		for k := 1; k <= 7; k++ {
			for n := range 120 {
				checkTuples[int32](t, k, n)
				checkTuples[int64](t, k, n)
			}
			checkTuples[int32](t, k, 60_000)
			checkTuples[int64](t, k, 60_000)
		}
	})
}

func checkTuples[I simd.Index](t *testing.T, k, n int) {
	t.Helper()
	rng := rand.New(rand.NewPCG(uint64(k), uint64(n)))
	c := newCall()
	defer c.Put()
	width := int(unsafe.Sizeof(I(0)))
	c.Idx32 = width == 4
	for range k {
		c.Axes = append(c.Axes, Axis{Size: 1 + rng.IntN(100)})
	}
	// Sums with some of these have no room in words of 32 bits.
	if large := []int64{0, 1 << 24, math.MaxInt32, 1 << 31, 1<<31 + 1, 1 << 32, 1<<33 + 1}[n%7]; large > 0 && large <= math.MaxInt {
		c.Axes[rng.IntN(k)].Size = int(large)
	}
	c.NonNegative = n%3 == 0
	size := func(i int) int { return min(c.Axes[i%k].Size, math.MaxInt32) }
	mem := memtest.Paged(t, n*k*width, n%2 == 0)
	idx := unsafe.Slice((*I)(unsafe.Pointer(unsafe.SliceData(mem))), n*k)
	for i := range idx {
		if idx[i] = I(rng.IntN(size(i))); !c.NonNegative && rng.IntN(2) == 0 {
			idx[i] = -1 - idx[i]
		}
	}
	c.Idx = mem
	if bad := c.Check(); bad != -1 {
		t.Fatalf("%d tuples of %d, %d bytes: position %d, want -1", n, k, width, bad)
	}
	if n == 0 {
		return
	}
	at := rng.IntN(n * k)
	axis := c.Axes[at%k].Size
	values := []int64{0, 1, -1, int64(axis), int64(axis) - 1, -int64(axis), -int64(axis) - 1, math.MaxInt32, math.MinInt32, math.MaxInt64, math.MinInt64, 1 << 32, 1<<32 + 1, -1 << 32, 1<<63 - 1<<32}
	for _, v := range values {
		if int64(I(v)) != v {
			continue
		}
		want := -1
		if v >= int64(axis) || v < -int64(axis) || v < 0 && c.NonNegative {
			want = at
		}
		before := idx[at]
		idx[at] = I(v)
		if bad := c.Check(); bad != want {
			t.Fatal(fmt.Sprintf("%d tuples of %d, %d bytes, axis of size %d, non-negative %t: index %d at %d", n, k, width, axis, c.NonNegative, v, at), bad, want)
		}
		idx[at] = before
	}
}
