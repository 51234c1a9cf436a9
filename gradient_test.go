package gather_test

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"gorgonia.org/gather"
	"gorgonia.org/gather/diff"
	"gorgonia.org/gather/internal/gradtest"
	"gorgonia.org/gather/internal/oracle"
	G "gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

// TestGradientsAccumulate uses one data in several operators: its gradient is
// the sum of what each of them gives.
func TestGradientsAccumulate(t *testing.T) {
	rows := call{op: "Gather", indices: oracle.From([]int64{2, 0, 2, -1}, 4)}
	columns := call{op: "Gather", axis: 1, indices: oracle.From([]int64{3, 3, -4}, 3)}
	elements := call{op: "GatherElements", axis: 1, indices: oracle.From([]int64{1, 1, 0, -1, 2, 2}, 3, 2)}
	tuples := call{op: "GatherND", indices: oracle.From([]int64{0, 0, 2, 3, -1, -1, 0, 0}, 4, 2)}
	s := []int{3, 4}
	for _, c := range []struct {
		name  string
		calls []call
	}{
		{"the same operator with other indices", []call{rows, {op: "Gather", indices: oracle.From([]int64{1, 1, 2}, 3)}}},
		{"one operator of each kind", []call{rows, elements, tuples}},
		{"the same operator along both axes", []call{rows, columns}},
		{"four of them", []call{columns, tuples, rows, elements}},
	} {
		t.Run(c.name, func(t *testing.T) {
			onMachines(t, func(t *testing.T, m gradtest.Machine) {
				rng := newRand(3)
				data := offsets(s...)
				want := make([]float64, 12)
				inputs := []gradtest.Input{{Value: dense(data.Data, s...), Differentiate: true}}
				var cotangents []*tensor.Dense
				for _, c := range c.calls {
					out, _ := c.forward(data)
					u := gradtest.Integers(rng, len(out.Data))
					for i, g := range c.backward(t, s, u) {
						want[i] += g
					}
					inputs = append(inputs, gradtest.Input{Value: c.indexTensor()})
					cotangents = append(cotangents, dense(u, out.Shape...))
				}
				// The output is the sum over the operators of <result, u>.
				build := func(in []*G.Node) (*G.Node, error) {
					var total *G.Node
					for i, c := range c.calls {
						out, err := c.apply(in[0], in[1+i])
						if err != nil {
							return nil, err
						}
						u := input(out.Graph(), fmt.Sprint("u", i), cotangents[i])
						cost := G.Must(G.Sum(G.Must(G.HadamardProd(out, u))))
						if total == nil {
							total = cost
						} else {
							total = G.Must(G.Add(total, cost))
						}
					}
					return total, nil
				}
				got, err := gradtest.Backward(m, inputs, build, []float64{1})
				ok(t, err)
				same(t, "gradient", got.Grads[0], want)
			})
		})
	}
}

// TestGradientBesideGorgonia uses data in an operator here and in one of
// Gorgonia's own.
func TestGradientBesideGorgonia(t *testing.T) {
	rows := call{op: "Gather", indices: oracle.From([]int64{2, 0, 2, -1}, 4)}
	onMachines(t, func(t *testing.T, m gradtest.Machine) {
		build := func(in []*G.Node) (*G.Node, error) {
			square := G.Must(G.Sum(G.Must(G.Square(in[0]))))
			picked, err := rows.apply(in[0], in[1])
			if err != nil {
				return nil, err
			}
			return G.Add(square, G.Must(G.Sum(picked)))
		}
		data := offsets(3, 4)
		got, err := gradtest.Backward(m, []gradtest.Input{{Value: dense(data.Data, 3, 4), Differentiate: true}, {Value: rows.indexTensor()}}, build, []float64{1})
		ok(t, err)
		want := make([]float64, 12)
		for i, reads := range []float64{1, 0, 3} { // row 2 is read at 2, 2 and -1
			for j := range 4 {
				want[4*i+j] = 2*data.Data[4*i+j] + reads
			}
		}
		same(t, "gradient", got.Grads[0], want)
	})
}

