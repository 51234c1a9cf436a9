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
		c := Get()
		empty := Call{}
		empty.Axes, empty.Dims = c.Axes[:0], c.Dims[:0]
		if !reflect.DeepEqual(*c, empty) {
			t.Fatalf("a call that is not empty: %+v", c)
		}
		loop := func(*Call, int, int) int { return -1 }
		mem := make([]byte, 8)
		c.Description = Description{
			Form: Walk, Data: mem, Items: mem, Idx: mem, Idx32: true, NonNegative: true, Fill: true, NoInit: true,
			Batch: 1, Outer: 1, N: 1, Inner: 1, Span: 1, Axes: append(c.Axes, Axis{1, 1}),
			Dims: append(c.Dims, Dim{3, 1, 1, 1}), Head: 1, width: 1,
		}
		c.Schedule = Schedule{Old: mem, Atomic: true, columns: true, owners: 1, stages: stages{loop, mem, mem, 8, true, loop, 1}}
		c.scratch = scratch{step: mem, line: inGo.copyLines[0][0], word: 1, item: itemWork{inGo.copyItem[0][0], 1, mem, true, nil, 0}, startItem: itemWork{inGo.copyItem[0][0], 1, mem, true, nil, 0}, row: combineRowsGo[add, int8], neutral: mem, touched: mem, touches: &mem, kept: []int64{1}, keeps: &[]int64{1}, blends: true, old: mem, counts: new(counter), mean: meansInGo[num.Float32], strided: strided{moves: toData}, divided: 1, lines: &mem}
		c.work = loopWork{c, loop}
		for _, part := range []any{c.Description, c.Schedule, c.Schedule.stages, c.scratch} {
			for i, v := 0, reflect.ValueOf(part); i < v.NumField(); i++ {
				if v.Field(i).IsZero() {
					t.Fatalf("%T.%s is not filled by this test", part, v.Type().Field(i).Name)
				}
			}
		}
		c.Put()
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
