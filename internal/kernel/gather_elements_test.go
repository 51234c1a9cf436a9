package kernel

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"runtime"
	"sync/atomic"
	"testing"

	"gorgonia.org/gather/internal/num"
	"gorgonia.org/gather/internal/par"
	"gorgonia.org/gather/internal/simd"
)

// TestElements gathers from short and long lines, more than one call into a loop
// may do, in pieces that begin and end anywhere, and with indices out of range that
// are filled.
func TestElements(t *testing.T) {
	eachImplementation(t, func(t *testing.T, _ *simd.Implementation, _ *atomic.Int64) {
		defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(3))
		defer par.UseCores(3)()
		for _, e := range []elements{
			{1, 2, 1, 3}, {1, 3 * simd.ItemsAtOnce, 1, 50}, {3, simd.ItemsAtOnce, 1, 9}, {3, simd.ItemsAtOnce + 1, 1, 9},
			{simd.ItemsAtOnce, 2, 1, 4}, {1000, 7, 1, 5}, {300, 32, 1, 33}, {5, 40, 1, 64 << 10}, {5, 40, 1, 0},
			{1, 1, 2, 1}, {2, 3, 5, 4}, {1, simd.ItemsAtOnce, 3, 11}, {40, 50, 7, 3}, {3, 5, simd.ItemsAtOnce + 3, 2}, {1, 70, 64, 60}, {2, 3, 4, 0},
		} {
			for _, width := range []int{1, 2, 4, 8, 16} {
				e.test(t, width)
			}
		}
	})
}

// elements is a call of batch×n×inner indices into data of batch×size×inner.
type elements struct{ batch, n, inner, size int }

func (e elements) test(t *testing.T, width int) {
	t.Helper()
	rng := rand.New(rand.NewPCG(8, uint64(width)))
	data, items := newGuarded(e.batch*e.size*e.inner*width, 0), newGuarded(e.batch*e.n*e.inner*width, width)
	drawBytes(rng, data.mem)
	idx, want, first := make([]int64, e.batch*e.n*e.inner), make([]byte, len(items.mem)), -1
	for i := range idx {
		if e.size == 0 || rng.IntN(50) == 0 {
			if idx[i] = int64(e.size); first < 0 {
				first = i
			}
			continue
		}
		idx[i] = rng.Int64N(int64(2*e.size)) - int64(e.size)
		line := i / (e.n * e.inner) * e.size
		copy(want[i*width:][:width], data.mem[((line+row(idx[i], e.size))*e.inner+i%e.inner)*width:])
	}
	for _, fill := range []bool{true, false} {
		c := newCall()
		c.form, c.SkipBad = byElements, fill
		c.Data, c.Items, c.Idx = data.mem, items.mem, num.Bytes(idx)
		c.Batch, c.Outer, c.N, c.Inner, c.Span = e.batch, 1, e.n, e.inner, e.size*e.inner
		c.Axes = append(c.Axes, Axis{Size: e.size, Stride: e.inner})
		bad := c.gather(width)
		c.Put()
		what := fmt.Sprintf("%+v of %d bytes, fill %v", e, width, fill)
		if fill && (bad >= 0 || !bytes.Equal(items.mem, want)) {
			t.Fatalf("%s: wrong, or bad at %d", what, bad)
		}
		if !fill && bad != first {
			t.Fatalf("%s: bad at %d, want %d", what, bad, first)
		}
		data.check(t, what)
		items.check(t, what)
	}
}
