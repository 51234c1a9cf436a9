package kernel

import (
	"bytes"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"testing"

	"gorgonia.org/gather/internal/num"
	"gorgonia.org/gather/internal/race"
)

// A longCall is a call that goes in pieces, on data that counts its elements.
type longCall struct {
	name           string
	loop           string // of the implementation, that must be used
	batch, outer   int
	size, n, inner int
	k              int // the length of a tuple, 1 if 0
	elements, add  bool
	aligned        bool
}

// Each is longer than one call into assembly may be, most by a part of one.
var longCalls = []longCall{
	{name: "items", loop: "copyLines", size: 1000, n: 3*itemsAtOnce + 5, inner: 1},
	{name: "items of whole pieces", loop: "copyLines", size: 1000, n: 2 * itemsAtOnce, inner: 1},
	{name: "items in blocks", loop: "copyLines", size: 50, batch: 3, n: itemsAtOnce + 77, inner: 1},
	{name: "items in many short blocks", loop: "copyLines", size: 50, batch: itemsAtOnce, n: 33, inner: 1},
	{name: "one item a block", loop: "copyItem", size: 3, batch: 3*itemsAtOnce + 1, n: 1, inner: 1},
	{name: "elements on lines", loop: "copyColumns", size: 7, n: 5, inner: 2*itemsAtOnce + 3, elements: true},
	{name: "elements on short lines", loop: "copyColumns", size: 7, n: itemsAtOnce, inner: 3, elements: true},
	{name: "sums of items", loop: "combineItem", size: 1000, n: 3*itemsAtOnce + 5, inner: 1, add: true},
	{name: "sums of one item a block", loop: "combineItem", size: 3, batch: 3*itemsAtOnce + 1, n: 1, inner: 1, elements: true, add: true},
	{name: "sums of elements on lines", loop: "combineItem", size: 7, n: 5, inner: 2*itemsAtOnce + 3, elements: true, add: true},
	{name: "columns", loop: "copyOffset", size: 40, outer: 21, n: 3*resolved + 5, inner: 1},
	{name: "many rows", loop: "copyRow", size: 50, n: 700, inner: 1500},
	{name: "long rows", loop: "copyRow", size: 3, n: 5, inner: rowBytesAtOnce/2 + 3},
	{name: "rows that end just behind a piece", loop: "copyRow", size: 2, n: 3, inner: rowBytesAtOnce/4 + 1},
	{name: "rows in blocks", loop: "copyRow", size: 2, batch: 3, n: 1, inner: rowBytesAtOnce/2 + 3},
	{name: "rows past the caches", loop: "streamRow", size: 3, n: 5 + streamed/(2*rowBytesAtOnce+192), inner: rowBytesAtOnce/2 + 48, aligned: true},
	{name: "rows by tuples", loop: "copyRow", size: 3, k: 2, n: 4, inner: rowBytesAtOnce/4 + 17},
	{name: "elements by tuples", loop: "copyFar", size: 30, k: 2, n: 3 * itemsAtOnce, inner: 1},
	{name: "sums of many rows", loop: "combineRow", size: 50, n: 700, inner: 1500, add: true},
	{name: "sums of long rows", loop: "combineRow", size: 2, n: 5, inner: rowBytesAtOnce/2 + 3, add: true},
	{name: "sums of elements by tuples", loop: "combineOffset", size: 30, k: 2, n: 3 * itemsAtOnce, inner: 1, add: true},
}

// TestPieces shows that no call into assembly is longer than it may be, and that
// the pieces are the whole.
func TestPieces(t *testing.T) {
	for _, i := range Implementations {
		t.Run(i.Name, func(t *testing.T) {
			calls := map[string]*atomic.Int64{}
			for _, loop := range []string{"copyRow", "streamRow", "copyLines", "copyColumns", "copyOffset", "copyFar", "combineOffset", "combineRow", "copyItem", "combineItem", "resolve"} {
				calls[loop] = new(atomic.Int64)
			}
			defer Use(watched(i, func(loop string, n, bytes int) {
				calls[loop].Add(1)
				if n > itemsAtOnce || bytes > rowBytesAtOnce {
					t.Errorf("%s: %d rows or items, %d bytes at once", loop, n, bytes)
				}
			}))()
			for _, l := range longCalls {
				calls[l.loop].Store(0)
				l.test(t, good, false)
				l.test(t, lastBad, false)
				l.test(t, middleBad, true)
				own := l.loop != "streamRow" || i.streamRow != nil
				if used := calls[l.loop].Load() > 0; used != own {
					t.Errorf("%s: the loop was used: %v", l.name, used)
				}
			}
		})
	}
}

