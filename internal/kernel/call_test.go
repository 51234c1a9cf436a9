package kernel

import (
	"fmt"
	"reflect"
	"runtime"
	"testing"

	"gorgonia.org/gather/internal/memtest"
	"gorgonia.org/gather/internal/num"
	"gorgonia.org/gather/internal/par"
)

// TestCallsForget fills every field of a call: the next one from the pool has
// nothing of it but memory for its slices.
func TestCallsForget(t *testing.T) {
	for range 100 {
		c := Get()
		if !reflect.DeepEqual(c.Description, Description{}) {
			t.Fatalf("a call that is not empty: %+v", c.Description)
		}
		mem := make([]byte, 8)
		c.Describe(&Description{
			Width: 1, Data: mem, Items: mem, Idx: mem, Idx32: true, NonNegative: true, SkipBad: true,
			Old: mem, Atomic: true, NoInit: true, Axes: append(c.AvailableAxes(), Axis{1, 1}), Loops: append(c.AvailableLoops(), Loop{3, 1, 1, 1}),
		})
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
	for _, n := range []int64{3, 9} { // 9 is bad
		idx := num.Bytes([]int64{1, 0, n, 2})
		for _, inner := range []int{1, 24} {
			c.Description = Description{
				Width: 4, Data: make([]byte, 16*inner), Items: make([]byte, 16*inner), Idx: idx, Atomic: true, NoInit: true,
				Loops: []Loop{{4, inner, 0, 1}, {inner, 1, 1, 0}}, Axes: []Axis{{4, inner}},
			}
			c.Gather()
			c.Scatter()
			c.Reduce(num.Float32, num.Add)
			c.Mean(num.Float32)
		}
	}
	c.Put()
	s := &c.Call.scatter
	if s.element.one != nil || s.setSingle.one != nil || s.neutral != nil || s.Call != nil || s.whole.Call != nil {
		t.Error("a scatter keeps memory of its caller")
	}
	if c.Call.gather.whole.Call != nil {
		t.Error("a gather keeps its call")
	}
}

// threads are the numbers of threads that calls are tried with, the same on all machines.
var threads = []int{1, 2, 3, 8}

// onThreads runs a test with several numbers of threads.
func onThreads(t *testing.T, test func(t *testing.T)) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(0))
	defer par.UseCores(8)()
	for _, n := range threads {
		runtime.GOMAXPROCS(n)
		memtest.Case(t, fmt.Sprintf("%d threads", n), test)
	}
}
