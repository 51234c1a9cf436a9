package kernel

import (
	"bytes"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"gorgonia.org/gather/internal/num"
	"gorgonia.org/gather/internal/par"
	"gorgonia.org/gather/internal/race"
	"gorgonia.org/gather/internal/simd"
)

// TestCallsStop stops the world while a call runs, as a garbage collection does, in
// a process whose goroutines are not interrupted: they stop where they look at
// their stacks, and nowhere else. A call that does not look has come to its end
// when the world stands still.
func TestCallsStop(t *testing.T) {
	if len(simd.Implementations) == 1 || race.Enabled {
		t.Skip("Go's loops rely on being interrupted, and the race detector's are not the same")
	}
	const inChild = "KERNEL_TEST_STOPS"
	if os.Getenv(inChild) == "" {
		child := exec.Command(os.Args[0], "-test.run=^TestCallsStop$", "-test.v", fmt.Sprintf("-test.short=%v", testing.Short()))
		child.Env = append(os.Environ(), inChild+"=1", "GODEBUG=asyncpreemptoff=1")
		out, err := child.CombinedOutput()
		if err != nil || !bytes.Contains(out, []byte("--- PASS")) {
			t.Errorf("%v\n%s", err, out)
		}
		return
	}
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(2))
	defer par.UseCores(1)()
	large := 64 << 20
	if testing.Short() {
		large = 16 << 20 // which a call may pass too fast, and is then tried again
	}
	allData, allItems := make([]byte, 2*large), make([]byte, 4*large)
	for _, c := range []struct {
		name        string
		data, items int // bytes
		idx         []int32
		run         func(c *testCall)
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
		{name: "scattered long rows", data: large, items: large, idx: []int32{0}, run: blockOf(1, large/4, func(c *testCall) { c.scatter(4) }), adds: large},
		{name: "a copy", data: large, items: large, run: func(c *testCall) { Copy(c.Items, c.Data, 1, large) }},
		{name: "a clear", items: 4 * large, run: func(c *testCall) { par.Clear(c.Items) }},
		{name: "a fill of a long row", items: 4 * large, idx: []int32{0}, run: func(c *testCall) {
			c.SkipBad = true
			blockOf(0, large, gatherFloats)(c)
		}},
		{name: "a walk along a line", data: large, items: large, idx: []int32{0}, run: func(c *testCall) {
			c.Axes = append(c.Axes, Axis{Size: 1})
			c.add(Loop{N: large, Items: 1, Data: 1})
			c.form = byLoops
			c.gather(1)
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			data, items := allData[:c.data], allItems[:c.items]
			written := items
			if c.adds > 0 {
				written = data[:c.adds]
			}
			// Where other processes leave one processor only, no two goroutines run at a time, and a
			// call that lasts 1 ms has often come to its end before the world is stopped.
			for start := time.Now(); time.Since(start) < time.Minute; {
				clear(data)
				ends(items, math.Float32bits(1))
				call := newCall()
				call.Data, call.Items, call.Idx, call.Idx32 = data, items, num.Bytes(c.idx), true
				stopped := stopDuring(func() { c.run(call) }, written)
				call.Put()
				if stopped {
					return
				}
			}
			t.Error("for a minute the world stood still only after the calls")
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

func blockOf(size, inner int, run func(c *testCall)) func(c *testCall) {
	return func(c *testCall) {
		c.Batch, c.Outer, c.N, c.Inner, c.Span = 1, 1, len(c.Idx)/4, inner, size*inner
		c.Axes = append(c.Axes, Axis{Size: size, Stride: inner})
		run(c)
	}
}

func gatherFloats(c *testCall) { c.gather(4) }

func sumFloats(c *testCall) { c.reduce(num.Float32, num.Add) }

func gatherColumnsOf(n int) func(c *testCall) {
	return func(c *testCall) {
		c.Batch, c.Outer, c.N, c.Inner, c.Span = 1, len(c.Data)/4/n, n, 1, n
		c.Axes = append(c.Axes, Axis{Size: n, Stride: 1})
		c.gather(4)
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
