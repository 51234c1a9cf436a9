package gather_test

import (
	"errors"
	"fmt"
	"math"
	"reflect"
	"testing"

	"gorgonia.org/gather"
	"gorgonia.org/gather/internal/cases"
	"gorgonia.org/gather/internal/gradtest"
	"gorgonia.org/gather/internal/oracle"
	G "gorgonia.org/gorgonia"
)

// TestBadIndex runs graphs with indices out of range, and finds the exact
// IndexError in what RunAll returns.
func TestBadIndex(t *testing.T) {
	positive := oracle.Policy{NonNegative: true}
	gatherOf := func(axis int, policy oracle.Policy, indices []int64, shape ...int) call {
		return call{op: "Gather", axis: axis, policy: policy, indices: oracle.From(indices, shape...)}
	}
	elementsOf := func(axis int, policy oracle.Policy, indices []int64, shape ...int) call {
		return call{op: "GatherElements", axis: axis, policy: policy, indices: oracle.From(indices, shape...)}
	}
	ndOf := func(batchDims int, policy oracle.Policy, indices []int64, shape ...int) call {
		return call{op: "GatherND", batchDims: batchDims, policy: policy, indices: oracle.From(indices, shape...)}
	}
	var none oracle.Policy
	for _, c := range []struct {
		name string
		call call
		want gather.IndexError
	}{
		{"the size of the axis", gatherOf(1, none, []int64{0, 3, 4, 9}, 2, 2), gather.IndexError{Position: []int{1, 0}, Index: 4, Axis: 1, Size: 4}},
		{"one below the least", gatherOf(0, none, []int64{-3, -4}, 2), gather.IndexError{Position: []int{1}, Index: -4, Axis: 0, Size: 3}},
		{"a scalar", gatherOf(-1, none, []int64{4}), gather.IndexError{Position: []int{}, Index: 4, Axis: 1, Size: 4}},
		{"in the next row, had it not been checked", gatherOf(1, none, []int64{7}, 1), gather.IndexError{Position: []int{0}, Index: 7, Axis: 1, Size: 4}},
		{"the least int64", gatherOf(0, none, []int64{math.MinInt64}, 1), gather.IndexError{Position: []int{0}, Index: math.MinInt64, Axis: 0, Size: 3}},
		{"the greatest int64", gatherOf(0, none, []int64{math.MaxInt64}, 1), gather.IndexError{Position: []int{0}, Index: math.MaxInt64, Axis: 0, Size: 3}},
		{"in range after a cut to 32 bits", gatherOf(0, none, []int64{1<<32 + 1}, 1), gather.IndexError{Position: []int{0}, Index: 1<<32 + 1, Axis: 0, Size: 3}},
		{"negative where it may not be", gatherOf(1, positive, []int64{3, -1}, 2), gather.IndexError{Position: []int{1}, Index: -1, Axis: 1, Size: 4, NonNegative: true}},

		{"the size of the axis", elementsOf(0, none, []int64{0, 1, 2, 3}, 1, 4), gather.IndexError{Position: []int{0, 3}, Index: 3, Axis: 0, Size: 3}},
		{"one below the least", elementsOf(1, none, []int64{0, -5, 0}, 3, 1), gather.IndexError{Position: []int{1, 0}, Index: -5, Axis: 1, Size: 4}},
		{"the least int64", elementsOf(1, none, []int64{0, 0, math.MinInt64}, 3, 1), gather.IndexError{Position: []int{2, 0}, Index: math.MinInt64, Axis: 1, Size: 4}},
		{"negative where it may not be", elementsOf(1, positive, []int64{0, -1, 0}, 3, 1), gather.IndexError{Position: []int{1, 0}, Index: -1, Axis: 1, Size: 4, NonNegative: true}},

		{"the first component", ndOf(0, none, []int64{2, 3, 3, 0, 5, 5}, 3, 2), gather.IndexError{Position: []int{1, 0}, Index: 3, Axis: 0, Size: 3}},
		{"the second component", ndOf(0, none, []int64{2, 3, 0, 4}, 2, 2), gather.IndexError{Position: []int{1, 1}, Index: 4, Axis: 1, Size: 4}},
		{"behind a batch dim", ndOf(1, none, []int64{0, 3, -5}, 3, 1), gather.IndexError{Position: []int{2, 0}, Index: -5, Axis: 1, Size: 4}},
		{"one tuple alone", ndOf(0, none, []int64{-4, 0}, 2), gather.IndexError{Position: []int{0}, Index: -4, Axis: 0, Size: 3}},
		{"negative where it may not be", ndOf(0, positive, []int64{0, -1}, 1, 2), gather.IndexError{Position: []int{0, 1}, Index: -1, Axis: 1, Size: 4, NonNegative: true}},
	} {
		t.Run(c.call.op+", "+c.name, func(t *testing.T) {
			want := c.want
			want.Op, want.Operands = c.call.op, []string{"input 0", "input 1"}
			if _, bad := c.call.forward(offsets(3, 4)); bad == nil || bad.Axis != want.Axis || bad.Index != want.Index || !reflect.DeepEqual(bad.Position, want.Position) {
				t.Fatalf("the oracle has %v", bad)
			}
			onFailingMachines(t, func(t *testing.T, m gradtest.Machine) {
				inputs := []gradtest.Input{{Value: dense(offsets(3, 4).Data, 3, 4)}, {Value: dense(c.call.indices.Data, c.call.indices.Shape...)}}
				_, err := gradtest.Forward(m, inputs, c.call.build)
				got, found := gather.AsIndexError(err)
				if !found || !reflect.DeepEqual(*got, want) {
					t.Fatalf("got %+v in %v, want %+v", got, err, want)
				}
			})
		})
	}
}

