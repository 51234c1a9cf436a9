package kernel

import (
	"bytes"
	"errors"
	"fmt"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"gorgonia.org/gather/internal/num"
)

// onThreads runs a test with several numbers of threads.
func onThreads(t *testing.T, test func(t *testing.T)) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(0))
	defer UseCores(8)()
	for _, n := range []int{1, 2, 3, 8} {
		runtime.GOMAXPROCS(n)
		t.Run(fmt.Sprintf("%d threads", n), test)
	}
}

// TestRun shows that pieces cover all positions once, and that there is one
// only where there is too little to do for two goroutines.
func TestRun(t *testing.T) {
	onThreads(t, func(t *testing.T) {
		for _, columns := range []bool{false, true} {
			for _, s := range []struct{ n, grain int }{{0, 1}, {1, 1}, {2, 1}, {7, 1}, {100, 7}, {13, 7}, {14, 7}, {1000, 999}, {1001, 500}, {8, 1}, {9, 2}} {
				var mu sync.Mutex
				seen := make([]int, s.n)
				pieces := 0
				c := Get()
				c.columns = columns
				bad := c.Run(func(_ *Call, lo, hi int) int {
					mu.Lock()
					defer mu.Unlock()
					pieces++
					for p := lo; p < hi; p++ {
						seen[p]++
					}
					return -1
				}, s.n, s.grain)
				c.Put()
				if bad != -1 {
					t.Errorf("%+v: bad index at %d", s, bad)
				}
				for p, times := range seen {
					if times != 1 {
						t.Errorf("%+v: position %d ran %d times", s, p, times)
					}
				}
				threads := 1
				if s.n >= 2*s.grain {
					threads = min(runtime.GOMAXPROCS(0), s.n/s.grain)
				}
				if one := threads == 1; one != (pieces == 1) || columns && pieces != threads {
					t.Errorf("%+v: %d pieces for %d threads", s, pieces, threads)
				}
			}
		}
	})
}

// TestRunInManyGoroutines runs calls at the same time, again and again, so that
// they take helpers from each other, and helpers come too late, to later calls.
func TestRunInManyGoroutines(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(4))
	defer UseCores(4)()
	var all sync.WaitGroup
	for range 8 {
		all.Add(1)
		go func() {
			defer all.Done()
			for k := range 300 {
				n := 1 + k%50
				seen := make([]atomic.Int32, n)
				c := Get()
				bad := c.Run(func(_ *Call, lo, hi int) int {
					for p := lo; p < hi; p++ {
						seen[p].Add(1)
					}
					if lo <= k%7 && k%7 < hi {
						return k % 7
					}
					return -1
				}, n, 1)
				c.Put()
				if want := k % 7; bad != want && want < n {
					t.Errorf("bad index at %d, want %d", bad, want)
				}
				for p := range seen {
					if got := seen[p].Load(); got != 1 {
						t.Errorf("position %d of %d ran %d times", p, n, got)
					}
				}
			}
		}()
	}
	all.Wait()
}

// TestHelpersLeave shows that no goroutine stays behind.
func TestHelpersLeave(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(4))
	defer UseCores(4)()
	for range 100 {
		c := Get()
		c.Run(func(*Call, int, int) int { return -1 }, 1000, 1)
		c.Put()
	}
	stack := make([]byte, 1<<20)
	for begin := time.Now(); bytes.Contains(stack[:runtime.Stack(stack, true)], []byte("kernel.help(")); time.Sleep(time.Millisecond) {
		if time.Since(begin) > 10*time.Second {
			t.Fatalf("a helper is still there:\n%s", stack[:runtime.Stack(stack, true)])
		}
	}
	for i := range offers {
		if offers[i].Load() != nil {
			t.Errorf("offer %d is still there", i)
		}
	}
	if c := crew.Load(); c != 0 {
		t.Errorf("%d helpers are counted, %d without work", c%free, c/free)
	}
}

// TestRunFindsTheFirst gives several chunks a bad index each.
func TestRunFindsTheFirst(t *testing.T) {
	onThreads(t, func(t *testing.T) {
		const n = 1000
		for first := 0; first < n; first += 37 {
			c := Get()
			bad := c.Run(func(_ *Call, lo, hi int) int {
				if hi <= first {
					return -1
				}
				return max(lo, first)
			}, n, 10)
			c.Put()
			if bad != first {
				t.Errorf("bad index at %d, want %d", bad, first)
			}
		}
	})
}

