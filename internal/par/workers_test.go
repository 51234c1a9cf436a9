package par

import (
	"bytes"
	"fmt"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// TestWorkersLeave shows that no goroutine stays behind, and none is counted.
func TestWorkersLeave(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(4))
	defer UseCores(4)()
	for range 100 {
		Run(nothing, 1000, 1000)
	}
	stack := make([]byte, 1<<20)
	// One that has not begun to run is counted, but not in serve yet.
	for begin := time.Now(); workers.Load() != 0 || bytes.Contains(stack[:runtime.Stack(stack, true)], []byte("par.serve(")); time.Sleep(time.Millisecond) {
		if time.Since(begin) > 10*time.Second {
			w := workers.Load()
			t.Fatalf("%d workers are counted, %d idle:\n%s", w%idle, w/idle, stack[:runtime.Stack(stack, true)])
		}
	}
	for i := range slots {
		if slots[i].Load() != nil {
			t.Errorf("slot %d is still taken", i)
		}
	}
}

// TestWorkersDoNotPileUp makes calls of several goroutines faster than workers
// come, and counts these.
func TestWorkersDoNotPileUp(t *testing.T) {
	for _, threads := range []int{2, 8} {
		t.Run(fmt.Sprintf("%d threads", threads), func(t *testing.T) {
			defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(threads))
			defer UseCores(threads)()
			for workers.Load() != 0 {
				runtime.Gosched() // those of other tests
			}
			before := runtime.NumGoroutine()
			const callers = 4
			var most, goroutines [callers]int64 // the most that each has seen
			var all sync.WaitGroup
			for i := range callers {
				all.Add(1)
				go func() {
					defer all.Done()
					for range 3000 {
						Run(nothing, 1000, 1000)
						most[i] = max(most[i], workers.Load()%idle)
						goroutines[i] = max(goroutines[i], int64(runtime.NumGoroutine()))
					}
				}()
			}
			all.Wait()
			if most := slices.Max(most[:]); most == 0 || most > int64(threads-1) {
				t.Errorf("%d workers for %d threads", most, threads)
			}
			// One that is counted no more may still be on its way out.
			if most := slices.Max(goroutines[:]); most > int64(before+callers+2*threads) {
				t.Errorf("%d goroutines, of which %d were there before", most, before)
			}
		})
	}
}

// TestFewLargePieces shows that a worker comes to a large job of two positions, though so
// many tries before have been in vain that most others are left out.
func TestFewLargePieces(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(2))
	defer UseCores(2)()
	tries.debt.Store(2 * debtLimit)
	defer tries.debt.Store(0)
	var begun atomic.Int64
	Run(pieces(func(int, int) int {
		begun.Add(1)
		for deadline := time.Now().Add(10 * time.Second); begun.Load() < 2 && time.Now().Before(deadline); {
			runtime.Gosched()
		}
		if begun.Load() < 2 {
			t.Error("one goroutine runs both")
		}
		return -1
	}), 2, largeJob)
}

// TestTryStays runs a worker for one job while most tries are left out. One that a try
// started then watches for the next job, in vain, and a miss is recorded; another leaves.
func TestTryStays(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(2))
	defer UseCores(2)()
	for workers.Load() != 0 {
		runtime.Gosched() // those of other tests
	}
	defer tries.debt.Store(0)
	for _, try := range []bool{true, false} {
		tries.skipped.Store(0)
		tries.debt.Store(2 * debtLimit)
		done := 0
		j := &job{minPiece: 1, grains: 2, work: pieces(func(lo, hi int) int {
			done += hi - lo
			return -1
		})}
		j.deal(2, 2)
		j.state.Store(joinable)
		slots[0].Store(j)
		addWorker(1)
		serve(try)
		slots[0].Store(nil)
		if done != 2 {
			t.Errorf("started by a try %t: %d of 2 positions are done", try, done)
		}
		if missed := tries.debt.Load() == debtLimit+missCost; missed != try {
			t.Errorf("started by a try %t: watched %t, with a debt of %d", try, missed, tries.debt.Load())
		}
	}
}
