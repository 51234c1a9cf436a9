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

// TestErrors builds gradient operators that cannot work.
func TestErrors(t *testing.T) {
	a := adjoints[0]
	op := a.op(t, tensor.Float64)
	g := G.NewGraph()
	updates := G.NewTensor(g, tensor.Float64, 3, G.WithShape(3, 3, 2), G.WithName("updates"))
	indices := G.NodeFromAny(g, a.indexTensor(), G.WithName("indices"))
	elsewhere := G.NewMatrix(G.NewGraph(), tensor.Int64, G.WithShape(3, 2), G.WithName("elsewhere"))
	matrix := G.NewMatrix(g, tensor.Float64, G.WithShape(3, 2), G.WithName("matrix"))
	for _, c := range []struct {
		name             string
		op               G.Op
		updates, indices *G.Node
		data             tensor.Shape
		want             error
		text             string
	}{
		{"no operator", nil, updates, indices, a.data, nil, "ScatterAdd: op is <nil>"},
		{"a scatter", scatters[0].op(t, tensor.Float64), updates, indices, a.data, nil, "the operator of a gather is needed"},
		{"an operator that is no gather", G.Must(G.Square(matrix)).Op(), updates, indices, a.data, nil, "the operator of a gather is needed"},
		{"no updates", op, nil, indices, a.data, nil, "updates is nil"},
		{"no indices", op, updates, nil, a.data, nil, "indices is nil"},
		{"two graphs", op, updates, elsewhere, a.data, nil, "different graphs"},
		{"shape of updates", op, matrix, indices, a.data, gather.ErrShape, "ScatterAdd: updates (3, 2) must have the shape (3, 3, 2)"},
		{"shape of data", op, updates, indices, tensor.Shape{4, 4}, gather.ErrShape, "must have the shape (4, 3, 2)"},
		{"data without the axis", op, updates, indices, tensor.Shape{3}, gather.ErrAxis, "axis 1"},
	} {
		t.Run(c.name, func(t *testing.T) {
			n, err := diff.ScatterAdd(c.op, c.updates, c.indices, c.data)
			if err == nil {
				t.Fatalf("no error, but the node %v", n)
			}
			if c.want != nil && !errors.Is(err, c.want) || !strings.Contains(err.Error(), c.text) {
				t.Errorf("got %q, want %v with %q", err, c.want, c.text)
			}
		})
	}
}

// TestScatterGradErrors builds gradient operators that cannot work.
func TestScatterGradErrors(t *testing.T) {
	c := scatters[0]
	op := c.op(t, tensor.Float64)
	g := G.NewGraph()
	in := func(name string, dt tensor.Dtype, shape ...int) *G.Node { return node(g, name, dt, shape) }
	data, updates := in("data", tensor.Float64, 4, 3), in("updates", tensor.Float64, 5, 2)
	indices := in("indices", tensor.Int64, 5, 2)
	whole, parts := in("whole", tensor.Int32, 4, 3), in("parts", tensor.Int32, 5, 2)
	elsewhere := node(G.NewGraph(), "elsewhere", tensor.Float64, []int{4, 3})
	for _, c := range []struct {
		name                         string
		op                           G.Op
		grad, data, indices, updates *G.Node
		want                         error
		text                         string
	}{
		{"no operator", nil, data, data, indices, updates, nil, "%s: op is <nil>, the operator of a scatter is needed"},
		{"a gather", adjoints[0].op(t, tensor.Float64), data, data, indices, updates, nil, "%s: op is Gather(axis=1), the operator of a scatter is needed"},
		{"no gradient", op, nil, data, indices, updates, nil, "%s: grad is nil, a node is needed"},
		{"no data", op, data, nil, indices, updates, nil, "%s: data is nil, a node is needed"},
		{"no indices", op, data, data, nil, updates, nil, "%s: indices is nil, a node is needed"},
		{"no updates", op, data, data, indices, nil, nil, "%s: updates is nil, a node is needed"},
		{"two graphs", op, data, elsewhere, indices, updates, nil, "are of different graphs"},
		{"integers", op, whole, whole, indices, parts, gather.ErrDtype, "%s: data has dtype int32, allowed are floats and complex numbers"},
		{"a gradient of updates' shape", op, updates, data, indices, updates, gather.ErrShape, "(5, 2) must have the shape (4, 3)"},
		{"updates of another shape", op, data, data, indices, data, gather.ErrShape, "updates (4, 3) must have the shape of indices (5, 2)"},
	} {
		for name, gradient := range map[string]gradientFunc{"ScatterGradData": diff.ScatterGradData, "ScatterGradUpdates": diff.ScatterGradUpdates} {
			t.Run(c.name+" of "+name, func(t *testing.T) {
				n, err := gradient(c.op, c.grad, c.data, c.indices, c.updates)
				if err == nil {
					t.Fatalf("no error, but the node %v", n)
				}
				if text := strings.ReplaceAll(c.text, "%s", name); c.want != nil && !errors.Is(err, c.want) || !strings.Contains(err.Error(), text) {
					t.Errorf("got %q, want %v with %q", err, c.want, text)
				}
			})
		}
	}
}