func (l longCall) normal() longCall {
	l.batch, l.outer, l.k = max(1, l.batch), max(1, l.outer), max(1, l.k)
	return l
}

// indices are random ones, in range.
func (l longCall) indices() []int32 {
	rng := rand.New(rand.NewPCG(13, 14))
	n := l.batch * l.n * l.k
	if l.elements {
		n *= l.inner
	}
	idx := make([]int32, n)
	for i := range idx {
		idx[i] = int32(rng.IntN(2*l.size) - l.size)
	}
	return idx
}

// call is the call on memory that fits it.
func (l longCall) call(data, items []byte, idx []int32, fill bool) *Call {
	c := Get()
	c.Data, c.Items, c.Idx, c.Idx32, c.Fill = data, items, num.Bytes(idx), true, fill
	c.Batch, c.Outer, c.N, c.Inner, c.Span = l.batch, l.outer, l.n, l.inner, l.inner
	for range l.k {
		for i := range c.Axes {
			c.Axes[i].Stride *= l.size
		}
		c.Axes = append(c.Axes, Axis{Size: l.size, Stride: l.inner})
		c.Span *= l.size
	}
	return c
}

func (l longCall) run(c *Call) int {
	if l.elements {
		c.Form = Elements
	}
	if l.add {
		return c.Reduce(num.Float32, num.Add)
	}
	return c.Gather(4)
}

// Which index is out of range.
const (
	good = iota
	lastBad
	middleBad
)

func (l longCall) test(t *testing.T, which int, fill bool) {
	t.Helper()
	l = l.normal()
	idx := l.indices()
	bad := [...]int{-1, len(idx) - 1, len(idx) / 2}[which]
	if bad >= 0 {
		idx[bad] = int32(l.size)
	}
	span := l.inner
	for range l.k {
		span *= l.size
	}
	data := newGuarded(4*l.batch*l.outer*span, 4)
	items := newGuarded(4*l.batch*l.outer*l.n*l.inner, 4)
	if l.aligned {
		items = aligned64(len(items.mem), true)
	}
	for i := range num.As[float32](data.mem) {
		num.As[float32](data.mem)[i] = float32(i % 1021)
	}
	for i := range num.As[float32](items.mem) {
		num.As[float32](items.mem)[i] = float32(i % 777)
	}
	wantData, wantItems := bytes.Clone(data.mem), bytes.Clone(items.mem)
	l.naive(num.As[float32](wantData), num.As[float32](wantItems), idx)
	c := l.call(data.mem, items.mem, idx, fill)
	place := l.run(c)
	c.Put()
	data.check(t, l.name)
	items.check(t, l.name)
	if bad >= 0 && !fill {
		if place != bad {
			t.Errorf("%s: bad index at %d, want %d", l.name, place, bad)
		}
		return
	}
	if place >= 0 || !bytes.Equal(data.mem, wantData) || !bytes.Equal(items.mem, wantItems) {
		t.Errorf("%s: wrong values, bad index %d", l.name, place)
	}
}

// naive is the call, element by element. What has no good index is filled with
// zeros, or adds nothing.
func (l longCall) naive(data, items []float32, idx []int32) {
	span := len(data) / (l.batch * l.outer)
	for i := range items {
		column, tuple := i%l.inner, i/l.inner
		block := tuple / l.n
		tuple = block/l.outer*l.n + tuple%l.n
		if l.elements {
			tuple = tuple*l.inner + column
		}
		at := 0
		for _, j := range idx[tuple*l.k:][:l.k] {
			switch {
			case int(j) >= l.size:
				at = -1 << 20
			case j < 0:
				j += int32(l.size)
			}
			at = at*l.size + int(j)
		}
		switch {
		case l.add && at >= 0:
			data[block*span+at*l.inner+column] += items[i]
		case l.add:
		case at >= 0:
			items[i] = data[block*span+at*l.inner+column]
		default:
			items[i] = 0
		}
	}
}

