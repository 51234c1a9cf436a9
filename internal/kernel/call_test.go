package kernel

import (
	"fmt"
	"reflect"
	"runtime"
	"testing"

	"gorgonia.org/gather/internal/num"
	"gorgonia.org/gather/internal/par"
)

// TestCallsForget fills every field of a call: the next one from the pool has
// nothing of it but memory for its slices.
func TestCallsForget(t *testing.T) {
	for range 100 {
		c := newCall()
		empty := Description{Axes: c.axes[:0], Dims: c.dims[:0]}
		if !reflect.DeepEqual(c.Description, empty) {
			t.Fatalf("a call that is not empty: %+v", c)
		}
		mem := make([]byte, 8)
		c.Description = Description{
			form: byLoops, Width: 1, Data: mem, Items: mem, Idx: mem, Idx32: true, NonNegative: true, Fill: true,
			Old: mem, Atomic: true, NoInit: true,
			Batch: 1, Outer: 1, N: 1, Inner: 1, Span: 1, Axes: append(c.Axes, Axis{1, 1}),
			Dims: append(c.Dims, Loop{3, 1, 1, 1}), Head: 1,
		}
		for i, v := 0, reflect.ValueOf(c.Description); i < v.NumField(); i++ {
			if v.Field(i).IsZero() {
				t.Fatalf("%s is not filled by this test", v.Type().Field(i).Name)
			}
		}
		c.Put()
	}
}

// TestJobsForget runs what keeps memory with a call, in place and with a bad index, and
// demands that none of the caller's is left there.
func TestJobsForget(t *testing.T) {
	c := newCall()
	jobs := c.jobs
	for _, n := range []int64{3, 9} { // 9 is bad
		idx := num.Bytes([]int64{1, 0, n, 2})
		for _, form := range []Form{Block, Elements} {
			for _, inner := range []int{1, 24} {
				call := Description{
					Form: form, Width: 4, Data: make([]byte, 16*inner), Items: make([]byte, 16*inner), Idx: idx, Atomic: true, NoInit: true,
					Batch: 1, Outer: 1, N: 4, Inner: inner, Span: 4 * inner, Axes: []Axis{{4, inner}},
				}
				if form == byElements {
					call.Inner, call.Axes = 1, []Axis{{4, 1}}
					call.Span = 4
				}
				c.Description = call
				c.Gather()
				c.Scatter()
				c.Reduce(num.Float32, num.Add)
				c.Mean(num.Float32)
			}
		}
	}
	c.Put()
	for _, s := range []*elementScatter{&jobs.scatter, &jobs.mean.elementScatter} {
		if s.copy.to != nil || s.copy.from != nil || s.op.one != nil || s.fill.one != nil {
			t.Error("a scatter of elements keeps memory of its caller")
		}
	}
	if jobs.mean.counts != nil {
		t.Error("a mean keeps its counts")
	}
	if !reflect.DeepEqual(jobs.rows, rowScatter{}) {
		t.Errorf("a scatter of rows keeps %+v", jobs.rows)
	}
}

// onThreads runs a test with several numbers of threads.
func onThreads(t *testing.T, test func(t *testing.T)) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(0))
	defer par.UseCores(8)()
	for _, n := range []int{1, 2, 3, 8} {
		runtime.GOMAXPROCS(n)
		t.Run(fmt.Sprintf("%d threads", n), test)
	}
}
