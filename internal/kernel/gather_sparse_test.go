package kernel

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"runtime"
	"slices"
	"sync/atomic"
	"testing"

	"gorgonia.org/gather/internal/num"
	"gorgonia.org/gather/internal/race"
	"gorgonia.org/gather/internal/simd"
	"gorgonia.org/gather/internal/turns"
)

// sparseCase gathers n elements of each of some blocks, which lie far apart.
type sparseCase struct {
	width, blocks, n int
	batch            int // how many batches the blocks are, each with indices of its own
	idx32, fill      bool
	bad              int // where an index is out of range, -1 for nowhere
}

// sparseCases have some more elements than offsets are made at a time, or than lie in lines that are not
// prefetched, with a bad index at places where that matters, and enough of them for two goroutines.
func sparseCases() (all []sparseCase) {
	for _, width := range []int{1, 2, 4, 8, 16} {
		for _, n := range []int{1, 3, 8, 12, 61} {
			elements := 4 * simd.OffsetsAtOnce
			if n > 8 {
				elements = farData / simd.CacheLine
			}
			blocks := (elements+100)/n + 1
			for i, batch := range []int{blocks, 1, 2} {
				f := sparseCase{width: width, blocks: blocks / 2 * 2, n: n, batch: batch, idx32: (width+n+i)%2 == 0, bad: -1}
				if batch == blocks {
					f.batch = f.blocks
				}
				all = append(all, f)
				picks := f.batch * n
				for _, bad := range []int{0, n - 1, picks/3 + 1, simd.OffsetsAtOnce, picks - 1} {
					if bad >= picks || width != 4 && bad > 0 {
						continue
					}
					f.bad, f.fill = bad, false
					all = append(all, f)
					f.fill = true
					all = append(all, f)
				}
			}
		}
	}
	return all
}

// page is a page of memory.
const page = 4 << 10

// span is the least that is far.
func (f sparseCase) span() int {
	if f.n == 1 {
		return page / f.width
	}
	return 16 << 10 / f.width
}

func (f sparseCase) String() string {
	return fmt.Sprintf("%d of each of %d blocks, %d bytes, %d batches, int32 %v, fill %v, bad at %d", f.n, f.blocks, f.width, f.batch, f.idx32, f.fill, f.bad)
}

// indices are random ones but for the bad one, and the same ones counted from the front,
// -1 for the bad one.
func (f sparseCase) indices(rng *rand.Rand) (idx []byte, places []int) {
	idx32, idx64 := make([]int32, f.batch*f.n), make([]int64, f.batch*f.n)
	for i := range idx64 {
		j := rng.IntN(f.span())
		places = append(places, j)
		if rng.IntN(3) == 0 {
			j -= f.span()
		}
		if i == f.bad {
			places[i] = -1
			j = []int{f.span(), -f.span() - 1}[rng.IntN(2)]
		}
		idx32[i], idx64[i] = int32(j), int64(j)
	}
	if f.idx32 {
		return num.Bytes(idx32), places
	}
	return num.Bytes(idx64), places
}

func (f sparseCase) call(data, items, idx []byte) *testCall {
	c := newCall()
	c.Data, c.Items, c.Idx, c.Idx32, c.SkipBad = data, items, idx, f.idx32, f.fill
	c.Batch, c.Outer, c.N, c.Inner, c.Span = f.batch, f.blocks/f.batch, f.n, 1, f.span()
	c.Axes = append(c.Axes, Axis{f.span(), 1})
	if c.Outer == 1 {
		c.form = byElements
	}
	return c
}

// each calls do with every item and the target of it, which is nil for a bad index.
func (f sparseCase) each(data, items []byte, places []int, do func(target, item []byte)) {
	for p := range f.blocks * f.n {
		block := p / f.n
		item := items[p*f.width:][:f.width]
		if j := places[block/(f.blocks/f.batch)*f.n+p%f.n]; j >= 0 {
			do(data[(block*f.span()+j)*f.width:][:f.width], item)
		} else {
			do(nil, item)
		}
	}
}

// farMemory is what all cases use, one after the other: it is large.
type farMemory struct {
	data, items guarded
	want        []byte
	random      []byte // to copy from
}

