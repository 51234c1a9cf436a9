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

// TestScatterOfItself uses one node as data and as updates, and its indices
// twice.
func TestScatterOfItself(t *testing.T) {
	build := func(in []*G.Node) (*G.Node, error) {
		turned, err := gather.ScatterElements(in[0], in[1], in[0], 0, gather.WithReduction(gather.Mul))
		if err != nil {
			return nil, err
		}
		return gather.ScatterElements(turned, in[1], in[0], 0, gather.WithReduction(gather.Sub))
	}
	rng := newRand(7)
	_, err := gradtest.Graph([]gradtest.Input{
		{Value: dense(gradtest.Normals(rng, 6), 3, 2), Differentiate: true}, {Value: dense([]int32{1, 0, -2, -3, 2, 0}, 3, 2)},
	}, build, rng)
	ok(t, err)
}

// TestScatterGatherBack is the inverse law as a function: what has been written
// to places that differ is read back, and the gradient finds its way.
func TestScatterGatherBack(t *testing.T) {
	build := func(in []*G.Node) (*G.Node, error) {
		y, err := gather.ScatterElements(in[0], in[2], in[1], 1)
		if err != nil {
			return nil, err
		}
		return gather.GatherElements(y, in[2], 1)
	}
	onMachines(t, func(t *testing.T, m gradtest.Machine) {
		w, u := []float64{10, 20, 30, 40}, []float64{1, 2, 3, 4}
		got, err := gradtest.Backward(m, []gradtest.Input{
			{Value: dense(offsets(2, 3).Data, 2, 3), Differentiate: true}, {Value: dense(w, 2, 2), Differentiate: true},
			{Value: dense([]int64{2, 0, -2, -1}, 2, 2)},
		}, build, u)
		ok(t, err)
		same(t, "values", got.Output, w)
		same(t, "gradient of data", got.Grads[0], make([]float64, 6))
		same(t, "gradient of updates", got.Grads[1], u)
	})
}

// TestScatterIntoConstant sums into zeros that are a constant, which has no
// gradient to be asked for, but may be given one on the way.
func TestScatterIntoConstant(t *testing.T) {
	onMachines(t, func(t *testing.T, m gradtest.Machine) {
		got, err := gradtest.Backward(m, []gradtest.Input{
			{Value: dense([]float64{1, 2, 3, 4}, 2, 2), Differentiate: true}, {Value: dense([]int64{2, 2}, 2, 1)},
		}, func(in []*G.Node) (*G.Node, error) {
			zeros := in[0].Graph().AddNode(G.NewConstant(dense(make([]float64, 6), 3, 2), G.WithName("zeros")))
			return gather.ScatterND(zeros, in[1], in[0], gather.WithReduction(gather.Add))
		}, []float64{1, 2, 3, 4, 5, 6})
		ok(t, err)
		same(t, "values", got.Output, []float64{0, 0, 0, 0, 4, 6})
		same(t, "gradient", got.Grads[0], []float64{5, 6, 5, 6})
	})
}

// TestScatterOfIndices makes the indices of a gather by a scatter of integers,
// which has no gradient and must let the gather have its own.
func TestScatterOfIndices(t *testing.T) {
	build := func(in []*G.Node) (*G.Node, error) {
		at, err := gather.ScatterElements(in[1], in[2], in[3], 0, gather.WithReduction(gather.Add))
		if err != nil {
			return nil, err
		}
		return gather.Gather(in[0], at, 0)
	}
	onMachines(t, func(t *testing.T, m gradtest.Machine) {
		got, err := gradtest.Backward(m, []gradtest.Input{
			{Value: dense([]float64{10, 20, 30}, 3), Differentiate: true},
			{Value: dense([]int64{0, 1, 1, -1}, 4)}, {Value: dense([]int64{3, 0, 3}, 3)}, {Value: dense([]int64{1, 2, 1}, 3)},
		}, build, []float64{1, 2, 3, 4})
		ok(t, err)
		same(t, "values", got.Output, []float64{30, 20, 20, 20})
		same(t, "gradient", got.Grads[0], []float64{0, 9, 1})
	})
}

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
		{"float indices", elements(data, updates, updates, 0), nil, gather.ErrDtype, "ScatterElements: indices have dtype float64, integers are allowed"},
		{"updates of another dtype", elements(data, indices, newWords, 0), nil, gather.ErrDtype, "ScatterElements: updates have dtype string, data has float64"},
		{"a sum of strings", elements(words, indices, newWords, 0), []gather.Option{reduction(gather.Add)}, gather.ErrDtype, "ScatterElements: values of dtype string have no reduction add"},
		{"the least of strings", nd(words, rows, newWords), []gather.Option{reduction(gather.Min)}, gather.ErrDtype, "ScatterND: values of dtype string have no reduction min"},
		{"the greatest complex number", elements(turns, indices, newTurns, 0), []gather.Option{reduction(gather.Max)}, gather.ErrDtype, "ScatterElements: values of dtype complex64 have no reduction max"},
		{"the mean of bools", elements(flags, indices, newFlags, 0), []gather.Option{reduction(gather.Mean)}, gather.ErrDtype, "ScatterElements: values of dtype bool have no reduction mean"},
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

