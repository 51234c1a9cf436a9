package diff_test

import (
	"fmt"
	"testing"

	"gorgonia.org/gather"
	"gorgonia.org/gather/diff"
	G "gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

// scatterCase is a scatter with its inputs' shapes and indices.
type scatterCase struct {
	name          string
	data, updates []int
	indices       *tensor.Dense
	apply         func(data, indices, updates *G.Node, opts ...gather.Option) (*G.Node, error)
}

// scatters are one of each operator. All have targets with one, several and no
// updates.
var scatters = []scatterCase{
	{"ScatterElements", []int{4, 3}, []int{5, 2}, tensorOf([]int64{0, 3, -4, 3, 0, 1, 2, -1, 0, 3}, 5, 2),
		func(data, indices, updates *G.Node, opts ...gather.Option) (*G.Node, error) {
			return gather.ScatterElements(data, indices, updates, 0, opts...)
		}},
	{"ScatterND", []int{3, 4, 2}, []int{5, 2}, tensorOf([]int64{1, 2, -2, 2, 0, 0, 1, -2, 2, 3}, 5, 2),
		func(data, indices, updates *G.Node, opts ...gather.Option) (*G.Node, error) {
			return gather.ScatterND(data, indices, updates, opts...)
		}},
	{"ScatterND of tuples of length 0", []int{2, 3}, []int{3, 2, 3}, tensor.New(tensor.Of(tensor.Int64), tensor.WithShape(3, 0)),
		func(data, indices, updates *G.Node, opts ...gather.Option) (*G.Node, error) {
			return gather.ScatterND(data, indices, updates, opts...)
		}},
	{"ScatterUpdate", []int{2, 4, 2}, []int{2, 5, 2}, tensorOf([]int64{3, 0, -1, 3, 1}, 5),
		func(data, indices, updates *G.Node, opts ...gather.Option) (*G.Node, error) {
			return gather.ScatterUpdate(data, indices, updates, 1, opts...)
		}},
	{"ScatterUpdate that skips", []int{2, 4, 2}, []int{2, 5, 2}, tensorOf([]int64{3, 4, -1, 3, -5}, 5),
		func(data, indices, updates *G.Node, opts ...gather.Option) (*G.Node, error) {
			return gather.ScatterUpdate(data, indices, updates, 1, append(opts, gather.WithOutOfRange(gather.Skip))...)
		}},
	{"ScatterElements that skips", []int{4, 3}, []int{5, 2}, tensorOf([]int64{0, 3, -4, 3, 7, 1, 2, -1, 0, -5}, 5, 2),
		func(data, indices, updates *G.Node, opts ...gather.Option) (*G.Node, error) {
			return gather.ScatterElements(data, indices, updates, 0, append(opts, gather.WithOutOfRange(gather.Skip))...)
		}},
	{"ScatterUpdate with padding", []int{2, 4, 2}, []int{2, 5, 2}, tensorOf([]int64{3, -1, -4, 3, -1}, 5),
		func(data, indices, updates *G.Node, opts ...gather.Option) (*G.Node, error) {
			return gather.ScatterUpdate(data, indices, updates, 1, append(opts, gather.WithPadding(-1))...)
		}},
	{"ScatterND with padding", []int{3, 4, 2}, []int{5, 2}, tensorOf([]int64{1, 2, -2, 2, 9, -1, 1, -2, -1, 3}, 5, 2),
		func(data, indices, updates *G.Node, opts ...gather.Option) (*G.Node, error) {
			return gather.ScatterND(data, indices, updates, append(opts, gather.WithPadding(-1))...)
		}},
	{"ScatterND of a scalar", []int{3, 4}, nil, tensorOf([]int64{1, -1}, 2),
		func(data, indices, updates *G.Node, opts ...gather.Option) (*G.Node, error) {
			return gather.ScatterND(data, indices, updates, opts...)
		}},
}

// op is the operator of the scatter, as a node of it holds it. The node is one
// of another graph: LispMachine would take it for a cost.
func (c scatterCase) op(t *testing.T, dt tensor.Dtype, opts ...gather.Option) G.Op {
	t.Helper()
	g := G.NewGraph()
	y, err := c.apply(node(g, "data", dt, c.data), G.NodeFromAny(g, c.indices, G.WithName("indices")), node(g, "updates", dt, c.updates), opts...)
	ok(t, err)
	return y.Op()
}

// node makes a named input node; without dims, a scalar.
func node(g *G.ExprGraph, name string, dt tensor.Dtype, shape []int) *G.Node {
	if len(shape) == 0 {
		return G.NewScalar(g, dt, G.WithName(name))
	}
	return G.NewTensor(g, dt, len(shape), G.WithShape(shape...), G.WithName(name))
}

// gradientOp is the gradient operator of a ScatterElements of such inputs: grad,
// data, indices and updates.
func gradientOp(t *testing.T, gradient gradientFunc, inputs []G.Value, opts ...gather.Option) G.Op {
	t.Helper()
	g := G.NewGraph()
	nodes := make([]*G.Node, len(inputs))
	for i, v := range inputs {
		nodes[i] = G.NodeFromAny(g, v, G.WithName(fmt.Sprint("input ", i)))
	}
	y, err := gather.ScatterElements(nodes[1], nodes[2], nodes[3], 0, opts...)
	ok(t, err)
	n, err := gradient(y.Op(), nodes[0], nodes[1], nodes[2], nodes[3])
	ok(t, err)
	return n.Op()
}

// gradientFunc is ScatterGradData or ScatterGradUpdates.
type gradientFunc = func(op G.Op, grad, data, indices, updates *G.Node) (*G.Node, error)

// gradients are the two gradient operators by name.
var gradients = map[string]gradientFunc{"data": diff.ScatterGradData, "updates": diff.ScatterGradUpdates}

// derivativesOf are the operators that make the gradients of a gradient, for
// each of its inputs.
func derivativesOf(t *testing.T, c scatterCase, gradient gradientFunc, opts ...gather.Option) [4]G.Op {
	t.Helper()
	g := G.NewGraph()
	inputs := G.Nodes{
		node(g, "grad", tensor.Float64, c.data), node(g, "data", tensor.Float64, c.data),
		G.NodeFromAny(g, c.indices, G.WithName("indices")), node(g, "updates", tensor.Float64, c.updates),
	}
	n, err := gradient(c.op(t, tensor.Float64, opts...), inputs[0], inputs[1], inputs[2], inputs[3])
	ok(t, err)
	gradients, err := n.Op().(G.SDOp).SymDiff(inputs, n, node(g, "cotangent", tensor.Float64, n.Shape()))
	ok(t, err)
	var ops [4]G.Op
	for i, n := range gradients {
		if n != nil {
			ops[i] = n.Op()
		}
	}
	return ops
}
