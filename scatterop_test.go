package gather_test

import (
	"fmt"
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