// TestBadIndexOfGradient applies a gradient operator to bad indices.
func TestBadIndexOfGradient(t *testing.T) {
	c := call{op: "Gather", indices: oracle.From([]int64{0, 1}, 2)}
	a := newAllocated(t, c, c.indexTensor())
	add := scatterAddOf(t, a.op, dense(make([]float64, 8), 2, 4), c.indexTensor(), 3, 4)
	_, err := add.Do(dense(make([]float64, 8), 2, 4), dense([]int64{0, 3}, 2))
	want := gather.IndexError{Op: "Gather", Position: []int{1}, Index: 3, Axis: 0, Size: 3, Operands: []string{"data", "indices"}}
	if got, found := gather.AsIndexError(err); !found || !reflect.DeepEqual(*got, want) {
		t.Errorf("got %v, want %v", err, want)
	}
}

// TestAsIndexError looks into errors that hold one in several ways, or not.
func TestAsIndexError(t *testing.T) {
	index := &gather.IndexError{Op: "Gather", Position: []int{2}, Index: 7, Axis: 1, Size: 3}
	for _, c := range []struct {
		name  string
		err   error
		found bool
	}{
		{"itself", index, true},
		{"wrapped", fmt.Errorf("wrapped: %w", index), true},
		{"in a type without Unwrap", noUnwrap{index}, true},
		{"in that, wrapped on both sides", fmt.Errorf("out: %w", noUnwrap{fmt.Errorf("in: %w", index)}), true},
		{"in that twice", noUnwrap{noUnwrap{index}}, true},
		{"another error", errors.New("another"), false},
		{"another error in a type without Unwrap", noUnwrap{errors.New("another")}, false},
		{"nothing in a type without Unwrap", noUnwrap{nil}, false},
		{"nil", nil, false},
		{"a nil one", (*gather.IndexError)(nil), false},
		{"in a type that holds itself", holdsItself{}, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, found := gather.AsIndexError(c.err)
			if found != c.found || found && got != index {
				t.Errorf("got %v, %v", got, found)
			}
		})
	}
	if text, want := index.Error(), "Gather: indices[2]: 7 out of range [-3, 3) for data axis 1"; text != want {
		t.Errorf("the error reads %q, want %q", text, want)
	}
}

// noUnwrap wraps an error like the errors of Gorgonia's machines.
type noUnwrap struct{ err error }

func (e noUnwrap) Error() string { return fmt.Sprint("wrapped: ", e.err) }

func (e noUnwrap) Err() error { return e.err }

// TestGoodRunAfterBadOne runs a graph with a bad index, replaces it, and runs
// the graph again.
func TestGoodRunAfterBadOne(t *testing.T) {
	onFailingMachines(t, func(t *testing.T, m gradtest.Machine) {
		g := G.NewGraph()
		indices := input(g, "indices", dense([]int64{2}, 1))
		out, err := gather.Gather(input(g, "data", dense([]float64{1, 2}, 2)), indices, 0)
		ok(t, err)
		if _, found := gather.AsIndexError(runForward(m, g)); !found {
			t.Fatal("no IndexError")
		}
		ok(t, G.Let(indices, dense([]int64{-1}, 1)))
		ok(t, runForward(m, g))
		same(t, "values", elements[float64](t, out.Value()), []float64{2})
	})
}

// holdsItself is an error without an end.
type holdsItself struct{}

func (holdsItself) Error() string { return "holds itself" }

func (holdsItself) Err() error { return holdsItself{} }

// TestScatterBadIndex runs graphs with an index out of range: the error says
// where it stands.
func TestScatterBadIndex(t *testing.T) {
	for _, c := range []struct {
		name string
		call scatterCall
		want gather.IndexError
	}{
		{"ScatterElements", scatterCall{cases.Scatter{Op: "ScatterElements", Axis: 1, Data: []int{2, 3}, Indices: oracle.From([]int64{0, 1, 2, 3}, 2, 2), Updates: []int{2, 2}}},
			gather.IndexError{Op: "ScatterElements", Position: []int{1, 1}, Index: 3, Axis: 1, Size: 3}},
		{"ScatterND", scatterCall{cases.Scatter{Op: "ScatterND", Data: []int{2, 3}, Indices: oracle.From([]int64{0, 2, 1, -4}, 2, 2), Updates: []int{2}}},
			gather.IndexError{Op: "ScatterND", Position: []int{1, 1}, Index: -4, Axis: 1, Size: 3}},
		{"ScatterUpdate", scatterCall{cases.Scatter{Op: "ScatterUpdate", Data: []int{2, 3}, Indices: oracle.From([]int64{2}), Updates: []int{3}}},
			gather.IndexError{Op: "ScatterUpdate", Position: []int{}, Index: 2, Axis: 0, Size: 2}},
	} {
		t.Run(c.name, func(t *testing.T) {
			c.want.Operands = []string{"input 0", "input 2", "input 1"} // in the order of the operator
			onFailingMachines(t, func(t *testing.T, m gradtest.Machine) {
				_, err := gradtest.Forward(m, c.call.inputs(dense(offsets(2, 3).Data, 2, 3), dense(offsets(c.call.Updates...).Data, c.call.Updates...)), c.call.build)
				bad, found := gather.AsIndexError(err)
				if !found || fmt.Sprintf("%+v", *bad) != fmt.Sprintf("%+v", c.want) {
					t.Errorf("error %v, want %v", err, &c.want)
				}
			})
		})
	}
}