// TestFillWithoutData fills more items than go at once where the axis is empty.
func TestFillWithoutData(t *testing.T) {
	items := bytes.Repeat([]byte{canary}, 4*(2*itemsAtOnce+9))
	c := longCall{size: 0, n: 2*itemsAtOnce + 9, inner: 1}.normal().call(nil, items, make([]int32, 2*itemsAtOnce+9), true)
	defer c.Put()
	if bad := c.Gather(4); bad >= 0 || !bytes.Equal(items, make([]byte, len(items))) {
		t.Errorf("bad index %d, or not filled", bad)
	}
}

// TestCopyAndClear does so with lengths around a piece and around what is short.
func TestCopyAndClear(t *testing.T) {
	for _, n := range []int{0, 1, shortBytes, shortBytes + 1, copyBytesAtOnce, copyBytesAtOnce + 1, 2*copyBytesAtOnce + 100, clearBytesAtOnce + 7} {
		g := newGuarded(n, 3)
		from := make([]byte, n)
		for i := range from {
			from[i] = byte(i * 7 / 5)
		}
		copyAny(g.mem, from)
		if !bytes.Equal(g.mem, from) {
			t.Errorf("%d bytes are copied wrongly", n)
		}
		clearAny(g.mem)
		if !bytes.Equal(g.mem, make([]byte, n)) {
			t.Errorf("%d bytes are cleared wrongly", n)
		}
		g.check(t, "memory")
	}
	const n = copyBytesAtOnce/16 + 3
	words := make([]string, n)
	words[0], words[n-1] = "first", "last"
	to := make([]string, n)
	if copyAny(to, words); !slices.Equal(to, words) {
		t.Error("strings are copied wrongly")
	}
	if clearAny(to); !slices.Equal(to, make([]string, n)) {
		t.Error("strings are cleared wrongly")
	}
}

