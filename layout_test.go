package gather_test

import (
	"fmt"
	"testing"

	"gorgonia.org/gather"
	"gorgonia.org/gather/internal/gradtest"
	"gorgonia.org/gather/internal/layout"
	"gorgonia.org/gather/internal/oracle"
	G "gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

// layouts are one and the same 3×4 matrix in every layout. The values are 0, 1, 2, …
// in row-major order.
func layouts() map[string]*tensor.Dense {
	in := map[string]*tensor.Dense{}
	for _, l := range layout.All {
		in[l.String()] = layout.Lay(l, offsets(3, 4).Data, 100, 3, 4).Dense
	}
	return in
}

// TestLayouts gives data in every layout to graphs. LispMachine makes gradients
// in the layout of the value.
func TestLayouts(t *testing.T) {
	for name, data := range layouts() {
		for _, c := range []call{
			{op: "Gather", indices: oracle.From([]int64{2, -3, 2, 1, 0}, 5)},
			{op: "Gather", axis: 1, indices: oracle.From([]int64{3, 0, -1, -4, 3, 1}, 3, 2)},
			{op: "Gather", axis: 1, batchDims: 1, indices: oracle.From([]int64{3, 0, -1, -4, 3, 3}, 3, 2)},
			{op: "GatherElements", indices: oracle.From([]int64{2, 0, -1, 0, 1, 1, 0, 0}, 2, 4)},
			{op: "GatherElements", axis: 1, indices: oracle.From([]int64{2, 2, -1, 3, 0, 0}, 3, 2)},
			{op: "GatherND", indices: oracle.From([]int64{2, 0, -1, -1, 0, 3, 2, 0}, 4, 2)},
			{op: "GatherND", batchDims: 1, indices: oracle.From([]int64{2, 0, -1}, 3, 1)},
		} {
			t.Run(name+" "+c.String(), func(t *testing.T) {
				want, _ := c.forward(offsets(3, 4))
				u := gradtest.Integers(newRand(6), len(want.Data))
				gradient := c.backward(t, []int{3, 4}, u)
				onMachines(t, func(t *testing.T, m gradtest.Machine) {
					got, err := gradtest.Backward(m, []gradtest.Input{{Value: data, Differentiate: true}, {Value: c.indexTensor()}}, c.build, u)
					ok(t, err)
					same(t, "values", got.Output, want.Data)
					same(t, "gradient", got.Grads[0], gradient)
				})
			})
		}
	}
}

// TestIndexLayouts gives indices in every layout.
func TestIndexLayouts(t *testing.T) {
	c := call{op: "Gather", axis: 1, indices: oracle.From([]int64{3, 0, 1, -1, 2, 0}, 2, 3)}
	want, _ := c.forward(offsets(3, 4))
	u := gradtest.Integers(newRand(7), len(want.Data))
	for _, l := range layout.All {
		t.Run(l.String(), func(t *testing.T) {
			indices := layout.Lay(l, c.indices.Data, 9, 2, 3).Dense
			onMachines(t, func(t *testing.T, m gradtest.Machine) {
				got, err := gradtest.Backward(m, []gradtest.Input{{Value: dense(offsets(3, 4).Data, 3, 4), Differentiate: true}, {Value: indices}}, c.build, u)
				ok(t, err)
				same(t, "values", got.Output, want.Data)
				same(t, "gradient", got.Grads[0], c.backward(t, []int{3, 4}, u))
			})
		})
	}
}

// TestTransposedNodes takes data and the gradient through Gorgonia's Transpose,
// in the graph: the gathers see views, and the gradient comes back as one.
func TestTransposedNodes(t *testing.T) {
	build := func(in []*G.Node) (*G.Node, error) {
		columns, err := G.Transpose(in[0], 1, 0)
		if err != nil {
			return nil, err
		}
		picked, err := gather.Gather(columns, in[1], 0)
		if err != nil {
			return nil, err
		}
		return G.Transpose(picked, 1, 0)
	}
	c := call{op: "Gather", axis: 1, indices: oracle.From([]int64{3, 0, -1, 3}, 4)}
	data := offsets(3, 4)
	want, _ := c.forward(data)
	u := gradtest.Integers(newRand(8), len(want.Data))
	onMachines(t, func(t *testing.T, m gradtest.Machine) {
		got, err := gradtest.Backward(m, []gradtest.Input{{Value: dense(data.Data, 3, 4), Differentiate: true}, {Value: c.indexTensor()}}, build, u)
		ok(t, err)
		same(t, "values", got.Output, want.Data)
		same(t, "gradient", got.Grads[0], c.backward(t, data.Shape, u))
	})
}

// TestMasked refuses a masked tensor: which of its elements count is nothing
// that these operators know.
func TestMasked(t *testing.T) {
	masked := tensor.New(tensor.WithShape(2, 2), tensor.WithBacking([]float64{1, 2, 3, 4}, []bool{false, true, false, false}))
	onFailingMachines(t, func(t *testing.T, m gradtest.Machine) {
		g := G.NewGraph()
		_, err := gather.Gather(input(g, "data", masked), input(g, "indices", dense([]int64{0, 1}, 2)), 0)
		ok(t, err)
		if err := runForward(m, g); !isMachineError(err, gather.ErrLayout) {
			t.Errorf("got %v, want ErrLayout", err)
		}
	})
}

// TestScatterLayouts gives data and updates in every pair of layouts. LispMachine
// makes gradients in the layout of the value.
func TestScatterLayouts(t *testing.T) {
	c := scatterCalls[0]
	for _, of := range layout.All {
		for _, with := range layout.All {
			for _, rule := range scatterRules {
				t.Run(fmt.Sprintf("%v data, %v updates, %v", of, with, rule), func(t *testing.T) {
					c := c
					c.Rule = rule
					rng := newRand(4)
					x, w, u := gradtest.Integers(rng, 12), gradtest.Integers(rng, 10), gradtest.Integers(rng, 12)
					onMachines(t, func(t *testing.T, m gradtest.Machine) {
						got, err := gradtest.Backward(m, c.inputs(layout.Lay(of, x, 100, 3, 4).Dense, layout.Lay(with, w, 100, 2, 5).Dense), c.build, u)
						ok(t, err)
						c.check(t, got, u, x, w)
					})
				})
			}
		}
	}
}
