package gather_test

import (
	"fmt"
	"testing"

	"gorgonia.org/gather"
	"gorgonia.org/gather/internal/cases"
	"gorgonia.org/gather/internal/gradtest"
	"gorgonia.org/gather/internal/oracle"
)

// TestEmpty has results, indices and data without elements. Gradients exist
// then, too: zeros, of the shape of data.
func TestEmpty(t *testing.T) {
	for _, c := range []struct {
		name string
		data []int
		call call
	}{
		{"no index", []int{3, 4}, call{op: "Gather", indices: oracle.New[int64](0)}},
		{"no index, other dims", []int{3, 4}, call{op: "Gather", axis: 1, indices: oracle.New[int64](2, 0)}},
		{"no batch", []int{0, 3}, call{op: "Gather", axis: 1, batchDims: 1, indices: oracle.New[int64](0, 2)}},
		{"slices without elements", []int{3, 0}, call{op: "Gather", indices: oracle.From([]int64{2, -3}, 2)}},
		{"slices without elements, inner axis", []int{0, 3}, call{op: "Gather", axis: 1, indices: oracle.From([]int64{2, -3}, 2)}},
		{"no index on an axis without elements", []int{0, 3}, call{op: "Gather", indices: oracle.New[int64](0)}},
		{"any index, if all are filled with zeros", []int{0, 3}, call{op: "Gather", indices: oracle.From([]int64{5, -1}, 2), policy: oracle.Policy{ZeroFill: true}}},

		{"no index", []int{3, 4}, call{op: "GatherElements", indices: oracle.New[int64](0, 4)}},
		{"no index beside the axis", []int{3, 4}, call{op: "GatherElements", indices: oracle.New[int64](2, 0)}},
		{"no data", []int{0, 4}, call{op: "GatherElements", axis: 1, indices: oracle.New[int64](0, 9)}},

		{"no tuple", []int{3, 4}, call{op: "GatherND", indices: oracle.New[int64](0, 2)}},
		{"no tuple, other dims", []int{3, 4}, call{op: "GatherND", indices: oracle.New[int64](2, 0, 1)}},
		{"slices without elements", []int{3, 0}, call{op: "GatherND", indices: oracle.From([]int64{2, -3}, 2, 1)}},
		{"no batch", []int{0, 4}, call{op: "GatherND", batchDims: 1, indices: oracle.New[int64](0, 1)}},
		{"no batch, fused", []int{2, 0, 4}, call{op: "GatherND", batchDims: 2, fused: true, indices: oracle.New[int64](2, 0, 3, 1)}},
	} {
		t.Run(c.call.op+", "+c.name, func(t *testing.T) {
			data := offsets(c.data...)
			want, bad := c.call.forward(data)
			if bad != nil {
				t.Fatal(bad)
			}
			u := gradtest.Integers(newRand(11), len(want.Data))
			onMachines(t, func(t *testing.T, m gradtest.Machine) {
				got, err := gradtest.Backward(m, []gradtest.Input{{Value: dense(data.Data, c.data...), Differentiate: true}, {Value: c.call.indexTensor()}}, c.call.build, u)
				ok(t, err)
				same(t, "shape", got.Shape, want.Shape)
				same(t, "values", got.Output, want.Data)
				same(t, "gradient", got.Grads[0], make([]float64, len(data.Data)))
			})
		})
	}
}

// TestEmptyIsStillChecked has bad indices where no element is read for them.
func TestEmptyIsStillChecked(t *testing.T) {
	for _, c := range []struct {
		name string
		data []int
		call call
	}{
		{"an axis without elements", []int{0, 3}, call{op: "Gather", indices: oracle.From([]int64{0}, 1)}},
		{"slices without elements", []int{3, 0}, call{op: "Gather", indices: oracle.From([]int64{3}, 1)}},
		{"slices without elements", []int{3, 0}, call{op: "GatherND", indices: oracle.From([]int64{-4}, 1, 1)}},
	} {
		t.Run(c.call.op+", "+c.name, func(t *testing.T) {
			onFailingMachines(t, func(t *testing.T, m gradtest.Machine) {
				_, err := gradtest.Forward(m, []gradtest.Input{{Value: dense[float64](nil, c.data...)}, {Value: c.call.indexTensor()}}, c.call.build)
				if _, found := gather.AsIndexError(err); !found {
					t.Errorf("got %v, want an IndexError", err)
				}
			})
		})
	}
}

// TestScatterEmpty has no updates, or no data. Gradients exist then, too.
func TestScatterEmpty(t *testing.T) {
	for _, c := range []scatterCall{
		{cases.Scatter{Op: "ScatterElements", Data: []int{3, 4}, Indices: oracle.New[int64](0, 4), Updates: []int{0, 4}}},
		{cases.Scatter{Op: "ScatterElements", Axis: 1, Data: []int{3, 4}, Indices: oracle.New[int64](0, 9), Updates: []int{0, 9}}},
		{cases.Scatter{Op: "ScatterElements", Axis: 1, Data: []int{0, 4}, Indices: oracle.New[int64](0, 9), Updates: []int{0, 9}}},
		{cases.Scatter{Op: "ScatterND", Data: []int{3, 4}, Indices: oracle.New[int64](0, 2), Updates: []int{0}}},
		{cases.Scatter{Op: "ScatterND", Data: []int{3, 4}, Indices: oracle.New[int64](2, 0, 1), Updates: []int{2, 0, 4}}},
		{cases.Scatter{Op: "ScatterND", Data: []int{3, 0}, Indices: oracle.From([]int64{2, -3}, 2, 1), Updates: []int{2, 0}}},
		{cases.Scatter{Op: "ScatterUpdate", Data: []int{3, 4}, Axis: 1, Indices: oracle.New[int64](0), Updates: []int{3, 0}}},
	} {
		for _, rule := range scatterRules {
			if c.Op == "ScatterUpdate" && rule != (oracle.Rule{}) {
				continue
			}
			c := c
			c.Rule = rule
			t.Run(fmt.Sprint(c, c.Indices.Shape), func(t *testing.T) {
				x := offsets(c.Data...).Data
				u := gradtest.Integers(newRand(5), len(x))
				onMachines(t, func(t *testing.T, m gradtest.Machine) {
					got, err := gradtest.Backward(m, c.inputs(dense(x, c.Data...), dense([]float64{}, c.Updates...)), c.build, u)
					ok(t, err)
					c.check(t, got, u, x, []float64{})
				})
			})
		}
	}
}