// TestGradientThroughGather chains two gathers: the gradient of the inner one's
// result is a node, not an input.
func TestGradientThroughGather(t *testing.T) {
	onMachines(t, func(t *testing.T, m gradtest.Machine) {
		build := func(in []*G.Node) (*G.Node, error) {
			rows, err := gather.Gather(in[0], in[1], 0)
			if err != nil {
				return nil, err
			}
			return gather.GatherElements(rows, in[2], 1)
		}
		got, err := gradtest.Backward(m, []gradtest.Input{
			{Value: dense([]float64{0, 1, 2, 3, 4, 5}, 2, 3), Differentiate: true},
			{Value: dense([]int64{1, 1, 0, -1}, 4)},
			{Value: dense([]int64{2, 0, 0, -1}, 4, 1)},
		}, build, []float64{1, 10, 100, 1000})
		ok(t, err)
		same(t, "values", got.Output, []float64{5, 3, 0, 5})
		same(t, "gradient", got.Grads[0], []float64{100, 0, 0, 10, 0, 1001})
	})
}

// TestGradientsFollowPolicies has many indices out of range. What ZeroFill has filled
// has no gradient, and adds it to no other element; Clamp adds it to what was read.
func TestGradientsFollowPolicies(t *testing.T) {
	const far = 1 << 40
	zeroFill, nonNegative := oracle.Policy{ZeroFill: true}, oracle.Policy{ZeroFill: true, NonNegative: true}
	clamp, positive := oracle.Policy{Clamp: true}, oracle.Policy{Clamp: true, NonNegative: true}
	last := oracle.Policy{Padding: oracle.Padding{Padded: true, ID: -1}}
	first := oracle.Policy{NonNegative: true, Clamp: true, Padding: oracle.Padding{Padded: true}}
	for _, c := range []struct {
		name string
		call call
	}{
		{"Gather", call{op: "Gather", axis: 1, policy: zeroFill, indices: oracle.From([]int64{1, 3, -4, far, -3, 1}, 6)}},
		{"Gather, negative is out of range", call{op: "Gather", axis: 1, policy: nonNegative, indices: oracle.From([]int64{1, -1, 2, -3}, 4)}},
		{"GatherElements", call{op: "GatherElements", axis: 1, policy: zeroFill, indices: oracle.From([]int64{1, 1, -1, 3, far, -far, -4, 0}, 2, 4)}},
		{"GatherND, one component of a tuple", call{op: "GatherND", policy: zeroFill, indices: oracle.From([]int64{0, 0, 1, 3, 2, 0, -1, -1, 1, 2}, 5, 2)}},
		{"Gather, clamped", call{op: "Gather", axis: 1, policy: clamp, indices: oracle.From([]int64{1, 3, -4, far, -3, -far, math.MinInt64}, 7)}},
		{"Gather, clamped, negative is below the first", call{op: "Gather", axis: 1, policy: positive, indices: oracle.From([]int64{1, -1, 2, 3}, 4)}},
		{"Gather, a scalar, clamped", call{op: "Gather", policy: clamp, indices: oracle.From([]int64{7})}},
		{"GatherElements, clamped", call{op: "GatherElements", axis: 1, policy: clamp, indices: oracle.From([]int64{1, 1, -1, 3, far, -far, -4, 0}, 2, 4)}},
		{"GatherND, each component clamped", call{op: "GatherND", policy: clamp, indices: oracle.From([]int64{0, 0, 1, 3, 2, 0, -1, -9, 5, 5}, 5, 2)}},
		{"Gather, padded", call{op: "Gather", axis: 1, policy: last, indices: oracle.From([]int64{1, -1, 2, -2, -1, 2}, 3, 2)}},
		{"Gather, padded and clamped", call{op: "Gather", axis: 1, policy: first, indices: oracle.From([]int64{0, 9, -1, 1, 0}, 5)}},
		{"GatherElements, padded", call{op: "GatherElements", axis: 1, policy: last, indices: oracle.From([]int64{1, 1, -1, -2, -1, -1, -3, 0}, 2, 4)}},
		{"GatherND, one component is the padding", call{op: "GatherND", policy: last, indices: oracle.From([]int64{0, 0, 1, -1, -1, 9, -2, -3, 1, 2}, 5, 2)}},
		{"all is padding", call{op: "Gather", policy: last, indices: oracle.From([]int64{-1, -1}, 2)}},
		{"all of it", call{op: "Gather", axis: 1, policy: zeroFill, indices: oracle.From([]int64{3, 3}, 2)}},
	} {
		t.Run(c.name, func(t *testing.T) {
			onMachines(t, func(t *testing.T, m gradtest.Machine) {
				data := oracle.From([]float64{1, 2, 3, 4, 5, 6}, 2, 3)
				want, _ := c.call.forward(data)
				u := gradtest.Integers(newRand(4), len(want.Data))
				got, err := gradtest.Backward(m, []gradtest.Input{{Value: dense(data.Data, 2, 3), Differentiate: true}, {Value: c.call.indexTensor()}}, c.call.build, u)
				ok(t, err)
				same(t, "values", got.Output, want.Data)
				same(t, "gradient", got.Grads[0], c.call.backward(t, data.Shape, u))
			})
		})
	}
}

