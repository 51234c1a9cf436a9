package kernel

import (
	"math/rand/v2"
	"slices"
	"sync/atomic"
	"testing"

	"gorgonia.org/gather/internal/num"
	"gorgonia.org/gather/internal/simd"
)

// TestLongInPlace adds along lines of a length that cache lines do not divide, more than
// the nearest caches hold, with a bad index near the end or the beginning.
func TestLongInPlace(t *testing.T) {
	const rows, line, n = 701, 1301, 660
	eachImplementation(t, func(t *testing.T, _ *simd.Implementation, _ *atomic.Int64) {
		rng := rand.New(rand.NewPCG(1, 2))
		idx := make([]int64, rows*n)
		for i := range idx {
			idx[i] = rng.Int64N(2*line) - line
		}
		data, items := make([]float32, rows*line), make([]float32, rows*n)
		for i := range data {
			data[i] = rng.Float32()
		}
		for i := range items {
			items[i] = rng.Float32()
		}
		want := slices.Clone(data)
		for i, j := range idx {
			want[i/n*line+int(j+line)%line] += items[i]
		}
		for _, bad := range []int{0, 5 * n, rows*n - 1, -1} {
			c := newCall()
			got, expected := slices.Clone(data), want
			if bad >= 0 {
				expected = data
				idx[bad] += 3 * line
			}
			c.Data, c.Items, c.Idx = num.Bytes(got), num.Bytes(items), num.Bytes(idx)
			c.Batch, c.Outer, c.N, c.Inner, c.Span = rows, 1, n, 1, line
			c.Axes = append(c.Axes, Axis{Size: line, Stride: 1})
			c.Atomic = true
			if at := c.reduce(num.Float32, num.Add); at != bad {
				t.Fatalf("bad index at %d, want %d", at, bad)
			}
			c.Put()
			if !slices.Equal(got, expected) {
				t.Errorf("bad index at %d: data is not what it should be", bad)
			}
			if bad >= 0 {
				idx[bad] -= 3 * line
			}
		}
	})
}
