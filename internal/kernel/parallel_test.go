package kernel

import (
	"fmt"
	"runtime"
	"sync"
	"testing"
)

// onThreads runs a test with several numbers of threads.
func onThreads(t *testing.T, test func(t *testing.T)) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(0))
	for _, n := range []int{1, 2, 3, 8} {
		runtime.GOMAXPROCS(n)
		t.Run(fmt.Sprintf("%d threads", n), test)
	}
}

// TestRun shows that chunks cover all positions once, in no more chunks than
// threads, none smaller than the grain.
func TestRun(t *testing.T) {
	onThreads(t, func(t *testing.T) {
		for _, s := range []struct{ n, grain int }{{0, 1}, {1, 1}, {2, 1}, {7, 1}, {100, 7}, {13, 7}, {14, 7}, {1000, 999}, {1001, 500}, {8, 1}, {9, 2}} {
			var mu sync.Mutex
			seen := make([]int, s.n)
			chunks := 0
			c := Get()
			bad := c.Run(func(_ *Call, lo, hi int) int {
				mu.Lock()
				defer mu.Unlock()
				chunks++
				for p := lo; p < hi; p++ {
					seen[p]++
				}
				if hi-lo < s.grain && chunks > 1 {
					t.Errorf("%+v: a chunk of %d", s, hi-lo)
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
			most := 1
			if s.n >= 2*s.grain {
				most = min(runtime.GOMAXPROCS(0), s.n/s.grain)
			}
			if chunks != most {
				t.Errorf("%+v: %d chunks, want %d", s, chunks, most)
			}
		}
	})
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