// TestGradientOfIndices asks for what does not exist.
func TestGradientOfIndices(t *testing.T) {
	for _, c := range []call{
		{op: "Gather", indices: oracle.From([]int64{1, 0}, 2)},
		{op: "GatherElements", indices: oracle.From([]int64{1, 0}, 1, 2)},
		{op: "GatherND", indices: oracle.From([]int64{1, 0}, 1, 2)},
	} {
		for _, alone := range []bool{true, false} {
			t.Run(fmt.Sprint(c.op, " alone=", alone), func(t *testing.T) {
				g := G.NewGraph()
				data := input(g, "data", dense([]float64{1, 2, 3, 4}, 2, 2))
				indices := input(g, "indices", c.indexTensor())
				out, err := c.apply(data, indices)
				ok(t, err)
				wrt := []*G.Node{data, indices}
				if alone {
					wrt = wrt[1:]
				}
				cost := G.Must(G.Sum(out))
				grads, err := G.Grad(cost, wrt...)
				if err == nil || !strings.Contains(err.Error(), "indices") {
					t.Errorf("gradients %v and error %v, want an error that names the node", grads, err)
				}
			})
		}
	}
}

// TestNoGradientOfIntegers has LispMachine's backward pass leave integers alone: it
// calls DoDiff of every operator.
func TestNoGradientOfIntegers(t *testing.T) {
	g := G.NewGraph()
	data, indices := input(g, "data", dense([]int32{1, 2, 3}, 3)), input(g, "indices", dense([]int64{0, -1}, 2))
	gathered, err := gather.Gather(data, indices, 0)
	ok(t, err)
	scattered, err := gather.ScatterUpdate(data, indices, gathered, 0)
	ok(t, err)
	added, err := diff.ScatterAdd(gathered.Op(), gathered, indices, []int{3})
	ok(t, err)
	for _, n := range []*G.Node{gathered, scattered, added} {
		op := n.Op().(interface {
			G.SDOp
			G.ADOp
		})
		if wrt := op.DiffWRT(op.Arity()); slices.Contains(wrt, true) {
			t.Errorf("%v is differentiable: %v", op, wrt)
		}
		ok(t, op.DoDiff(G.ExecutionContext{}, nil, n))
	}
}