// TestCallsStop stops the world while a call runs, as a garbage collection does, in
// a process whose goroutines are not interrupted: they stop where they look at
// their stacks, and nowhere else. A call that does not look has come to its end
// when the world stands still.
func TestCallsStop(t *testing.T) {
	if len(Implementations) == 1 || race.Enabled {
		t.Skip("Go's loops rely on being interrupted, and the race detector's are not the same")
	}
	const inChild = "KERNEL_TEST_STOPS"
	if os.Getenv(inChild) == "" {
		child := exec.Command(os.Args[0], "-test.run=^TestCallsStop$", "-test.v")
		child.Env = append(os.Environ(), inChild+"=1", "GODEBUG=asyncpreemptoff=1")
		out, err := child.CombinedOutput()
		if err != nil || !bytes.Contains(out, []byte("--- PASS")) {
			t.Errorf("%v\n%s", err, out)
		}
		return
	}
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(2))
	defer UseCores(1)()
	const large = 64 << 20
	for _, c := range []struct {
		name        string
		data, items int // bytes
		idx         []int32
		run         func(c *Call)
		adds        int // where in data it adds what it adds last, if it adds
	}{
		{name: "items", data: 4 << 20, items: large, idx: firstToLast(large/4, 1<<20), run: blockOf(1<<20, 1, gatherFloats)},
		{name: "rows", data: 4 << 20, items: large, idx: firstToLast(large/4096, 1024), run: blockOf(1024, 1024, gatherFloats)},
		{name: "long rows", data: 2 * large, items: large, idx: []int32{1}, run: blockOf(2, large/4, gatherFloats)},
		{name: "short rows", data: 4 << 20, items: large, idx: firstToLast(large/16, 1024), run: blockOf(1024, 4, gatherFloats)},
		{name: "columns", data: large, items: large, idx: firstToLast(512, 512), run: gatherColumnsOf(512)},
		{name: "sums of items", data: 4 << 20, items: large, idx: firstToLast(large/4, 1<<20), run: blockOf(1<<20, 1, sumFloats), adds: 4 << 20},
		{name: "sums of rows", data: 4 << 20, items: large, idx: firstToLast(large/4096, 1024), run: blockOf(1024, 1024, sumFloats), adds: 4 << 20},
		{name: "sums of long rows", data: large, items: large, idx: []int32{0}, run: blockOf(1, large/4, sumFloats), adds: large},
		{name: "scattered long rows", data: large, items: large, idx: []int32{0}, run: blockOf(1, large/4, func(c *Call) { c.Scatter(4) }), adds: large},
		{name: "a copy", data: large, items: large, run: func(c *Call) { c.Copy(1, large) }},
		{name: "a clear", items: 4 * large, run: func(c *Call) { clearAny(c.Items) }},
		{name: "a fill of a long row", items: 4 * large, idx: []int32{0}, run: func(c *Call) {
			c.Fill = true
			blockOf(0, large, gatherFloats)(c)
		}},
		{name: "a walk along a line", data: large, items: large, idx: []int32{0}, run: func(c *Call) {
			c.Axes = append(c.Axes, Axis{Size: 1})
			c.Slab(Dim{N: large, Items: 1, Data: 1})
			c.Form = Walk
			c.Gather(1)
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			data, items := make([]byte, c.data), make([]byte, c.items)
			written := items
			if c.adds > 0 {
				written = data[:c.adds]
			}
			for range 300 {
				clear(data)
				ends(items, math.Float32bits(1))
				call := Get()
				call.Data, call.Items, call.Idx, call.Idx32 = data, items, num.Bytes(c.idx), true
				stopped := stopDuring(func() { c.run(call) }, written)
				call.Put()
				if stopped {
					return
				}
			}
			t.Error("300 times the world stood still only after the call")
		})
	}
}

// firstToLast are indices: 0, then others, then the last one.
func firstToLast(n, size int) []int32 {
	idx := make([]int32, n)
	for i := 1; i < n-1; i++ {
		idx[i] = 1 + rand.Int32N(int32(size)-2)
	}
	idx[n-1] = int32(size) - 1
	return idx
}

func blockOf(size, inner int, run func(c *Call)) func(c *Call) {
	return func(c *Call) {
		c.Batch, c.Outer, c.N, c.Inner, c.Span = 1, 1, len(c.Idx)/4, inner, size*inner
		c.Axes = append(c.Axes, Axis{Size: size, Stride: inner})
		run(c)
	}
}

func gatherFloats(c *Call) { c.Gather(4) }

func sumFloats(c *Call) { c.Reduce(num.Float32, num.Add) }

func gatherColumnsOf(n int) func(c *Call) {
	return func(c *Call) {
		c.Batch, c.Outer, c.N, c.Inner, c.Span = 1, len(c.Data)/4/n, n, 1, n
		c.Axes = append(c.Axes, Axis{Size: n, Stride: 1})
		c.Gather(4)
	}
}

// ends sets the first and the last element, which make a difference when they
// are copied to, cleared, or added.
func ends(mem []byte, v uint32) {
	words := num.As[uint32](mem)
	words[0], words[len(words)-1] = v, v
}

// stopDuring stops the world when the first of the elements has been written, and
// reports whether that was before the last one was written.
func stopDuring(run func(), written []byte) bool {
	words := num.As[uint32](written)
	first, last := &words[0], &words[len(words)-1]
	before := [...]uint32{atomic.LoadUint32(first), atomic.LoadUint32(last)}
	var done sync.WaitGroup
	done.Add(1)
	go func() {
		defer done.Done()
		run()
	}()
	for atomic.LoadUint32(first) == before[0] {
		runtime.Gosched()
	}
	var stats runtime.MemStats
	runtime.ReadMemStats(&stats) // while the world stands still
	stopped := atomic.LoadUint32(last) == before[1]
	done.Wait()
	return stopped
}
