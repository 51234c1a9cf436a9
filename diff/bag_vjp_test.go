package diff_test

import (
	"errors"
	"strings"
	"testing"

	"gorgonia.org/gather"
	"gorgonia.org/gather/diff"
	G "gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

// TestBagGradErrors builds gradient operators of bags that cannot work.
func TestBagGradErrors(t *testing.T) {
	g := G.NewGraph()
	in := func(name string, dt tensor.Dtype, shape ...int) *G.Node { return node(g, name, dt, shape) }
	table, indices, offsets := in("table", tensor.Float64, 4, 3), in("indices", tensor.Int64, 5), in("offsets", tensor.Int64, 2)
	weights, grad := in("weights", tensor.Float64, 5), in("grad", tensor.Float64, 2, 3)
	unnamed := G.NewVector(g, tensor.Int64, G.WithShape(5))
	elsewhere := node(G.NewGraph(), "elsewhere", tensor.Float64, []int{2, 3})
	bag, err := gather.EmbeddingBagOffsets(table, indices, offsets, weights)
	ok(t, err)
	greatest, err := gather.EmbeddingBagOffsets(table, indices, offsets, nil, gather.WithReduction(gather.Max))
	ok(t, err)
	numbers := in("numbers", tensor.Int32, 4, 3)
	mean, err := gather.EmbeddingBagOffsets(numbers, indices, offsets, nil, gather.WithReduction(gather.Mean))
	ok(t, err)
	all := []*G.Node{table, indices, offsets, weights}
	for _, c := range []struct {
		name   string
		op     G.Op
		grad   *G.Node
		inputs []*G.Node
		want   error
		text   string // behind the name of the function
	}{
		{"no operator", nil, grad, all, nil, ": op is <nil>, the operator of bags is needed"},
		{"a gather", adjoints[0].op(t, tensor.Float64), grad, all, nil, ", the operator of bags is needed"},
		{"too few inputs", bag.Op(), grad, all[:3], nil, ": 3 inputs, EmbeddingBagOffsets"},
		{"no gradient", bag.Op(), nil, all, nil, ": grad is nil"},
		{"no weights", bag.Op(), grad, []*G.Node{table, indices, offsets, nil}, nil, ": weights is nil"},
		{"two graphs", bag.Op(), elsewhere, all, nil, "different graphs"},
		{"indices without a name", bag.Op(), grad, []*G.Node{table, unnamed, offsets, weights}, nil, "indices are an input node without a name"},
		{"a gradient of another shape", bag.Op(), table, all, gather.ErrShape, "(2, 3)"},
	} {
		t.Run(c.name, func(t *testing.T) {
			for name, make := range map[string]func(G.Op, *G.Node, ...*G.Node) (*G.Node, error){
				"BagGradTable": diff.BagGradTable, "BagGradWeights": diff.BagGradWeights,
			} {
				n, err := make(c.op, c.grad, c.inputs...)
				if err == nil {
					t.Errorf("%s: no error, but the node %v", name, n)
					continue
				}
				text := c.text
				if text[0] == ':' {
					text = name + text
				}
				if c.want != nil && !errors.Is(err, c.want) || !strings.Contains(err.Error(), text) {
					t.Errorf("got %q, want %v with %q", err, c.want, text)
				}
			}
		})
	}
	if _, err := diff.BagGradWeights(greatest.Op(), grad, table, indices, offsets); !errors.Is(err, gather.ErrOption) {
		t.Errorf("weights of max: %v", err)
	}
	if _, err := diff.BagGradTable(mean.Op(), in("whole", tensor.Int32, 2, 3), numbers, indices, offsets); !errors.Is(err, gather.ErrDtype) {
		t.Errorf("the mean of integers: %v", err)
	}
}
