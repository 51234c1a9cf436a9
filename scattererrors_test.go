package gather_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"gorgonia.org/gather"
	"gorgonia.org/gather/internal/gradtest"
	"gorgonia.org/gather/internal/oracle"
	G "gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

// TestScatterBadIndex runs graphs with an index out of range: the error says
// where it stands.
func TestScatterBadIndex(t *testing.T) {
	for _, c := range []struct {
		name string
		call scatterCall
		want gather.IndexError
	}{
		{"ScatterElements", scatterCall{op: "ScatterElements", axis: 1, data: []int{2, 3}, indices: oracle.From([]int64{0, 1, 2, 3}, 2, 2), updates: []int{2, 2}},
			gather.IndexError{Op: "ScatterElements", Position: []int{1, 1}, Index: 3, Axis: 1, Size: 3}},
		{"ScatterND", scatterCall{op: "ScatterND", data: []int{2, 3}, indices: oracle.From([]int64{0, 2, 1, -4}, 2, 2), updates: []int{2}},
			gather.IndexError{Op: "ScatterND", Position: []int{1, 1}, Index: -4, Axis: 1, Size: 3}},
		{"ScatterUpdate", scatterCall{op: "ScatterUpdate", data: []int{2, 3}, indices: oracle.From([]int64{2}), updates: []int{3}},
			gather.IndexError{Op: "ScatterUpdate", Position: []int{}, Index: 2, Axis: 0, Size: 2}},
	} {
		t.Run(c.name, func(t *testing.T) {
			c.want.Operands = []string{"input 0", "input 2", "input 1"} // in the order of the operator
			onFailingMachines(t, func(t *testing.T, m gradtest.Machine) {
				_, err := gradtest.Forward(m, c.call.inputs(dense(offsets(2, 3).Data, 2, 3), dense(offsets(c.call.updates...).Data, c.call.updates...)), c.call.build)
				bad, found := gather.AsIndexError(err)
				if !found || fmt.Sprintf("%+v", *bad) != fmt.Sprintf("%+v", c.want) {
					t.Errorf("error %v, want %v", err, &c.want)
				}
			})
		})
	}
}

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
		{"a reduction of ScatterUpdate", along(data, vector, updates, 0), []gather.Option{reduction(gather.Add)}, gather.ErrOption, "ScatterUpdate: WithReduction does not apply"},
		{"an initial value of ScatterUpdate", along(data, vector, updates, 0), []gather.Option{gather.WithInitValue(true)}, gather.ErrOption, "ScatterUpdate: WithInitValue does not apply"},
		{"batch dims", nd(data, rows, updates), []gather.Option{gather.WithBatchDims(1)}, gather.ErrOption, "ScatterND: WithBatchDims does not apply"},
		{"a policy", elements(data, indices, updates, 0), []gather.Option{gather.WithOutOfRange(gather.ZeroFill)}, gather.ErrOption, "ScatterElements: WithOutOfRange does not apply"},
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

// TestScatterGradientOfIndices asks for gradients that do not exist: of indices,
// and of anything where the values are integers.
func TestScatterGradientOfIndices(t *testing.T) {
	c := scatterCalls[0]
	g := G.NewGraph()
	data, indices := input(g, "data", dense(offsets(c.data...).Data, c.data...)), input(g, "indices", c.indexTensor())
	out, err := c.apply(data, indices, input(g, "updates", dense(offsets(c.updates...).Data, c.updates...)))
	ok(t, err)
	if grads, err := G.Grad(G.Must(G.Sum(out)), data, indices); err == nil || !strings.Contains(err.Error(), "indices") {
		t.Errorf("gradients %v and error %v, want an error that names the node", grads, err)
	}
	whole := G.NewGraph()
	integers, err := c.apply(G.NewMatrix(whole, tensor.Int, G.WithShape(c.data...), G.WithName("data")), input(whole, "indices", c.indexTensor()),
		G.NewMatrix(whole, tensor.Int, G.WithShape(c.updates...), G.WithName("updates")))
	ok(t, err)
	if wrt := integers.Op().(G.SDOp).DiffWRT(3); fmt.Sprint(wrt) != "[false false false]" {
		t.Errorf("integers are differentiable with respect to %v", wrt)
	}
}

// TestScatterHash demands different hashes of operators that differ in any
// field.
func TestScatterHash(t *testing.T) {
	g := G.NewGraph()
	node := func(name string, dt tensor.Dtype, rank int) *G.Node {
		return G.NewTensor(g, dt, rank, G.WithShape([]int{1, 1, 1, 1}[:rank]...), G.WithName(name))
	}
	square, index, again := node("square", tensor.Float64, 2), node("index", tensor.Int64, 2), node("again", tensor.Float64, 2)
	var all []built
	add := func(name string, out *G.Node, err error) {
		t.Helper()
		ok(t, err)
		all = append(all, built{name: name, out: out})
	}
	elements := func(name string, data, indices, updates *G.Node, axis int, opts ...gather.Option) {
		t.Helper()
		out, err := gather.ScatterElements(data, indices, updates, axis, opts...)
		add("elements "+name, out, err)
	}
	elements("", square, index, again, 0)
	elements("axis", square, index, again, 1)
	elements("non-negative", square, index, again, 0, gather.WithNonNegativeIndices())
	elements("no init", square, index, again, 0, gather.WithInitValue(false))
	for r := gather.Add; r <= gather.Mean; r++ {
		elements(r.String(), square, index, again, 0, gather.WithReduction(r))
		elements(r.String()+", no init", square, index, again, 0, gather.WithReduction(r), gather.WithInitValue(false))
	}
	elements("index dtype", square, node("index32", tensor.Int32, 2), again, 0)
	elements("data dtype", node("square32", tensor.Float32, 2), index, node("again32", tensor.Float32, 2), 0)
	elements("rank", node("cube", tensor.Float64, 3), node("index3", tensor.Int64, 3), node("again3", tensor.Float64, 3), 0)
	nd := func(name string, indices, updates *G.Node, opts ...gather.Option) {
		t.Helper()
		out, err := gather.ScatterND(square, indices, updates, opts...)
		add("nd "+name, out, err)
	}
	pair := node("pair", tensor.Int64, 1)
	nd("", index, again)
	nd("add", index, again, gather.WithReduction(gather.Add))
	nd("rank of indices", pair, node("row", tensor.Float64, 1))
	out, err := gather.ScatterUpdate(square, pair, again, 0)
	add("update", out, err)
	out, err = gather.ScatterUpdate(square, pair, again, 1)
	add("update axis", out, err)
	distinct(t, all)

	first, err := gather.ScatterElements(square, index, again, -2, gather.WithReduction(gather.None), gather.WithInitValue(true))
	ok(t, err)
	if first != all[0].out {
		t.Error("defaults spelt out, and the axis from the end, are another node")
	}
}
