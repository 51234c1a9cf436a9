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
	"gorgonia.org/gather/internal/simd"
)

// TestItemLoops runs the loops over items as they are: on runs of every length
// up to some steps of an unrolled loop, with strides of all kinds, negative
// indices, and a bad index at every place.
func TestItemLoops(t *testing.T) {
	if race.Enabled {
		t.Skip("the loops run in one goroutine")
	}
	eachImplementation(t, func(t *testing.T, impl *simd.Implementation, _ *atomic.Int64) {
		for l, loops := range impl.CopyItems {
			width := 1 << l
			itemLoops32and64(t, fmt.Sprintf("%d bytes", width), loops, width, func(target, item []byte) { copy(item, target) })
		}
		for l, loops := range impl.SetItems {
			itemLoops32and64(t, fmt.Sprintf("setting %d bytes", 1<<l), loops, 1<<l, func(target, item []byte) { copy(target, item) })
		}
		for kind := num.Kind(0); kind < num.Kinds; kind++ {
			for r := range num.Reductions {
				if loops := impl.Combine[kind][r].Items; loops != nil {
					one := simd.Go.Combine[kind][r].Rows
					itemLoops32and64(t, fmt.Sprintf("kind %d, reduction %d", kind, r), loops, kind.Width(), func(target, item []byte) {
						one(num.Pointer(target), num.Pointer(item), new(int64), new(int64), 1, len(item), 0, 0)
					})
				}
			}
		}
	})
}

// itemLoops32and64 checks two loops against what should happen for one item.
func itemLoops32and64(t *testing.T, name string, loops simd.ItemLoops, width int, one func(target, item []byte)) {
	t.Helper()
	const size = 7
	rng := rand.New(rand.NewPCG(5, 6))
	for n := 0; n <= 19; n++ {
		for _, form := range []struct{ stride, step int }{{width, 0}, {3 * width, 0}, {19 * width, width}, {width, size * width}} {
			for bad := -1; bad < n; bad++ {
				data, items := newGuarded((size-1)*form.stride+max(0, n-1)*form.step+width, n%3*4), newGuarded(n*width, n%5*4)
				for _, mem := range [][]byte{data.mem, items.mem} {
					for i := range mem {
						mem[i] = byte(rng.IntN(64)) // a small, normal float
					}
				}
				idx32, idx64 := make([]int32, n), make([]int64, n)
				for i := range idx32 {
					idx32[i] = int32(rng.IntN(2*size) - size)
					if i == bad {
						idx32[i] = []int32{size, -size - 1, math.MaxInt32, math.MinInt32}[rng.IntN(4)]
					}
					idx64[i] = int64(idx32[i])
				}
				wantData, wantItems := bytes.Clone(data.mem), bytes.Clone(items.mem)
				want := n
				for i, j := range idx64 {
					if i == bad {
						want = i
						break
					}
					one(wantData[int(j+size)%size*form.stride+i*form.step:][:width], wantItems[i*width:][:width])
				}
				startData, startItems := bytes.Clone(data.mem), bytes.Clone(items.mem)
				for k, idx := range [][]byte{num.Bytes(idx32), num.Bytes(idx64)} {
					copy(data.mem, startData)
					copy(items.mem, startItems)
					got := loops[k](num.Pointer(data.mem), num.Pointer(items.mem), num.Pointer(idx), n, size, size, form.stride, form.step)
					what := fmt.Sprintf("%s, loop %d, n %d, %+v, bad at %d", name, k, n, form, bad)
					if got != want || !bytes.Equal(data.mem, wantData) || !bytes.Equal(items.mem, wantItems) {
						t.Fatalf("%s: did %d, want %d, or the wrong ones", what, got, want)
					}
					data.check(t, what)
					items.check(t, what)
				}
			}
		}
	}
}
