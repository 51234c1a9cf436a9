package diff_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"gorgonia.org/gather"
	"gorgonia.org/gather/diff"
	"gorgonia.org/gather/internal/gradtest"
	G "gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

// TestScatterAddOfConstants gives the adjoints constants, as indices and as
// updates, and differentiates them.
func TestScatterAddOfConstants(t *testing.T) {
	for _, a := range adjoints {
		op := a.op(t, tensor.Float64)
		rng := newRand(7)
		updates, u := gradtest.Integers(rng, size(a.results)), gradtest.Integers(rng, size(a.Data))
		want := scatter(a, updates, func(a, b float64) float64 { return a + b })
		for _, m := range []gradtest.Machine{gradtest.Tape, gradtest.Lisp} {
			t.Run(a.name+" on "+m.String(), func(t *testing.T) {
				got, err := gradtest.Backward(m, []gradtest.Input{{Value: tensorOf(updates, a.results...), Differentiate: true}},
					func(in []*G.Node) (*G.Node, error) {
						return diff.ScatterAdd(op, in[0], G.NewConstant(a.indexTensor()), a.Data)
					}, u)
				ok(t, err)
				same(t, "values", got.Output, want)
				same(t, "gradient", got.Grads[0], pick(a, u))
				got, err = gradtest.Forward(m, []gradtest.Input{{Value: a.indexTensor()}}, func(in []*G.Node) (*G.Node, error) {
					return diff.ScatterAdd(op, G.NewConstant(tensorOf(updates, a.results...)), in[0], a.Data)
				})
				ok(t, err)
				same(t, "values of constant updates", got.Output, want)
			})
		}
	}
}

// TestScatterGradOfConstants gives the gradients of the scatters a constant as
// each of their operands.
func TestScatterGradOfConstants(t *testing.T) {
	for _, c := range scatters {
		for what, gradient := range gradients {
			op := c.op(t, tensor.Float64, gather.WithReduction(gather.Mul))
			rng := newRand(8)
			values := []*tensor.Dense{
				tensorOf(gradtest.Integers(rng, size(c.data)), c.data...), tensorOf(gradtest.Integers(rng, size(c.data)), c.data...),
				c.indices, tensorOf(gradtest.Integers(rng, size(c.updates)), c.updates...),
			}
			var inputs []gradtest.Input
			for _, v := range values {
				inputs = append(inputs, gradtest.Input{Value: v})
			}
			want, err := gradtest.Forward(gradtest.Tape, inputs, func(in []*G.Node) (*G.Node, error) {
				return gradient(op, in[0], in[1], in[2], in[3])
			})
			ok(t, err)
			for constant := range values {
				t.Run(fmt.Sprint(c.name, ", gradient of ", what, ", constant ", constant), func(t *testing.T) {
					for _, m := range []gradtest.Machine{gradtest.Tape, gradtest.Lisp} {
						got, err := gradtest.Forward(m, slices.Delete(slices.Clone(inputs), constant, constant+1), func(in []*G.Node) (*G.Node, error) {
							in = slices.Insert(in, constant, G.NewConstant(values[constant]))
							return gradient(op, in[0], in[1], in[2], in[3])
						})
						ok(t, err)
						same(t, m.String(), got.Output, want.Output)
					}
				})
			}
		}
	}
}

// TestConstantGradient differentiates by a constant: SymDiff's gradient.
func TestConstantGradient(t *testing.T) {
	g := G.NewGraph()
	data := node(g, "data", tensor.Float64, []int{3})
	indices := G.NodeFromAny(g, tensorOf([]int64{2, 0}, 2), G.WithName("indices"))
	y, err := gather.Gather(data, indices, 0)
	ok(t, err)
	grads, err := y.Op().(G.SDOp).SymDiff(G.Nodes{data, indices}, y, G.NewConstant(tensorOf([]float64{5, 7}, 2)))
	ok(t, err)
	again, err := grads[0].Op().(G.SDOp).SymDiff(G.Nodes{y, indices}, grads[0], G.NewConstant(tensorOf([]float64{1, 2, 3}, 3)))
	ok(t, err)
	ok(t, G.Let(data, tensorOf([]float64{10, 20, 30}, 3)))
	var first, second G.Value
	G.Read(grads[0], &first)
	G.Read(again[0], &second)
	machine := G.NewTapeMachine(g)
	defer machine.Close()
	ok(t, machine.RunAll())
	same(t, "gradient", first.(*tensor.Dense).Float64s(), []float64{7, 0, 5})
	same(t, "its gradient", second.(*tensor.Dense).Float64s(), []float64{3, 1})
}

// TestUnnamedIndices refuses input nodes without a name as indices.
func TestUnnamedIndices(t *testing.T) {
	g := G.NewGraph()
	a, c := adjoints[0], scatters[0]
	updates := node(g, "updates", tensor.Float64, a.results)
	unnamed := G.NewMatrix(g, tensor.Int64, G.WithShape(a.Indices.Shape...))
	_, err := diff.ScatterAdd(a.op(t, tensor.Float64), updates, unnamed, a.Data)
	refused(t, "ScatterAdd", err)
	unnamed = G.NewMatrix(g, tensor.Int64, G.WithShape(c.indices.Shape()...))
	data, updates := node(g, "data", tensor.Float64, c.data), node(g, "more updates", tensor.Float64, c.updates)
	_, err = diff.ScatterGradData(c.op(t, tensor.Float64), data, data, unnamed, updates)
	refused(t, "ScatterGradData", err)
	_, err = diff.ScatterGradUpdates(c.op(t, tensor.Float64), data, data, unnamed, updates)
	refused(t, "ScatterGradUpdates", err)
}

func refused(t *testing.T, op string, err error) {
	t.Helper()
	if want := op + ": indices are an input node without a name"; err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("got %v, want %s", err, want)
	}
}