// TestScatterGradientOfIndices asks for gradients that do not exist: of indices,
// and of anything where the values are integers.
func TestScatterGradientOfIndices(t *testing.T) {
	c := scatterCalls[0]
	g := G.NewGraph()
	data, indices := input(g, "data", dense(offsets(c.Data...).Data, c.Data...)), input(g, "indices", c.indexTensor())
	out, err := c.apply(data, indices, input(g, "updates", dense(offsets(c.Updates...).Data, c.Updates...)))
	ok(t, err)
	if grads, err := G.Grad(G.Must(G.Sum(out)), data, indices); err == nil || !strings.Contains(err.Error(), "indices") {
		t.Errorf("gradients %v and error %v, want an error that names the node", grads, err)
	}
	whole := G.NewGraph()
	integers, err := c.apply(G.NewMatrix(whole, tensor.Int, G.WithShape(c.Data...), G.WithName("data")), input(whole, "indices", c.indexTensor()),
		G.NewMatrix(whole, tensor.Int, G.WithShape(c.Updates...), G.WithName("updates")))
	ok(t, err)
	if wrt := integers.Op().(G.SDOp).DiffWRT(3); fmt.Sprint(wrt) != "[false false false]" {
		t.Errorf("integers are differentiable with respect to %v", wrt)
	}
}

// TestScatterGradients has, worked out by hand, the gradients of every
// reduction where they are easy to get wrong: two updates of one target, zeros
// in a product, ties with and without the old value of data. The gradient of
// the result is [1, 2].
func TestScatterGradients(t *testing.T) {
	type numbers = []float64
	for _, c := range []struct {
		name          string
		reduction     gather.Reduction
		noInit        bool
		x, w, y       numbers
		gData, gUpdat numbers
	}{
		{"none: the last writer has it all", gather.None, false, numbers{1, 2}, numbers{5, 7}, numbers{7, 2}, numbers{0, 2}, numbers{0, 1}},
		{"add", gather.Add, false, numbers{1, 2}, numbers{5, 7}, numbers{13, 2}, numbers{1, 2}, numbers{1, 1}},
		{"sub", gather.Sub, false, numbers{1, 2}, numbers{5, 7}, numbers{-11, 2}, numbers{1, 2}, numbers{-1, -1}},
		{"add without init", gather.Add, true, numbers{1, 2}, numbers{5, 7}, numbers{12, 2}, numbers{0, 2}, numbers{1, 1}},
		{"mul", gather.Mul, false, numbers{2, 3}, numbers{5, 7}, numbers{70, 3}, numbers{35, 2}, numbers{14, 10}},
		{"mul, an update is zero", gather.Mul, false, numbers{2, 3}, numbers{0, 7}, numbers{0, 3}, numbers{0, 2}, numbers{14, 0}},
		{"mul, data is zero", gather.Mul, false, numbers{0, 3}, numbers{5, 7}, numbers{0, 3}, numbers{35, 2}, numbers{0, 0}},
		{"mul, two zeros", gather.Mul, false, numbers{2, 3}, numbers{0, 0}, numbers{0, 3}, numbers{0, 2}, numbers{0, 0}},
		{"mul without init", gather.Mul, true, numbers{0, 3}, numbers{0, 7}, numbers{0, 3}, numbers{0, 2}, numbers{7, 0}},
		{"max, a tie with data", gather.Max, false, numbers{5, 3}, numbers{5, 5}, numbers{5, 3}, numbers{1. / 3, 2}, numbers{1. / 3, 1. / 3}},
		{"max, a tie of updates", gather.Max, false, numbers{1, 3}, numbers{5, 5}, numbers{5, 3}, numbers{0, 2}, numbers{.5, .5}},
		{"max without init, data equals the result", gather.Max, true, numbers{5, 3}, numbers{5, 5}, numbers{5, 3}, numbers{0, 2}, numbers{.5, .5}},
		{"min, data is least", gather.Min, false, numbers{1, 3}, numbers{5, 7}, numbers{1, 3}, numbers{1, 2}, numbers{0, 0}},
		{"mean", gather.Mean, false, numbers{1, 2}, numbers{5, 7}, numbers{13. / 3, 2}, numbers{1. / 3, 2}, numbers{1. / 3, 1. / 3}},
		{"mean without init", gather.Mean, true, numbers{1, 2}, numbers{5, 7}, numbers{6, 2}, numbers{0, 2}, numbers{.5, .5}},
	} {
		t.Run(c.name, func(t *testing.T) {
			opts := []gather.Option{gather.WithReduction(c.reduction), gather.WithInitValue(!c.noInit)}
			for name, scatter := range map[string]struct {
				indices []int
				apply   func(in []*G.Node) (*G.Node, error)
			}{
				"ScatterElements": {[]int{2}, func(in []*G.Node) (*G.Node, error) {
					return gather.ScatterElements(in[0], in[1], in[2], 0, opts...)
				}},
				"ScatterND": {[]int{2, 1}, func(in []*G.Node) (*G.Node, error) {
					return gather.ScatterND(in[0], in[1], in[2], opts...)
				}},
			} {
				onMachines(t, func(t *testing.T, m gradtest.Machine) {
					got, err := gradtest.Backward(m, []gradtest.Input{
						{Value: dense(c.x, 2), Differentiate: true},
						{Value: dense([]int64{0, -2}, scatter.indices...)},
						{Value: dense(c.w, 2), Differentiate: true},
					}, scatter.apply, numbers{1, 2})
					ok(t, err)
					same(t, fmt.Sprint(name, " values"), got.Output, c.y)
					same(t, fmt.Sprint(name, " gradient of data"), got.Grads[0], c.gData)
					same(t, fmt.Sprint(name, " gradient of updates"), got.Grads[2], c.gUpdat)
				})
			}
		})
	}
}