// TestCallsForget fills every field of a call: the next one from the pool has
// nothing of it but memory for its slices.
func TestCallsForget(t *testing.T) {
	for range 100 {
		c := Get()
		empty := Call{parallel: c.parallel}
		empty.Axes, empty.Dims = c.Axes[:0], c.Dims[:0]
		if !reflect.DeepEqual(*c, empty) {
			t.Fatalf("a call that is not empty: %+v", c)
		}
		loop := func(*Call, int, int) int { return -1 }
		mem := make([]byte, 8)
		c.Description = Description{
			Form: Walk, Data: mem, Items: mem, Idx: mem, Idx32: true, NonNegative: true, Fill: true, NoInit: true,
			Batch: 1, Outer: 1, N: 1, Inner: 1, Span: 1, Axes: append(c.Axes, Axis{1, 1}),
			Dims: append(c.Dims, Dim{3, 1, 1, 1}), Head: 1, width: 1,
		}
		c.Schedule = Schedule{Old: mem, Atomic: true, columns: true, owners: 1, stages: stages{loop, mem, mem, 8, true, loop, 1}}
		c.scratch = scratch{step: mem, line: inGo.copyLines[0][0], word: 1, item: itemWork{inGo.copyItem[0][0], 1, mem, true, nil, 0}, startItem: itemWork{inGo.copyItem[0][0], 1, mem, true, nil, 0}, row: combineRowsGo[add, int8], neutral: mem, touched: mem, touches: &mem, kept: []int64{1}, keeps: &[]int64{1}, again: itemWork{bytes: 1}, begins: 1, unset: 1, blends: true, old: mem, counts: new(counter), mean: meansInGo[num.Float32], strided: strided{moves: toData}, divided: 1, lines: &mem}
		for _, part := range []any{c.Description, c.Schedule, c.Schedule.stages, c.scratch} {
			for i, v := 0, reflect.ValueOf(part); i < v.NumField(); i++ {
				if v.Field(i).IsZero() {
					t.Fatalf("%T.%s is not filled by this test", part, v.Type().Field(i).Name)
				}
			}
		}
		c.Put()
	}
}

// TestHelpersDoNotPileUp makes calls of several goroutines faster than helpers
// come, and looks at how many of these there are.
func TestHelpersDoNotPileUp(t *testing.T) {
	for _, threads := range []int{2, 8} {
		t.Run(fmt.Sprintf("%d threads", threads), func(t *testing.T) {
			defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(threads))
			defer UseCores(threads)()
			for crew.Load() != 0 {
				runtime.Gosched() // those of other tests
			}
			before := runtime.NumGoroutine()
			const callers = 4
			var helpers, goroutines [callers]int64 // the most that each has seen
			var all sync.WaitGroup
			for i := range callers {
				all.Add(1)
				go func() {
					defer all.Done()
					for range 3000 {
						c := Get()
						c.Run(func(*Call, int, int) int { return -1 }, 1000, 1)
						c.Put()
						helpers[i] = max(helpers[i], crew.Load()%free)
						goroutines[i] = max(goroutines[i], int64(runtime.NumGoroutine()))
					}
				}()
			}
			all.Wait()
			if most := slices.Max(helpers[:]); most == 0 || most > int64(threads-1) {
				t.Errorf("%d helpers for %d threads", most, threads)
			}
			// One that has left the crew may still be on its way out.
			if most := slices.Max(goroutines[:]); most > int64(before+callers+2*threads) {
				t.Errorf("%d goroutines, of which %d were there before", most, before)
			}
		})
	}
}

// TestNoMoreThreadsThanCores: where GOMAXPROCS is far above the cores, there are
// no shares for goroutines that could only take turns.
func TestNoMoreThreadsThanCores(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(64))
	defer UseCores(2)()
	c := Get()
	defer c.Put()
	c.Run(func(*Call, int, int) int { return -1 }, 1<<20, 1)
	if got := len(c.shares); got != 2 {
		t.Errorf("%d shares on 2 cores", got)
	}
}

// TestPanics lets the loop panic in one goroutine or in all: the caller's panics
// with that value, after all have left, and the Call can be used again.
func TestPanics(t *testing.T) {
	onThreads(t, func(t *testing.T) {
		for round := range 200 {
			c := Get()
			var working atomic.Int64
			cause := func() (cause any) {
				defer func() { cause = recover() }()
				c.Run(func(_ *Call, lo, hi int) int {
					working.Add(1)
					defer working.Add(-1)
					if round%2 == 0 || lo <= 500 && 500 < hi {
						panic(errBroken)
					}
					return -1
				}, 1000, 1)
				return nil
			}()
			err, _ := cause.(error)
			if !errors.Is(err, errBroken) {
				t.Fatalf("panicked with %v", cause)
			}
			if runtime.GOMAXPROCS(0) > 1 {
				if text := fmt.Sprintf("%+v", err); !strings.Contains(text, "TestPanics") {
					t.Fatalf("no stack of the goroutine that panicked: %s", text)
				}
			}
			if n := working.Load(); n != 0 {
				t.Fatalf("%d goroutines are still at work", n)
			}
			var positions atomic.Int64
			if bad := c.Run(func(_ *Call, lo, hi int) int {
				positions.Add(int64(hi - lo))
				return -1
			}, 1000, 1); bad != -1 || positions.Load() != 1000 {
				t.Fatalf("the next run: bad index %d, %d positions", bad, positions.Load())
			}
			c.Put()
		}
	})
}

var errBroken = errors.New("broken")
