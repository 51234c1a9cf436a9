package torch

import (
	"fmt"
	"math"
	"runtime"
	"testing"

	"github.com/pkg/errors"
	"github.com/stretchr/testify/require"
	"gorgonia.org/gather"
	G "gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

// reductions maps PyTorch's names to ours.
var reductions = map[string]gather.Reduction{
	"sum": gather.Add, "prod": gather.Mul, "mean": gather.Mean, "amax": gather.Max, "amin": gather.Min,
}

// apply builds the operator that stands for the call.
func (v *vector) apply(x, indices, w *G.Node) (*G.Node, error) {
	switch v.Op {
	case "index_select", "index":
		return gather.Gather(x, indices, v.Axis)
	case "gather":
		return gather.GatherElements(x, indices, v.Axis)
	case "index_nd":
		return gather.GatherND(x, indices)
	case "scatter":
		return gather.ScatterElements(x, indices, w, v.Axis)
	case "scatter_add":
		return gather.ScatterElements(x, indices, w, v.Axis, gather.WithReduction(gather.Add))
	case "scatter_reduce":
		return gather.ScatterElements(x, indices, w, v.Axis,
			gather.WithReduction(reductions[v.Reduce]), gather.WithInitValue(v.IncludeSelf))
	case "index_put":
		return gather.ScatterND(x, indices, w)
	case "index_put_add":
		return gather.ScatterND(x, indices, w, gather.WithReduction(gather.Add))
	case "index_copy":
		return gather.ScatterUpdate(x, indices, w, v.Axis)
	}
	return nil, errors.Errorf("no operator stands for %s", v.Op)
}

// result is what a run gives: flat values of the output and of the gradients, updates nil for a gather.
type result struct{ out, ddata, dupdates []float64 }

// graph is a call as a graph whose cost is sum(y * cotangent).
type graph struct {
	*G.ExprGraph
	x, w, y, cost *G.Node
}

func (v *vector) build() (*graph, error) {
	g := &graph{ExprGraph: G.NewGraph()}
	input := func(a *array, index bool, name string) *G.Node {
		d := a.dense(index)
		if len(a.Shape) == 0 {
			return G.NewScalar(g.ExprGraph, d.Dtype(), G.WithName(name), G.WithValue(d.ScalarValue()))
		}
		return G.NewTensor(g.ExprGraph, d.Dtype(), d.Dims(), G.WithShape(a.Shape...), G.WithName(name), G.WithValue(d))
	}
	g.x = input(v.Data, false, "data")
	indices := input(v.Indices, true, "indices")
	if v.Updates != nil {
		g.w = input(v.Updates, false, "updates")
	}
	cotangent := input(v.Cotangent, false, "cotangent")
	var err error
	if g.y, err = v.apply(g.x, indices, g.w); err != nil {
		return nil, errors.Wrap(err, "building the operator")
	}
	weighted, err := G.HadamardProd(g.y, cotangent)
	if err != nil {
		return nil, errors.Wrap(err, "weighing the output")
	}
	g.cost = weighted
	if !weighted.IsScalar() {
		g.cost, err = G.Sum(weighted)
	}
	return g, errors.Wrap(err, "summing the cost")
}

// inputs returns the nodes with a gradient.
func (g *graph) inputs() G.Nodes {
	if g.w == nil {
		return G.Nodes{g.x}
	}
	return G.Nodes{g.x, g.w}
}

// tape runs the call with gorgonia.Grad on a TapeMachine.
func (v *vector) tape() (r result, err error) {
	g, err := v.build()
	if err != nil {
		return r, err
	}
	grads, err := G.Grad(g.cost, g.inputs()...)
	if err != nil {
		return r, errors.Wrap(err, "Grad")
	}
	values := make([]G.Value, len(grads)+1)
	G.Read(g.y, &values[0])
	for i, grad := range grads {
		G.Read(grad, &values[i+1])
	}
	m := G.NewTapeMachine(g.ExprGraph)
	defer m.Close()
	if err := m.RunAll(); err != nil {
		return r, errors.Wrap(err, "TapeMachine")
	}
	return newResult(values...)
}

// lisp runs the call on a LispMachine.
func (v *vector) lisp() (r result, err error) {
	g, err := v.build()
	if err != nil {
		return r, err
	}
	var out G.Value
	G.Read(g.y, &out)
	m := G.NewLispMachine(g.ExprGraph)
	defer m.Close()
	if err := m.RunAll(); err != nil {
		return r, errors.Wrap(err, "LispMachine")
	}
	values := []G.Value{out}
	for _, n := range g.inputs() {
		grad, err := n.Grad()
		if err != nil {
			return r, errors.Wrapf(err, "the gradient of %s", n.Name())
		}
		values = append(values, grad)
	}
	return newResult(values...)
}

// newResult reads the output and the gradients.
func newResult(values ...G.Value) (result, error) {
	lists := make([][]float64, 3)
	for i, v := range values {
		switch data := v.Data().(type) {
		case float64:
			lists[i] = []float64{data}
		case []float64:
			lists[i] = data
			if d, ok := v.(*tensor.Dense); !ok || d.DataOrder().IsColMajor() || d.RequiresIterator() {
				return result{}, errors.Errorf("value %d is not contiguous and row-major", i)
			}
		default:
			return result{}, errors.Errorf("value %d came as %T", i, data)
		}
	}
	return result{lists[0], lists[1], lists[2]}, nil
}

// near allows for sums in another order, and for PyTorch's gradient of a product, which divides. A NaN is near a NaN.
func near(got, want float64) bool {
	if math.IsNaN(want) {
		return math.IsNaN(got)
	}
	return math.Abs(got-want) <= 1e-12*max(1, math.Abs(want))
}

func TestNear(t *testing.T) {
	require.True(t, near(1, 1))
	require.True(t, near(3e6*(1+1e-13), 3e6))
	require.False(t, near(1+1e-11, 1))
	require.False(t, near(1e-11, 0))
	require.True(t, near(math.NaN(), math.NaN()))
	require.False(t, near(0, math.NaN()))
	require.False(t, near(math.NaN(), 0))
	require.False(t, near(math.Inf(1), 1))
}

func TestGradients(t *testing.T) {
	h, vectors := read[vector](t, "vectors.jsonl.gz")
	seen := map[string]int{}
	for i, v := range vectors {
		targets := v.targets()
		for machine, run := range map[string]func() (result, error){"TapeMachine": v.tape, "LispMachine": v.lisp} {
			name := fmt.Sprintf("line %d: %s %s include_self=%v on %s", i+2, v.Op, v.Reduce, v.IncludeSelf, machine)
			got, err := run()
			require.NoError(t, err, name)
			for _, c := range []struct {
				what string
				got  []float64
				want *array
			}{{"out", got.out, v.Out}, {"ddata", got.ddata, v.DData}, {"dupdates", got.dupdates, v.DUpdates}} {
				if c.want == nil {
					continue
				}
				want := c.want.floats()
				require.Len(t, c.got, len(want), name)
				for j := range want {
					if near(c.got[j], want[j]) {
						continue
					}
					why := explain(v, targets, c.what, j, want[j])
					if why == "" {
						t.Errorf("%s: %s[%d] is %v, PyTorch %s says %v", name, c.what, j, c.got[j], h.Torch, want[j])
						continue
					}
					seen[why]++
				}
			}
		}
		if i%200 == 0 {
			runtime.GC() // each machine holds its graph until the collector finds it
		}
	}
	t.Logf("PyTorch %s, %d cases, elements that differ for a listed reason: %v", h.Torch, len(vectors), seen)
	for _, d := range differences {
		require.NotZero(t, seen[d.name], "a listed difference that no longer occurs")
	}
}
