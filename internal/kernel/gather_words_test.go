package kernel

import (
	"bytes"
	"fmt"
	"math"
	"math/rand/v2"
	"sync/atomic"
	"testing"

	"gorgonia.org/gather/internal/num"
	"gorgonia.org/gather/internal/race"
)

// TestLineLoops runs the loops over lines as they are: on lines of every length up to
// some steps of an unrolled loop, side by side and apart, with negative indices, and
// a bad index at every place.
func TestLineLoops(t *testing.T) {
	if race.Enabled {
		t.Skip("the loops run in one goroutine")
	}
	eachImplementation(t, func(t *testing.T, impl *Implementation, _ *atomic.Int64) {
		for l, loops := range impl.copyLines {
			for n := 1; n <= 19; n++ {
				for lines := 1; lines <= 3; lines++ {
					lineLoopsOf(t, loops, 1<<l, lines, n)
				}
			}
		}
	})
}

func lineLoopsOf(t *testing.T, loops lineLoops, width, lines, n int) {
	t.Helper()
	const size = 7
	rng := rand.New(rand.NewPCG(uint64(n), uint64(lines)))
	for _, span := range []int{size * width, (size + 3) * width} {
		for bad := -1; bad < lines*n; bad++ {
			data, items := newGuarded((lines-1)*span+size*width, n%3*width), newGuarded(lines*n*width, n%5*width)
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
					copy(wantItems[i*width:][:width], data.mem[i/n*span+row(idx64[i], size)*width:])
				}
			}
			for k, idx := range [][]byte{num.Bytes(idx32), num.Bytes(idx64)} {
				clear(items.mem)
				got := loops[k](pointer(data.mem), pointer(items.mem), pointer(idx), lines, n, size, size, span, k*indicesAhead)
				what := fmt.Sprintf("%d bytes, loop %d, %d lines of %d, span %d, bad at %d", width, k, lines, n, span, bad)
				if got != want || !bytes.Equal(items.mem, wantItems) {
					t.Fatalf("%s: did %d, want %d, or the wrong ones", what, got, want)
				}
				data.check(t, what)
				items.check(t, what)
			}
		}
	}
}

// TestLinesOfWords gathers from short and long lines, more than one call into a loop
// may do, in pieces that begin and end anywhere, and with indices out of range that
// are filled.
func TestLinesOfWords(t *testing.T) {
	eachImplementation(t, func(t *testing.T, _ *Implementation, _ *atomic.Int64) {
		rng := rand.New(rand.NewPCG(8, 9))
		for _, s := range []struct{ lines, n, size int }{
			{1, 2, 3}, {1, 3 * itemsAtOnce, 50}, {3, itemsAtOnce, 9}, {3, itemsAtOnce + 1, 9}, {itemsAtOnce, 2, 4}, {1000, 7, 5}, {300, 32, 33}, {5, 40, farLine},
		} {
			for _, width := range []int{1, 2, 4, 8, 16} {
				data, items := newGuarded(s.lines*s.size*width, 0), newGuarded(s.lines*s.n*width, width)
				for i := range data.mem {
					data.mem[i] = byte(rng.Uint32())
				}
				idx, want := make([]int64, s.lines*s.n), make([]byte, len(items.mem))
				for i := range idx {
					if idx[i] = rng.Int64N(int64(2*s.size)) - int64(s.size); rng.IntN(50) == 0 {
						idx[i] = int64(s.size)
						continue
					}
					copy(want[i*width:][:width], data.mem[(i/s.n*s.size+row(idx[i], s.size))*width:])
				}
				first := -1
				for i, j := range idx {
					if j == int64(s.size) {
						first = i
						break
					}
				}
				for _, fill := range []bool{true, false} {
					c := Get()
					c.Form, c.Fill = Elements, fill
					c.Data, c.Items, c.Idx = data.mem, items.mem, num.Bytes(idx)
					c.Batch, c.Outer, c.N, c.Inner, c.Span = s.lines, 1, s.n, 1, s.size
					c.Axes = append(c.Axes, Axis{Size: s.size, Stride: 1})
					bad := c.Gather(width)
					c.Put()
					what := fmt.Sprintf("%+v of %d bytes, fill %v", s, width, fill)
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
		}
	})
}
