package par

import (
	"fmt"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
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

// pieces is work for Run.
type pieces func(lo, hi int) int

func (do pieces) Piece(lo, hi int) int { return do(lo, hi) }

var nothing = pieces(func(int, int) int { return -1 })

// TestRun shows that pieces cover all positions once, and that there is one
// only where there is too little to do for two goroutines.
func TestRun(t *testing.T) {
	onThreads(t, func(t *testing.T) {
		evenly := func(w Work, n, grains int) int { return RunEven(w, n, n, grains) }
		for even, run := range []func(Work, int, int) int{Run, evenly} {
			for _, s := range []struct{ n, grains int }{{0, 0}, {0, 9}, {1, 1}, {1, 9}, {2, 2}, {2, 900}, {7, 7}, {100, 14}, {13, 1}, {14, 2}, {1001, 2}, {8, 800}, {9, 4}} {
				var mu sync.Mutex
				seen := make([]int, s.n)
				n := 0
				bad := run(pieces(func(lo, hi int) int {
					mu.Lock()
					defer mu.Unlock()
					n++
					for p := lo; p < hi; p++ {
						seen[p]++
					}
					return -1
				}), s.n, s.grains)
				if bad != -1 {
					t.Errorf("%+v: bad index at %d", s, bad)
				}
				for p, times := range seen {
					if times != 1 {
						t.Errorf("%+v: position %d ran %d times", s, p, times)
					}
				}
				threads := 1
				if s.n > 1 && s.grains > 1 {
					threads = min(runtime.GOMAXPROCS(0), s.n, s.grains)
				}
				if one := threads == 1; one != (n == 1) || even == 1 && n != threads {
					t.Errorf("%+v: %d pieces for %d threads", s, n, threads)
				}
			}
		}
	})
}

// TestRunInManyGoroutines runs calls at the same time, again and again, so that
// they take workers from each other, and workers come too late, to later calls.
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
				bad := Run(pieces(func(lo, hi int) int {
					for p := lo; p < hi; p++ {
						seen[p].Add(1)
					}
					if lo <= k%7 && k%7 < hi {
						return k % 7
					}
					return -1
				}), n, n)
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

// TestRunFindsTheFirst gives several chunks a bad index each.
func TestRunFindsTheFirst(t *testing.T) {
	onThreads(t, func(t *testing.T) {
		const n = 1000
		for first := 0; first < n; first += 37 {
			bad := Run(pieces(func(lo, hi int) int {
				if hi <= first {
					return -1
				}
				return max(lo, first)
			}), n, 100)
			if bad != first {
				t.Errorf("bad index at %d, want %d", bad, first)
			}
		}
	})
}

// TestNoMoreThreadsThanCores: where GOMAXPROCS is far above the cores, there are
// no shares for goroutines that could only take turns.
func TestNoMoreThreadsThanCores(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(64))
	defer UseCores(2)()
	n := atomic.Int64{}
	RunEven(pieces(func(int, int) int {
		n.Add(1)
		return -1
	}), 1<<20, 1<<20, 1<<20)
	if n.Load() != 2 {
		t.Errorf("%d pieces on 2 cores", n.Load())
	}
}
