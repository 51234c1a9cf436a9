package par

import (
	"errors"
	"fmt"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
)

// TestPanics lets the loop panic in one goroutine or in all: the caller's panics
// with that value, after all have left, and the Call can be used again.
func TestPanics(t *testing.T) {
	onThreads(t, func(t *testing.T) {
		for round := range 200 {
			var working atomic.Int64
			cause := func() (cause any) {
				defer func() { cause = recover() }()
				Run(pieces(func(lo, hi int) int {
					working.Add(1)
					defer working.Add(-1)
					if round%2 == 0 || lo <= 500 && 500 < hi {
						panic(errBroken)
					}
					return -1
				}), 1000, 1000)
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
			if bad := Run(pieces(func(lo, hi int) int {
				positions.Add(int64(hi - lo))
				return -1
			}), 1000, 1000); bad != -1 || positions.Load() != 1000 {
				t.Fatalf("the next run: bad index %d, %d positions", bad, positions.Load())
			}
		}
	})
}

var errBroken = errors.New("broken")
