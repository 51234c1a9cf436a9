//go:build go1.25

package dense_test

import (
	"runtime"
	"testing"
	"testing/synctest"

	"gorgonia.org/gather/dense"
	"gorgonia.org/gather/internal/par"
)

// TestGatherInBubbles gathers in a bubble of testing/synctest, where clocks stand
// still, and outside of it in turns: a small call, and one that helpers share.
func TestGatherInBubbles(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(4))
	defer par.UseCores(4)()
	data := upTo(1, 100, 200)
	gather := func(t *testing.T) {
		for _, n := range []int{1, 2000} {
			out, err := dense.Gather(data, values(dims{n}, make([]int64, n)...), 0)
			if err != nil {
				t.Fatal(err)
			}
			if got := out.Float64s(); got[0] != 1 || got[len(got)-1] != 200 {
				t.Errorf("%d rows: from %v to %v", n, got[0], got[len(got)-1])
			}
		}
	}
	for range 20 {
		synctest.Test(t, gather)
		gather(t)
	}
}
