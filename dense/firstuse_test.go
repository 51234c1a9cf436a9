package dense_test

import (
	"sync"
	"testing"

	"gorgonia.org/gather/dense"
	"gorgonia.org/tensor"
)

// Types that package tensor sees for the first time in TestFirstUseOfADtype.
type (
	fresh1 struct{ a, b uint32 }
	fresh2 struct{ a, b uint32 }
)

// TestFirstUseOfADtype gathers data of new types in several goroutines. The
// option Of of package tensor would write each into a global list, unguarded.
// Its point is the race detector.
func TestFirstUseOfADtype(t *testing.T) {
	indices := index(1, 0)
	inputs := []*tensor.Dense{values(dims{3}, fresh1{}, fresh1{1, 1}, fresh1{}), values(dims{3}, fresh2{}, fresh2{1, 1}, fresh2{})}
	start := make(chan struct{})
	var wg sync.WaitGroup
	for i := range 8 {
		wg.Add(1)
		go func() {
			defer wg.Done()
			<-start
			if _, err := dense.Gather(inputs[i%2], indices, 0); err != nil {
				t.Error(err)
			}
		}()
	}
	close(start)
	wg.Wait()
}
