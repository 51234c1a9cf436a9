package diff_test

import (
	"fmt"
	"testing"

	"gorgonia.org/gather"
	"gorgonia.org/gather/diff"
	"gorgonia.org/gather/internal/gradtest"
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
	node := func(name string, shape []int) *G.Node {
		if len(shape) == 0 {
			return G.NewScalar(g, dt, G.WithName(name))
		}
		return G.NewTensor(g, dt, len(shape), G.WithShape(shape...), G.WithName(name))
	}
	y, err := c.apply(node("data", c.data), G.NodeFromAny(g, c.indices, G.WithName("indices")), node("updates", c.updates), opts...)
	ok(t, err)
	return y.Op()
}

// TestScatterSecondDerivatives differentiates the gradient operators with
// respect to all they depend on, on both machines and by differences.
func TestScatterSecondDerivatives(t *testing.T) {
	gradients := map[string]func(op G.Op, grad, data, indices, updates *G.Node) (*G.Node, error){
		"data": diff.ScatterGradData, "updates": diff.ScatterGradUpdates,
	}
	for _, c := range scatters {
		for _, r := range []gather.Reduction{gather.None, gather.Add, gather.Sub, gather.Mean, gather.Mul} {
			for _, init := range []bool{true, false} {
				for of, gradient := range gradients {
					t.Run(fmt.Sprintf("%s/%v/init=%v/of %s", c.name, r, init, of), func(t *testing.T) {
						rng := newRand(int64(r) + 1)
						values := func(shape []int) *tensor.Dense {
							return tensorOf(gradtest.Normals(rng, size(shape)), shape...)
						}
						op := c.op(t, tensor.Float64, gather.WithReduction(r), gather.WithInitValue(init))
						product := r == gather.Mul && (init || of == "updates")
						_, err := gradtest.Graph([]gradtest.Input{
							{Value: values(c.data), Differentiate: true},
							{Value: values(c.data), Differentiate: product && init && of == "updates"},
							{Value: c.indices},
							{Value: values(c.updates), Differentiate: product},
						}, func(in []*G.Node) (*G.Node, error) {
							return gradient(op, in[0], in[1], in[2], in[3])
						}, rng)
						ok(t, err)
					})
				}
			}
		}
	}
}
