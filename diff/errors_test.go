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
		{"no operator", nil, updates, indices, a.Data, nil, "ScatterAdd: op is <nil>"},
		{"a scatter", scatters[0].op(t, tensor.Float64), updates, indices, a.Data, nil, "the operator of a gather is needed"},
		{"an operator that is no gather", G.Must(G.Square(matrix)).Op(), updates, indices, a.Data, nil, "the operator of a gather is needed"},
		{"no updates", op, nil, indices, a.Data, nil, "updates is nil"},
		{"no indices", op, updates, nil, a.Data, nil, "indices is nil"},
		{"two graphs", op, updates, elsewhere, a.Data, nil, "different graphs"},
		{"shape of updates", op, matrix, indices, a.Data, gather.ErrShape, "ScatterAdd: updates (3, 2) must have the shape (3, 3, 2)"},
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

// everyOperator is one of each operator of the package, with inputs that fit.
func everyOperator(t *testing.T) map[string]*G.Node {
	t.Helper()
	a := adjoints[0]
	g := G.NewGraph()
	updates := node(g, "updates", tensor.Float64, a.results)
	added, err := diff.ScatterAdd(a.op(t, tensor.Float64), updates, G.NodeFromAny(g, a.indexTensor(), G.WithName("indices")), a.Data)
	ok(t, err)
	c := scatters[0]
	data := node(g, "scatter data", tensor.Float64, c.data)
	in := G.Nodes{data, data, G.NodeFromAny(g, c.indices, G.WithName("scatter indices")), node(g, "scatter updates", tensor.Float64, c.updates)}
	vjp, err := diff.ScatterGradUpdates(c.op(t, tensor.Float64, gather.WithReduction(gather.Mul)), in[0], in[1], in[2], in[3])
	ok(t, err)
	gradients, err := vjp.Op().(G.SDOp).SymDiff(in, vjp, node(g, "cotangent", tensor.Float64, c.updates))
	ok(t, err)
	return map[string]*G.Node{"gather VJP": added, "scatter VJP": vjp, "scatter JVP": gradients[0], "scatter HVP": gradients[3]}
}

// TestGradientErrors differentiates operators with nodes that do not fit.
func TestGradientErrors(t *testing.T) {
	for name, n := range everyOperator(t) {
		t.Run(name, func(t *testing.T) {
			op := n.Op().(interface {
				G.SDOp
				G.ADOp
			})
			inputs := make(G.Nodes, op.Arity())
			for i := range inputs {
				inputs[i] = node(n.Graph(), "scalar", tensor.Float64, nil)
			}
			grad := node(n.Graph(), "grad", tensor.Float64, n.Shape())
			for what, in := range map[string]G.Nodes{"too few": inputs[1:], "nil": make(G.Nodes, op.Arity()), "scalars": inputs} {
				if got, err := op.SymDiff(in, n, grad); err == nil {
					t.Errorf("SymDiff, %s: no error, but %v", what, got)
				}
				if err := op.DoDiff(G.ExecutionContext{}, in, n); err == nil {
					t.Errorf("DoDiff, %s: no error", what)
				}
			}
			values := make([]G.Value, op.Arity())
			for i := range values {
				values[i] = tensorOf([]float64{1, 2}, 2)
			}
			if got, err := op.Do(values...); err == nil {
				t.Errorf("Do: no error, but %v", got)
			}
		})
	}
}

// TestUnfittingPrealloc adds into values that cannot hold the result.
func TestUnfittingPrealloc(t *testing.T) {
	a := adjoints[0]
	g := G.NewGraph()
	n, err := diff.ScatterAdd(a.op(t, tensor.Float64), node(g, "updates", tensor.Float64, a.results), G.NodeFromAny(g, a.indexTensor(), G.WithName("indices")), a.Data)
	ok(t, err)
	wide := tensor.New(tensor.WithShape(a.Data[0]+1, a.Data[1]+1), tensor.Of(tensor.Float64))
	view, err := wide.Slice(tensor.S(0, a.Data[0]), tensor.S(0, a.Data[1]))
	ok(t, err)
	for _, c := range []struct {
		name string
		into *tensor.Dense
		want error
		text string
	}{
		{"shape", tensorOf([]float64{1, 2}, 2), gather.ErrShape, "the preallocated value does not have the shape"},
		{"dtype", tensor.New(tensor.WithShape(a.Data...), tensor.Of(tensor.Float32)), gather.ErrDtype, "the preallocated value has dtype float32"},
		{"view", view.(*tensor.Dense), gather.ErrLayout, "is a view into a larger tensor"},
	} {
		t.Run(c.name, func(t *testing.T) {
			updates := tensor.New(tensor.WithShape(a.results...), tensor.Of(tensor.Float64))
			_, err := n.Op().(G.UsePreallocDoer).UsePreallocDo(c.into, updates, a.indexTensor())
			if !errors.Is(err, c.want) || !strings.Contains(err.Error(), c.text) {
				t.Errorf("got %v, want %q", err, c.text)
			}
		})
	}
}