// segmentReductions are what the operators of segments reduce by.
var segmentReductions = map[string]oracle.Reduction{
	"SegmentSum": oracle.Add, "SegmentMean": oracle.Mean, "SegmentMin": oracle.Min, "SegmentMax": oracle.Max, "SegmentProd": oracle.Mul,
}

// TestRandomSegmentGradients compares gradients on both machines with the oracle. The
// values are small integers, with zeros and ties among them.
func TestRandomSegmentGradients(t *testing.T) {
	rng := newRand(31)
	for name, apply := range segmentFuncs {
		onMachines(t, func(t *testing.T, m gradtest.Machine) {
			for range 100 {
				rows, columns, segments := 1+rng.Intn(9), 1+rng.Intn(4), 1+rng.Intn(5)
				ids := make([]int64, rows)
				for i := range ids {
					ids[i] = int64(rng.Intn(segments+2) - 1)
				}
				slices.Sort(ids)
				x, length := gradtest.Integers(rng, rows*columns), segments
				for i := range x {
					x[i] = math.Trunc(x[i] / 3)
				}
				if name == "SegmentSoftmax" {
					length = rows
				}
				g := gradtest.Integers(rng, length*columns)
				got, err := gradtest.Backward(m, []gradtest.Input{
					{Value: dense(slices.Clone(x), rows, columns), Differentiate: true}, {Value: dense(slices.Clone(ids), rows)},
				}, func(in []*G.Node) (*G.Node, error) {
					return apply(in[0], in[1], segments, gather.WithOutOfRange(gather.Skip))
				}, g)
				ok(t, err)
				data, grad := oracle.From(x, rows, columns), oracle.From(g, length, columns)
				var want oracle.Array[float64]
				if name == "SegmentSoftmax" {
					want = oracle.SegmentSoftmaxGrad(grad, oracle.SegmentSoftmax(data, ids, segments), ids, segments)
				} else {
					want = oracle.SegmentGrad(grad, data, ids, segmentReductions[name], oracle.Floats[float64]())
				}
				for i, w := range want.Data {
					if y := got.Grads[0][i]; !(math.Abs(y-w) <= 1e-12) {
						t.Fatalf("%s of %v in segments %v, gradient %v: gradient %v, want %v", name, x, ids, g, got.Grads[0], want.Data)
					}
				}
			}
		})
	}
}

