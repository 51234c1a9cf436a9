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

// TestWorkersLeave shows that no goroutine stays behind.
func TestWorkersLeave(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(4))
	defer UseCores(4)()
	for range 100 {
		Run(nothing, 1000, 1000)
	}
	stack := make([]byte, 1<<20)
	for begin := time.Now(); bytes.Contains(stack[:runtime.Stack(stack, true)], []byte("par.serve(")); time.Sleep(time.Millisecond) {
		if time.Since(begin) > 10*time.Second {
			t.Fatalf("a worker is still there:\n%s", stack[:runtime.Stack(stack, true)])
		}
	}
	for i := range slots {
		if slots[i].Load() != nil {
			t.Errorf("slot %d is still taken", i)
		}
	}
	if w := workers.Load(); w != 0 {
		t.Errorf("%d workers are counted, %d idle", w%idle, w/idle)
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

// TestTryStays shows that a worker stays for jobs that follow each other, though most tries
// are left out.
func TestTryStays(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(2))
	defer UseCores(2)()
	tries.debt.Store(2 * debtLimit)
	defer tries.debt.Store(0)
	shared := func() bool { // whether two goroutines have a part of a job
		var begun, alone atomic.Int64
		Run(pieces(func(int, int) int {
			begun.Add(1)
			for deadline := time.Now().Add(10 * time.Millisecond); begun.Load() < 2; runtime.Gosched() {
				if time.Now().After(deadline) {
					alone.Add(1)
					break
				}
			}
			return -1
		}), 2, 2)
		return alone.Load() == 0
	}
	for n := 0; !shared(); n++ {
		if n == 20*retryEvery {
			t.Fatalf("no worker in %d jobs", n)
		}
	}
	const jobs = 50
	stayed := 0
	for range jobs {
		if shared() {
			stayed++
		}
	}
	if stayed < jobs/2 {
		t.Errorf("a worker that came had a part of %d of the %d jobs behind the first", stayed, jobs)
	}
}
