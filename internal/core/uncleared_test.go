package core

import (
	"bytes"
	"fmt"
	"testing"
	"unsafe"

	"github.com/x448/float16"
	"gorgonia.org/gather/internal/num"
	"gorgonia.org/gather/internal/plan"
	"gorgonia.org/tensor"
)

// poison has the memory of all results begin with bytes that are no zeros.
func poison(t *testing.T) (restore func()) {
	least, made := unclearedBytes, uncleared
	unclearedBytes = 1
	uncleared = func(n int) []byte { return bytes.Repeat([]byte{0xA5}, n) }
	restore = func() { unclearedBytes, uncleared = least, made }
	t.Cleanup(restore)
	return restore
}

// TestResultsAreOverwritten has each operator make a result in memory that is clear
// and in memory that is not.
func TestResultsAreOverwritten(t *testing.T) {
	floats := func(shape ...int) *tensor.Dense {
		return tensor.New(tensor.WithShape(shape...), tensor.WithBacking(tensor.Range(tensor.Float32, 1, 1+tensor.Shape(shape).TotalSize())))
	}
	ints := func(values []int64, shape ...int) *tensor.Dense {
		return tensor.New(tensor.WithShape(shape...), tensor.WithBacking(values))
	}
	data, transposed := floats(4, 6), floats(6, 4)
	if err := transposed.T(); err != nil {
		t.Fatal(err)
	}
	// Some targets have several updates, one has none.
	rows, elements := ints([]int64{3, 0, 3}, 3), ints([]int64{1, 0, 2, 1, 1, 2, 0, 5, 5, 3, 3, 3}, 2, 6)
	rowUpdates, elementUpdates := floats(3, 6), floats(2, 6)
	tuples := ints([]int64{3, 0, 3}, 3, 1)
	operators := map[string]func() (*tensor.Dense, error){
		"Gather": func() (*tensor.Dense, error) { return Gather(&plan.Params{Op: plan.Gather, Axis: 1}, nil, data, rows) },
		"GatherElements": func() (*tensor.Dense, error) {
			return Gather(&plan.Params{Op: plan.GatherElements, Axis: 1}, nil, data, elements)
		},
		"GatherND": func() (*tensor.Dense, error) { return Gather(&plan.Params{Op: plan.GatherND}, nil, data, tuples) },
		"a fill": func() (*tensor.Dense, error) {
			p := plan.Params{Op: plan.Gather, Settings: plan.Settings{OutOfRange: plan.ZeroFill}}
			return Gather(&p, nil, data, ints([]int64{9, 1, -7}, 3))
		},
	}
	for _, r := range []num.Reduction{num.None, num.Add, num.Sub, num.Mul, num.Min, num.Max, num.Mean} {
		for _, noInit := range []bool{false, true} {
			for _, in := range []*tensor.Dense{data, transposed} {
				settings := plan.Settings{Reduction: r, NoInit: noInit}
				for _, c := range []struct {
					p                plan.Params
					indices, updates *tensor.Dense
				}{
					{plan.Params{Op: plan.ScatterElements, Axis: 1, Settings: settings}, elements, elementUpdates},
					{plan.Params{Op: plan.ScatterND, Settings: settings}, tuples, rowUpdates},
				} {
					name := fmt.Sprint(c.p.Op, " ", r, " ", noInit, " ", in.Strides())
					operators[name] = func() (*tensor.Dense, error) { return Scatter(&c.p, nil, in, c.indices, c.updates) }
					for is, from := range map[ScatterMap]*tensor.Dense{VJPData: in, VJPUpdates: in, JVPData: in, JVPUpdates: c.updates} {
						if is == JVPUpdates && CheckHVP(c.p) != nil {
							continue
						}
						operators[fmt.Sprint(name, ", derivative ", is)] = func() (*tensor.Dense, error) {
							return is.Apply(c.p, nil, from, in, c.indices, c.updates)
						}
					}
				}
			}
		}
	}
	for name, run := range operators {
		want, err := run()
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		restore := poison(t)
		got, err := run()
		restore()
		if err != nil || !bytes.Equal(got.Uint8s(), want.Uint8s()) {
			t.Errorf("%s: in memory that is not clear %v, else %v: %v", name, got, want, err)
		}
	}
}

// TestUncleared makes large tensors of dtypes of each kind.
func TestUncleared(t *testing.T) {
	for _, dt := range []tensor.Dtype{
		tensor.Bool, tensor.Int8, tensor.Float32, tensor.Complex128,
		{Type: tensor.New(tensor.WithBacking([]float16.Float16{1, 2})).Dtype().Type},
		{Type: tensor.New(tensor.WithBacking([][3]int16{{1}, {2}})).Dtype().Type},
	} {
		shape := tensor.Shape{unclearedBytes, 3}
		d := newDense(dt, shape)
		mem := d.Uint8s()
		if d.Dtype() != dt || !d.Shape().Eq(shape) || len(mem) != 3*unclearedBytes*int(dt.Size()) || d.RequiresIterator() || d.IsManuallyManaged() {
			t.Errorf("%v: a tensor of dtype %v, shape %v and %d bytes", dt, d.Dtype(), d.Shape(), len(mem))
		}
		if at := uintptr(unsafe.Pointer(&mem[0])); at%4096 != 0 {
			t.Errorf("%v: the memory begins %d bytes behind a page", dt, at%4096)
		}
		for i := range mem {
			mem[i] = 0xFF // it is there, and nobody else's
		}
	}
}