// TestSegmentAdjointIdentity checks <f(x), u> = <x, gradient of u> for the linear
// reductions, without an oracle between the two. Segments have 1, 2 or 4 rows, for which
// means of integers are exact.
func TestSegmentAdjointIdentity(t *testing.T) {
	ids, rng := []int64{-1, 0, 0, 0, 0, 2, 3, 3, 5}, newRand(32)
	for _, name := range []string{"SegmentSum", "SegmentMean"} {
		onMachines(t, func(t *testing.T, m gradtest.Machine) {
			both := func(x, u []float64) (gradtest.Result, error) {
				return gradtest.Backward(m, []gradtest.Input{{Value: dense(slices.Clone(x), 9, 3), Differentiate: true}, {Value: dense(slices.Clone(ids), 9)}},
					func(in []*G.Node) (*G.Node, error) {
						return segmentFuncs[name](in[0], in[1], 4, gather.WithOutOfRange(gather.Skip))
					}, u)
			}
			forward := func(x []float64) ([]float64, error) {
				r, err := both(x, make([]float64, 12))
				if err != nil {
					return nil, err
				}
				return r.Output, nil
			}
			adjoint := func(u []float64) ([]float64, error) {
				r, err := both(make([]float64, 27), u)
				if err != nil {
					return nil, err
				}
				return r.Grads[0], nil
			}
			if err := gradtest.AdjointIdentity(forward, adjoint, 27, rng); err != nil {
				t.Error(fmt.Errorf("%s: %w", name, err))
			}
		})
	}
}

// TestGradientOfSumIsTheCotangent has the gradient of data of a sum be that of the
// result, without an operator of its own, where the machine keeps it.
func TestGradientOfSumIsTheCotangent(t *testing.T) {
	for _, c := range []struct {
		name  string
		inner bool // data is no input node
		opts  []gather.Option
		want  bool
	}{
		{"add", false, []gather.Option{gather.WithReduction(gather.Add)}, true},
		{"sub", false, []gather.Option{gather.WithReduction(gather.Sub)}, true},
		{"add without the old value", false, []gather.Option{gather.WithReduction(gather.Add), gather.WithInitValue(false)}, false},
		{"mul", false, []gather.Option{gather.WithReduction(gather.Mul)}, false},
		{"none", false, nil, false},
		{"add to an inner node", true, []gather.Option{gather.WithReduction(gather.Add)}, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			g := G.NewGraph()
			data := input(g, "data", dense([]float64{1, 2, 3}, 3))
			if c.inner {
				data = G.Must(G.Tanh(data))
			}
			indices := input(g, "indices", tensor.New(tensor.WithBacking([]int64{0, 0})))
			updates := input(g, "updates", dense([]float64{4, 5}, 2))
			out := G.Must(gather.ScatterElements(data, indices, updates, 0, c.opts...))
			grad := input(g, "grad", dense([]float64{6, 7, 8}, 3))
			gradients, err := out.Op().(G.SDOp).SymDiff(G.Nodes{data, indices, updates}, out, grad)
			ok(t, err)
			if got := gradients[0] == grad; got != c.want {
				t.Errorf("the gradient of data is %v, that of the result: %v, want %v", gradients[0], got, c.want)
			}
			short := input(g, "short", dense([]float64{6, 7}, 2))
			if gradients, err := out.Op().(G.SDOp).SymDiff(G.Nodes{data, indices, updates}, out, short); err == nil {
				t.Errorf("a gradient of another shape: no error, but %v", gradients)
			}
		})
	}
}

