package diff_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"gorgonia.org/gather"
	"gorgonia.org/gather/diff"
	"gorgonia.org/gather/internal/gradtest"
	G "gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

// TestScatterGradValues gives the operators values that do not fit when they
// run.
func TestScatterGradValues(t *testing.T) {
	fitting := []G.Value{tensorOf([]float64{1, 2, 3}, 3), tensorOf([]float64{4, 5, 6}, 3), tensorOf([]int64{0, -1}, 2), tensorOf([]float64{7, 8}, 2)}
	for _, c := range []struct {
		name   string
		inputs []G.Value
		into   G.Value
		want   error
		text   string
	}{
		{"too few inputs", fitting[:3], nil, nil, "3 inputs, 4 are needed"},
		{"a gradient of another shape", slices.Concat(fitting[3:], fitting[1:]), nil, gather.ErrShape, "grad (2) must have the shape (3) of data"},
		{"updates of another shape", slices.Concat(fitting[:3], fitting[:1]), nil, gather.ErrShape, "updates (3) must have the shape of indices (2)"},
		{"a bad index", []G.Value{fitting[0], fitting[1], tensorOf([]int64{0, 3}, 2), fitting[3]}, nil, nil, "indices[1]: 3 out of range [-3, 3) for data axis 0"},
		{"a given value of another shape", fitting, tensorOf([]float64{1, 2, 3, 4}, 4), gather.ErrShape, "dst has shape (4)"},
		{"a given value of another dtype", fitting, tensorOf([]float32{1, 2, 3}, 3), gather.ErrDtype, "dst has dtype float32"},
		{"an input as the given value", fitting, fitting[0], gather.ErrLayout, "dst overlaps grad in memory"},
	} {
		t.Run(c.name, func(t *testing.T) {
			op := gradientOp(t, diff.ScatterGradData, fitting, gather.WithReduction(gather.Mul))
			var err error
			if c.into != nil {
				_, err = op.(G.UsePreallocDoer).UsePreallocDo(c.into, c.inputs...)
			} else {
				_, err = op.Do(c.inputs...)
			}
			if err == nil || c.want != nil && !errors.Is(err, c.want) || !strings.Contains(err.Error(), c.text) {
				t.Errorf("error %v, want %v with %q", err, c.want, c.text)
			}
		})
	}
}

// TestScatterGradOfIndices asks for what does not exist.
func TestScatterGradOfIndices(t *testing.T) {
	c := scatters[0]
	g := G.NewGraph()
	indices := G.NodeFromAny(g, c.indices, G.WithName("indices"))
	grad := node(g, "grad", tensor.Float64, c.data)
	n, err := diff.ScatterGradUpdates(c.op(t, tensor.Float64), grad, node(g, "data", tensor.Float64, c.data), indices, node(g, "updates", tensor.Float64, c.updates))
	ok(t, err)
	if grads, err := G.Grad(G.Must(G.Sum(n)), grad, indices); err == nil || !strings.Contains(err.Error(), "indices") {
		t.Errorf("gradients %v and error %v, want an error that names the node", grads, err)
	}
}

// TestScatterLeastOfNothing has the one gradient of a least value that is
// linear: without the initial value, targets give nothing to data.
func TestScatterLeastOfNothing(t *testing.T) {
	c := scatters[0]
	op := c.op(t, tensor.Float64, gather.WithReduction(gather.Min), gather.WithInitValue(false))
	rng := newRand(2)
	values := func(shape []int) *tensor.Dense { return tensorOf(gradtest.Normals(rng, size(shape)), shape...) }
	_, err := gradtest.Graph([]gradtest.Input{
		{Value: values(c.data), Differentiate: true}, {Value: values(c.data)}, {Value: c.indices}, {Value: values(c.updates)},
	}, func(in []*G.Node) (*G.Node, error) { return diff.ScatterGradData(op, in[0], in[1], in[2], in[3]) }, rng)
	ok(t, err)
}