// TestScatterPrealloc runs operators into given values.
func TestScatterPrealloc(t *testing.T) {
	eachScatter(t, func(t *testing.T, c scatterCall) {
		x, w := offsets(c.data...).Data, offsets(c.updates...).Data
		g := G.NewGraph()
		data, updates := dense(x, c.data...), G.Value(dense(w, c.updates...))
		if len(c.updates) == 0 {
			updates = G.NewF64(w[0])
		}
		out, err := c.apply(input(g, "data", data), input(g, "indices", c.indexTensor()), input(g, "updates", updates))
		ok(t, err)
		op, inputs := out.Op().(G.UsePreallocDoer), []G.Value{data, c.indexTensor(), updates}
		into := preallocated(c.data)
		got, err := op.UsePreallocDo(into, inputs...)
		ok(t, err)
		if got != into {
			t.Error("the result is not the value given")
		}
		same(t, "values", got.Data().([]float64), c.forward(x, w))
		if c.rule.Reduction != oracle.Mean { // which counts
			noAllocations(t, func() { _, err = op.UsePreallocDo(into, inputs...) })
			ok(t, err)
		}
		for name, into := range map[string]G.Value{
			"data itself": data, "a scalar": G.NewF64(0), "another dtype": dense(make([]float32, len(x)), c.data...), "another shape": preallocated([]int{1, 1, 1}),
		} {
			if _, err := op.UsePreallocDo(into, inputs...); err == nil {
				t.Errorf("%s is written to", name)
			}
		}
		same(t, "data", data.Data().([]float64), x)
	})
}

// TestScatterRerun runs one TapeMachine with other values each time.
func TestScatterRerun(t *testing.T) {
	g := G.NewGraph()
	x, w := dense([]float64{2, 3}, 2), dense([]float64{5, 7}, 2)
	data, updates := input(g, "data", x), input(g, "updates", w)
	indices := input(g, "indices", dense([]int64{0, 0}, 2))
	out, err := gather.ScatterElements(data, indices, updates, 0, gather.WithReduction(gather.Mul))
	ok(t, err)
	grads, err := G.Grad(G.Must(G.Sum(out)), data, updates)
	ok(t, err)
	var values [3]G.Value
	G.Read(out, &values[0])
	G.Read(grads[0], &values[1])
	G.Read(grads[1], &values[2])
	machine := G.NewTapeMachine(g)
	defer machine.Close()
	for _, run := range []struct {
		at   []int64
		want [3][]float64
	}{
		{[]int64{0, 0}, [3][]float64{{70, 3}, {35, 1}, {14, 10}}},
		{[]int64{1, 0}, [3][]float64{{14, 15}, {7, 5}, {3, 2}}},
		{[]int64{-1, 1}, [3][]float64{{2, 105}, {1, 35}, {21, 15}}},
	} {
		ok(t, G.Let(indices, dense(run.at, 2)))
		ok(t, machine.RunAll())
		for i, want := range run.want {
			same(t, fmt.Sprintf("value %d for %v", i, run.at), values[i].Data().([]float64), want)
		}
		machine.Reset()
	}
}

// TestScatterDtypesInGraph runs graphs of dtypes that have no gradient there.
func TestScatterDtypesInGraph(t *testing.T) {
	run := func(name string, data, updates *tensor.Dense, want any, opts ...gather.Option) {
		t.Run(name, func(t *testing.T) {
			onMachines(t, func(t *testing.T, m gradtest.Machine) {
				g := G.NewGraph()
				out, err := gather.ScatterElements(input(g, "data", data), input(g, "indices", dense([]uint8{2, 0, 2}, 3)), input(g, "updates", updates), 0, opts...)
				ok(t, err)
				var value G.Value
				G.Read(out, &value)
				ok(t, runForward(m, g))
				if got := fmt.Sprint(value.Data()); got != fmt.Sprint(want) {
					t.Errorf("got %v, want %v", got, want)
				}
			})
		})
	}
	add := gather.WithReduction(gather.Add)
	run("string", dense([]string{"a", "b", "c"}, 3), dense([]string{"x", "y", "z"}, 3), []string{"y", "b", "z"})
	run("bool", dense([]bool{false, true, false}, 3), dense([]bool{true, false, false}, 3), []bool{false, true, true}, add)
	run("uint16", dense([]uint16{1, 2, 65535}, 3), dense([]uint16{1, 5, 1}, 3), []uint16{6, 2, 1}, add)
	run("int64, mean", dense([]int64{1, 2, 3}, 3), dense([]int64{-4, 6, 0}, 3), []int64{3, 2, -1}, gather.WithReduction(gather.Mean))
	run("complex128", dense([]complex128{1, 2i, 3}, 3), dense([]complex128{1i, 2, 2}, 3), []complex128{2, 2i, 6i}, gather.WithReduction(gather.Mul))
	run("bfloat16", dense([]gather.BF16{0, 0x3f80, 0}, 3), dense([]gather.BF16{0x3f80, 0x4000, 0x3f80}, 3), []gather.BF16{0x4000, 0x3f80, 0x4000}, add)
}
