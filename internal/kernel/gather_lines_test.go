package kernel

import (
	"bytes"
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"sync/atomic"
	"testing"

	"gorgonia.org/gather/internal/num"
	"gorgonia.org/gather/internal/par"
	"gorgonia.org/gather/internal/race"
	"gorgonia.org/gather/internal/simd"
)

// TestLineLoops runs the loops over lines as they are: on lines of every length up to
// some steps of an unrolled loop, side by side and apart, with negative indices, and
// a bad index at every place.
func TestLineLoops(t *testing.T) {
	if race.Enabled {
		t.Skip("the loops run in one goroutine")
	}
	eachImplementation(t, func(t *testing.T, impl *simd.Implementation, _ *atomic.Int64) {
		for l := range impl.CopyLines {
			for n := 1; n <= 19; n++ {
				for lines := 1; lines <= 3; lines++ {
					lineLoopsOf(t, impl.CopyLines[l], 1<<l, lines, n, false)
					lineLoopsOf(t, impl.CopyColumns[l], 1<<l, lines, n, true)
				}
			}
		}
	})
}

func lineLoopsOf(t *testing.T, loops simd.LineLoops, width, lines, n int, columns bool) {
	t.Helper()
	const size = 7
	rng := rand.New(rand.NewPCG(uint64(n), uint64(lines)))
	for gap := range 2 {
		apart := (size + 3*gap) * width
		extent := (lines-1)*apart + size*width
		if columns {
			apart = (n + 3*gap) * width
			extent = (size-1)*apart + n*width
		}
		for bad := -1; bad < lines*n; bad++ {
			data, items := newGuarded(extent, n%3*width), newGuarded(lines*n*width, n%5*width)
			for i := range data.mem {
				data.mem[i] = byte(rng.Uint32())
			}
			idx32, idx64 := make([]int32, lines*n), make([]int64, lines*n)
			want, wantItems := lines*n, make([]byte, len(items.mem))
			for i := range idx32 {
				idx32[i] = int32(rng.IntN(2*size) - size)
				if i == bad {
					idx32[i], want = []int32{size, -size - 1, math.MaxInt32, math.MinInt32}[rng.IntN(4)], i
				}
				idx64[i] = int64(idx32[i])
				if i < want {
					from := i/n*apart + row(idx64[i], size)*width
					if columns {
						from = row(idx64[i], size)*apart + i%n*width
					}
					copy(wantItems[i*width:][:width], data.mem[from:])
				}
			}
			for k, idx := range [][]byte{num.Bytes(idx32), num.Bytes(idx64)} {
				clear(items.mem)
				got := loops[k](num.Pointer(data.mem), num.Pointer(items.mem), num.Pointer(idx), lines, n, size, size, apart)
				what := fmt.Sprintf("%d bytes, columns %v, loop %d, %d lines of %d, %d apart, bad at %d", width, columns, k, lines, n, apart, bad)
				if got != want || !bytes.Equal(items.mem, wantItems) {
					t.Fatalf("%s: did %d, want %d, or the wrong ones", what, got, want)
				}
				data.check(t, what)
				items.check(t, what)
			}
		}
	}
}

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
	for i := range data.mem {
		data.mem[i] = byte(rng.Uint32())
	}
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
		c := Get()
		c.Form, c.Fill = Elements, fill
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