// TestGradientOfSumStays has an operator behind the sum that shares its gradient and
// might overwrite it: what data is told is the same at the end of the run.
func TestGradientOfSumStays(t *testing.T) {
	g := G.NewGraph()
	data := input(g, "data", dense([]float64{1, 2, 3}, 3))
	other := input(g, "other", dense([]float64{0.5, 0.25, 2}, 3))
	indices := input(g, "indices", tensor.New(tensor.WithBacking([]int64{0, 0})))
	updates := input(g, "updates", dense([]float64{4, 5}, 2))
	out := G.Must(gather.ScatterElements(data, indices, updates, 0, gather.WithReduction(gather.Add)))
	total := G.Must(G.Add(out, G.Must(G.Square(G.Must(G.Tanh(other)))))) // both get the gradient of total
	cost := G.Must(G.Sum(G.Must(G.Square(total))))
	gradients, err := G.Grad(cost, data, other, updates)
	ok(t, err)
	vm := G.NewTapeMachine(g, G.BindDualValues(data, other, updates))
	defer vm.Close()
	ok(t, vm.RunAll())
	var want []float64
	for i, x := range []float64{10, 2, 3} { // data with its updates
		square := math.Pow(math.Tanh([]float64{0.5, 0.25, 2}[i]), 2)
		want = append(want, 2*(x+square))
	}
	got := gradients[0].Value().(*tensor.Dense).Float64s()
	if !slices.Equal(got, want) {
		t.Errorf("the gradient of data is %v, want %v", got, want)
	}
	if updates := gradients[2].Value().(*tensor.Dense).Float64s(); !slices.Equal(updates, []float64{want[0], want[0]}) {
		t.Errorf("the gradient of updates is %v, want %v twice", updates, want[0])
	}
	bound, err := data.Grad()
	ok(t, err)
	if !slices.Equal(bound.(*tensor.Dense).Float64s(), want) {
		t.Errorf("data is bound to the gradient %v, want %v", bound, want)
	}
}

// TestGradientOfMean has the gradient of updates, which is gathered from that of data
// where the old values are kept, be what the operator for it alone gives, to the bit.
func TestGradientOfMean(t *testing.T) {
	data, grad := dense([]float64{1, 2, 3, 4, 5, 6}, 2, 3), dense([]float64{0.1, 0.7, 0.3, -0.9, math.Inf(1), 0.2}, 2, 3)
	indices := tensor.New(tensor.WithShape(2, 4), tensor.WithBacking([]int64{0, -3, 2, 0, 1, 1, 1, -1}))
	updates := dense([]float64{7, 8, 9, 10, 11, 12, 13, 14}, 2, 4)
	for _, keep := range []bool{true, false} {
		g := G.NewGraph()
		in := G.Nodes{input(g, "data", data), input(g, "indices", indices), input(g, "updates", updates)}
		out := G.Must(gather.ScatterElements(in[0], in[1], in[2], 1, gather.WithReduction(gather.Mean), gather.WithInitValue(keep)))
		cotangent := input(g, "grad", grad)
		gradients, err := out.Op().(G.SDOp).SymDiff(in, out, cotangent)
		ok(t, err)
		want := G.Must(diff.ScatterGradUpdates(out.Op(), cotangent, in[0], in[1], in[2]))
		if alone := gradients[2] == want; alone == keep {
			t.Errorf("old values kept %v: the operator is %v", keep, gradients[2].Op())
		}
		var got, wanted G.Value
		G.Read(gradients[2], &got)
		G.Read(want, &wanted)
		vm := G.NewTapeMachine(g)
		defer vm.Close()
		ok(t, vm.RunAll())
		if !slices.Equal(got.(*tensor.Dense).Float64s(), wanted.(*tensor.Dense).Float64s()) {
			t.Errorf("old values kept %v: the gradient of updates is %v, want %v", keep, got, wanted)
		}
	}
}
