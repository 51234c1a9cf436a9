//go:build go1.25

package par

import (
	"bytes"
	"fmt"
	"runtime"
	"sync/atomic"
	"testing"
	"testing/synctest"
)

// ran is how many pieces goroutines have run that were started in a
// bubble of testing/synctest, and others.
type ran struct{ inside, outside int64 }

// runHere runs a call in the goroutine and its workers.
func runHere(t *testing.T) ran {
	var inside, outside atomic.Int64
	var positions atomic.Int64
	const n = 64
	bad := Run(pieces(func(lo, hi int) int {
		positions.Add(int64(hi - lo))
		stack := make([]byte, 200)
		header, _, _ := bytes.Cut(stack[:runtime.Stack(stack, false)], []byte("\n"))
		if bytes.Contains(header, []byte("synctest bubble")) {
			inside.Add(1)
		} else {
			outside.Add(1)
		}
		return -1
	}), n, n)
	if bad != -1 || positions.Load() != n {
		t.Errorf("%d of %d positions, bad index %d", positions.Load(), n, bad)
	}
	return ran{inside.Load(), outside.Load()}
}

// TestBubbles runs calls in bubbles, where clocks stand still and whose channels
// must not be used outside, and outside of them in turns. They are pooled.
func TestBubbles(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(4))
	defer UseCores(4)()
	// Workers may take all pieces of one call before its goroutine comes to any.
	var inside, outside int64
	for range 100 {
		synctest.Test(t, func(t *testing.T) { inside += runHere(t).inside })
		outside += runHere(t).outside
	}
	if inside == 0 || outside == 0 {
		t.Errorf("%d pieces inside, %d outside", inside, outside)
	}
}

// TestWorkersCrossBubbles makes calls inside and outside at the same time until
// each has been helped by the other's worker.
func TestWorkersCrossBubbles(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(4))
	defer UseCores(4)()
	var helpedOutside, helpedInside, stop atomic.Bool
	ended := make(chan bool)
	go func() {
		defer close(ended)
		for !stop.Load() {
			if runHere(t).inside > 0 {
				helpedOutside.Store(true)
			}
		}
	}()
	for try := 0; !helpedInside.Load() || !helpedOutside.Load(); try++ {
		if try == 2000 {
			t.Errorf("helped inside: %v, outside: %v", helpedInside.Load(), helpedOutside.Load())
			break
		}
		synctest.Test(t, func(t *testing.T) {
			for range 20 {
				if runHere(t).outside > 0 {
					helpedInside.Store(true)
				}
			}
		})
	}
	stop.Store(true)
	<-ended
}

// TestBubblesAtOnce has several bubbles, and calls outside, at the same time.
func TestBubblesAtOnce(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(4))
	defer UseCores(4)()
	calls := 300
	if testing.Short() {
		calls /= 3
	}
	t.Run("all", func(t *testing.T) {
		for i := range 4 {
			t.Run(fmt.Sprint("inside ", i), func(t *testing.T) {
				t.Parallel()
				for range calls / 3 {
					synctest.Test(t, func(t *testing.T) {
						runHere(t)
						runHere(t)
					})
				}
			})
			t.Run(fmt.Sprint("outside ", i), func(t *testing.T) {
				t.Parallel()
				for range calls {
					runHere(t)
				}
			})
		}
	})
}
