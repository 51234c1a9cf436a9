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
		onMachines(t, func(t *testing.T, m gradtest.Machine) {
			t.Run(c.name, func(t *testing.T) {
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