func newFarMemory(rng *rand.Rand) farMemory {
	data, items := 0, 0
	for _, f := range sparseCases() {
		data, items = max(data, f.blocks*f.span()*f.width), max(items, f.blocks*f.n*f.width)
	}
	m := farMemory{newGuarded(data, 16), newGuarded(items, 48), make([]byte, max(data, items)), make([]byte, data+1<<20)}
	drawBytes(rng, m.random)
	return m
}

// TestFarRuns gathers few elements of far blocks, sets them, and adds to them, in place and
// not: every case under one of the implementations, with one of the numbers of threads.
func TestFarRuns(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	memory := newFarMemory(rng)
	implementation := -1
	eachImplementation(t, func(t *testing.T, impl *simd.Implementation, calls *atomic.Int64) {
		implementation++
		var prefetches atomic.Int64
		prefetch := impl.PrefetchLines[0] != nil
		for k, loop := range impl.PrefetchLines {
			if prefetch {
				impl.PrefetchLines[k] = func(data, items, idx *byte, l *simd.Line) int {
					prefetches.Add(1)
					return loop(data, items, idx, l)
				}
			}
		}
		onThreads(t, func(t *testing.T) {
			for i, f := range sparseCases() {
				way := implementation*len(threads) + slices.Index(threads, runtime.GOMAXPROCS(0))
				if !turns.Of(len(threads)*len(simd.Implementations), way, i) || (race.Enabled || testing.Short()) && i%5 > 0 {
					continue
				}
				f.test(t, rng, memory)
			}
			if calls.Load() == 0 {
				t.Fatal("no loop of the implementation was called")
			}
		})
		if prefetch && prefetches.Load() == 0 {
			t.Fatal("nothing was prefetched")
		}
	})
}

func (f sparseCase) test(t *testing.T, rng *rand.Rand, memory farMemory) {
	t.Helper()
	data, items := memory.data.first(f.blocks*f.span()*f.width), memory.items.first(f.blocks*f.n*f.width)
	fill(items.mem)
	before := memory.random[rng.IntN(1<<20)/16*16:][:len(data.mem)]
	copy(data.mem, before)
	idx, places := f.indices(rng)
	fails := f.bad >= 0 && !f.fill
	check := func(what string, bad int, got, want []byte) {
		t.Helper()
		if fails != (bad >= 0) || fails && bad != f.bad {
			t.Fatalf("%v: %s: index %d is bad", f, what, bad)
		}
		if got != nil && !bytes.Equal(got, want) {
			t.Fatalf("%v: %s: wrong values", f, what)
		}
		data.check(t, what)
		items.check(t, what)
	}

	want := memory.want[:len(items.mem)]
	clear(want)
	f.each(data.mem, want, places, func(target, item []byte) { copy(item, target) })
	c := f.call(data.mem, items.mem, idx)
	bad := c.gather(f.width)
	c.Put()
	if fails {
		want = nil // what has been gathered is not defined then
		check("gather", bad, nil, nil)
	} else {
		check("gather", bad, items.mem, want)
	}

	copy(items.mem, memory.random[rng.IntN(1<<20):])
	if !f.fill { // a scatter has none
		want = append(memory.want[:0], before...)
		if !fails {
			f.each(want, items.mem, places, func(target, item []byte) { copy(target, item) })
		}
		c = f.call(data.mem, items.mem, idx)
		c.Atomic = true
		bad = c.scatter(f.width)
		c.Put()
		check("scatter in place", bad, data.mem, want)
		copy(data.mem, before)
	}

	kind, ok := map[int]num.Kind{1: num.Uint8, 2: num.Int16, 4: num.Uint32, 8: num.Int64}[f.width]
	if !ok {
		return
	}
	for _, noInit := range []bool{false, true} {
		want = append(memory.want[:0], before...)
		if noInit && !fails {
			f.each(want, items.mem, places, func(target, _ []byte) { clear(target) })
		}
		if !fails {
			f.each(want, items.mem, places, addBytes)
		}
		c = f.call(data.mem, items.mem, idx)
		c.Atomic, c.NoInit = !f.fill, noInit
		bad = c.reduce(kind, num.Add)
		c.Put()
		check("sum", bad, data.mem, want)
		copy(data.mem, before)
	}
}

// addBytes adds integers of any width.
func addBytes(target, item []byte) {
	carry := 0
	for i := range target {
		sum := int(target[i]) + int(item[i]) + carry
		target[i], carry = byte(sum), sum>>8
	}
}
