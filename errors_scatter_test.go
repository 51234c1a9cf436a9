package gather_test

import (
	"errors"
	"strings"
	"testing"

	"gorgonia.org/gather"
	"gorgonia.org/gather/internal/gradtest"
	G "gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

// TestScatterErrors builds what cannot work.
func TestScatterErrors(t *testing.T) {
	g := G.NewGraph()
	node := func(name string, dt tensor.Dtype, shape ...int) *G.Node {
		return G.NewTensor(g, dt, len(shape), G.WithShape(shape...), G.WithName(name))
	}
	data, indices, updates := node("data", tensor.Float64, 3, 4), node("indices", tensor.Int64, 2, 4), node("updates", tensor.Float64, 2, 4)
	rows, vector := node("rows", tensor.Int64, 2, 1), node("vector", tensor.Int64, 2)
	words, newWords := node("words", tensor.String, 3, 4), node("new words", tensor.String, 2, 4)
	turns, newTurns := node("turns", tensor.Complex64, 3, 4), node("new turns", tensor.Complex64, 2, 4)
	flags, newFlags := node("flags", tensor.Bool, 3, 4), node("new flags", tensor.Bool, 2, 4)
	type apply = func(opts ...gather.Option) (*G.Node, error)
	elements := func(d, i, u *G.Node, axis int) apply {
		return func(opts ...gather.Option) (*G.Node, error) { return gather.ScatterElements(d, i, u, axis, opts...) }
	}
	nd := func(d, i, u *G.Node) apply {
		return func(opts ...gather.Option) (*G.Node, error) { return gather.ScatterND(d, i, u, opts...) }
	}
	along := func(d, i, u *G.Node, axis int) apply {
		return func(opts ...gather.Option) (*G.Node, error) { return gather.ScatterUpdate(d, i, u, axis, opts...) }
	}
	reduction := gather.WithReduction
	for _, c := range []struct {
		name  string
		apply apply
		opts  []gather.Option
		want  error
		text  string
	}{
		{"no data", elements(nil, indices, updates, 0), nil, nil, "ScatterElements: data is nil"},
		{"no indices", nd(data, nil, updates), nil, nil, "ScatterND: indices is nil"},
		{"no updates", along(data, vector, nil, 0), nil, nil, "ScatterUpdate: updates is nil"},
		{"two graphs", elements(data, indices, G.NewMatrix(G.NewGraph(), tensor.Float64, G.WithShape(2, 4), G.WithName("elsewhere")), 0), nil, nil, "different graphs"},
		{"axis", elements(data, indices, updates, 2), nil, gather.ErrAxis, "ScatterElements: axis 2 is not in [-2, 1]"},
		{"indices too wide", elements(data, node("wide", tensor.Int64, 2, 5), updates, 0), nil, gather.ErrShape, "has 5 at axis 1, at most 4 is allowed"},
		{"updates of another shape", elements(data, indices, data, 0), nil, gather.ErrShape, "updates (3, 4) must have the shape of indices (2, 4)"},
		{"updates of another shape", nd(data, rows, node("short", tensor.Float64, 2, 3)), nil, gather.ErrShape, "ScatterND: updates (2, 3) must have the shape (2, 4)"},
		{"updates of another shape", along(data, vector, updates, 1), nil, gather.ErrShape, "ScatterUpdate: updates (2, 4) must have the shape (3, 2)"},
		{"float indices", elements(data, updates, updates, 0), nil, gather.ErrDtype, "ScatterElements: indices have dtype float64, allowed are int, int8"},
		{"updates of another dtype", elements(data, indices, newWords, 0), nil, gather.ErrDtype, "ScatterElements: updates have dtype string, data has float64"},
		{"a sum of strings", elements(words, indices, newWords, 0), []gather.Option{reduction(gather.Add)}, gather.ErrDtype, "ScatterElements: values of dtype string have no reduction add, allowed is none"},
		{"the least of strings", nd(words, rows, newWords), []gather.Option{reduction(gather.Min)}, gather.ErrDtype, "ScatterND: values of dtype string have no reduction min"},
		{"the greatest complex number", elements(turns, indices, newTurns, 0), []gather.Option{reduction(gather.Max)}, gather.ErrDtype, "ScatterElements: values of dtype complex64 have no reduction max, allowed is none, add, sub, mul, mean"},
		{"the mean of bools", elements(flags, indices, newFlags, 0), []gather.Option{reduction(gather.Mean)}, gather.ErrDtype, "ScatterElements: values of dtype bool have no reduction mean, allowed is none, add, sub, mul, min, max"},
		{"an unknown reduction", elements(data, indices, updates, 0), []gather.Option{reduction(7)}, gather.ErrOption, "ScatterElements: WithReduction(7)"},
		{"an unknown reduction of slices", along(data, vector, updates, 0), []gather.Option{reduction(7)}, gather.ErrOption, "ScatterUpdate: WithReduction(7)"},
		{"the product of strings", along(words, vector, newWords, 0), []gather.Option{reduction(gather.Mul)}, gather.ErrDtype, "ScatterUpdate: values of dtype string have no reduction mul"},
		{"batch dims", nd(data, rows, updates), []gather.Option{gather.WithBatchDims(1)}, gather.ErrOption, "ScatterND: WithBatchDims does not apply"},
		{"a policy", elements(data, indices, updates, 0), []gather.Option{gather.WithOutOfRange(gather.ZeroFill)}, gather.ErrOption, "ScatterElements: WithOutOfRange(ZeroFill), allowed are Reject and Skip"},
	} {
		t.Run(c.name, func(t *testing.T) {
			n, err := c.apply(c.opts...)
			if err == nil {
				t.Fatalf("no error, but the node %v", n)
			}
			if c.want != nil && !errors.Is(err, c.want) || !strings.Contains(err.Error(), c.text) {
				t.Errorf("got %q, want %v with %q", err, c.want, c.text)
			}
		})
	}
}

// TestScatterMessages is a step of a graph neural network: neighbours are read,
// weighted, and summed where the edges lead. Data of the sum is the input
// itself, whose gradient comes by three ways.
func TestScatterMessages(t *testing.T) {
	build := func(in []*G.Node) (*G.Node, error) {
		members, from, to, weights := in[0], in[1], in[2], in[3]
		messages, err := gather.Gather(members, from, 0)
		if err != nil {
			return nil, err
		}
		weighted, err := G.HadamardProd(messages, weights)
		if err != nil {
			return nil, err
		}
		sums, err := gather.ScatterND(members, to, weighted, gather.WithReduction(gather.Add))
		if err != nil {
			return nil, err
		}
		return G.HadamardProd(sums, members)
	}
	rng := newRand(6)
	_, err := gradtest.Graph([]gradtest.Input{
		{Value: dense(gradtest.Normals(rng, 8), 4, 2), Differentiate: true},
		{Value: dense([]int64{0, 1, 3, 3, -1}, 5)},
		{Value: dense([]int64{1, 0, 1, -4, 2}, 5, 1)},
		{Value: dense(gradtest.Normals(rng, 10), 5, 2), Differentiate: true},
	}, build, rng)
	ok(t, err)
}
