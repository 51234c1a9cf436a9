package kernel

import (
	"fmt"
	"reflect"
	"runtime"
	"slices"
	"testing"
	"weak"

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
			Old: mem, Separate: true, Atomic: true, NoInit: true, Axes: append(c.AvailableAxes(), Axis{1, 1}), Loops: append(c.AvailableLoops(), Loop{3, 1, 1, 1}),
		})
		for i, v := 0, reflect.ValueOf(c.Description); i < v.NumField(); i++ {
			if v.Field(i).IsZero() {
				t.Fatalf("%s is not filled by this test", v.Type().Field(i).Name)
			}
		}
		c.Put()
	}
}

// TestJobsForget runs what works on the memory of callers, in place and with a bad index. When the
// call has been given back none of that is reachable from it.
func TestJobsForget(t *testing.T) {
	c := newCall()
	c.form = byLoops
	var made []weak.Pointer[byte]
	memory := func(from []byte) []byte {
		mem := slices.Clone(from)
		made = append(made, weak.Make(&mem[0]))
		return mem
	}
	for _, n := range []int64{3, 9} { // 9 is bad
		for _, inner := range []int{1, 24} {
			empty := make([]byte, 16*inner)
			c.Description = Description{
				Width: 4, Data: memory(empty), Items: memory(empty), Idx: memory(num.Bytes([]int64{1, 0, n, 2})), Separate: true, Atomic: true, NoInit: true,
				Loops: []Loop{{4, inner, 0, 1}, {inner, 1, 1, 0}}, Axes: []Axis{{4, inner}},
			}
			c.Gather()
			c.Scatter()
			c.Reduce(num.Float32, num.Add)
			c.Mean(num.Float32)
		}
	}
	c.Put()
	runtime.GC()
	for i, mem := range made {
		if mem.Value() != nil {
			t.Errorf("memory %d of a caller is still there", i)
		}
	}
	runtime.KeepAlive(c)
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
