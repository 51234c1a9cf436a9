package kernel

import (
	"bytes"
	"fmt"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// onThreads runs a test with several numbers of threads.
func onThreads(t *testing.T, test func(t *testing.T)) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(0))
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
	for i := range seats {
		if seats[i].run.Load() != nil {
			t.Errorf("seat %d is taken", i)
		}
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

// TestCallsForget: a call from the pool has nothing of an earlier one but
// memory for its slices.
func TestCallsForget(t *testing.T) {
	for range 100 {
		c := Get()
		if c.Data != nil || c.Items != nil || c.Idx != nil || c.Idx32 || c.NonNegative || c.Fill || len(c.Axes)+len(c.Dims)+c.Head != 0 {
			t.Fatalf("a call that is not empty: %+v", c)
		}
		c.Data, c.Items, c.Idx = make([]byte, 8), make([]byte, 8), make([]byte, 8)
		c.Idx32, c.NonNegative, c.Fill = true, true, true
		c.Axes = append(c.Axes, Axis{Size: 1, Stride: 1})
		c.Pick(Dim{N: 3, Items: 1, Data: 1, Idx: 1})
		c.Put()
	}
}
