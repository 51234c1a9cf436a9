package diff_test

import (
	"math/rand"
	"testing"

	"gorgonia.org/gather/diff"
	"gorgonia.org/gather/internal/gradtest"
	"gorgonia.org/gather/internal/layout"
	G "gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

// TestScatterAdd applies the gradient operator to a fresh variable, on both
// machines, and differentiates it: its own gradient is the gather again. The
// values are compared with the oracle exactly, and with finite differences.
func TestScatterAdd(t *testing.T) {
	for _, a := range adjoints {
		t.Run(a.name, func(t *testing.T) {
			rng := newRand(1)
			op := a.op(t, tensor.Float64)
			updates := gradtest.Integers(rng, size(a.results))
			build := func(in []*G.Node) (*G.Node, error) { return diff.ScatterAdd(op, in[0], in[1], a.Data) }
			inputs := []gradtest.Input{{Value: tensorOf(updates, a.results...), Differentiate: true}, {Value: a.indexTensor()}}
			_, err := gradtest.Graph(inputs, build, rng)
			ok(t, err)
			u := gradtest.Integers(rng, size(a.Data))
			for _, m := range []gradtest.Machine{gradtest.Tape, gradtest.Lisp} {
				got, err := gradtest.Backward(m, inputs, build, u)
				ok(t, err)
				same(t, "shape", got.Shape, a.Data)
				same(t, "values", got.Output, scatter(a, updates, func(a, b float64) float64 { return a + b }))
				same(t, "gradient", got.Grads[0], pick(a, u))
			}
		})
	}
}

// TestAdjointIdentity demands <gather x, u> = <x, scatterAdd u> for random
// integers, exactly.
func TestAdjointIdentity(t *testing.T) {
	for _, a := range adjoints {
		t.Run(a.name, func(t *testing.T) {
			op := a.op(t, tensor.Float64)
			gathered := func(x []float64) ([]float64, error) {
				r, err := gradtest.Forward(gradtest.Tape, []gradtest.Input{{Value: tensorOf(x, a.Data...)}, {Value: a.indexTensor()}},
					func(in []*G.Node) (*G.Node, error) { return a.apply(in[0], in[1]) })
				return r.Output, err
			}
			added := func(u []float64) ([]float64, error) {
				r, err := gradtest.Forward(gradtest.Tape, []gradtest.Input{{Value: tensorOf(u, a.results...)}, {Value: a.indexTensor()}},
					func(in []*G.Node) (*G.Node, error) { return diff.ScatterAdd(op, in[0], in[1], a.Data) })
				return r.Output, err
			}
			ok(t, gradtest.AdjointIdentity(gathered, added, size(a.Data), newRand(2)))
		})
	}
}

// TestTwice uses the same updates in two gradient operators, and lets the
// gradient of each of them through.
func TestTwice(t *testing.T) {
	first, second := adjoints[3], adjoints[3]
	second.Indices.Data = []int64{0, 0, 0, 0, 1, 1, 1, -1}
	op := first.op(t, tensor.Float64)
	build := func(in []*G.Node) (*G.Node, error) {
		a, err := diff.ScatterAdd(op, in[0], in[1], first.Data)
		if err != nil {
			return nil, err
		}
		b, err := diff.ScatterAdd(op, in[0], in[2], first.Data)
		if err != nil {
			return nil, err
		}
		return G.Add(a, b)
	}
	rng := newRand(3)
	inputs := []gradtest.Input{
		{Value: tensorOf(gradtest.Normals(rng, 8), first.results...), Differentiate: true}, {Value: first.indexTensor()}, {Value: second.indexTensor()},
	}
	_, err := gradtest.Graph(inputs, build, rng)
	ok(t, err)
	u := gradtest.Integers(rng, size(first.Data))
	want := pick(first, u)
	for i, g := range pick(second, u) {
		want[i] += g
	}
	for _, m := range []gradtest.Machine{gradtest.Tape, gradtest.Lisp} {
		got, err := gradtest.Backward(m, inputs, build, u)
		ok(t, err)
		same(t, "gradient on "+m.String(), got.Grads[0], want)
	}
}

// TestSecondDerivative differentiates the gradient of a function that is not
// linear in the gathered values. The gradient, ScatterAdd of 3·w·x², is built by
// hand, since Grad twice on one input is wrong in Gorgonia itself.
func TestSecondDerivative(t *testing.T) {
	a := adjoints[4]
	op := a.op(t, tensor.Float64)
	// The gradient of Σ w·x³ for gathered x, which is a function of data.
	gradient := func(in []*G.Node) (*G.Node, error) {
		x, err := a.apply(in[0], in[1])
		if err != nil {
			return nil, err
		}
		return diff.ScatterAdd(op, G.Must(G.HadamardProd(G.Must(G.Square(x)), in[2])), in[1], a.Data)
	}
	rng := newRand(4)
	_, err := gradtest.Graph([]gradtest.Input{
		{Value: tensorOf(gradtest.Normals(rng, size(a.Data)), a.Data...), Differentiate: true},
		{Value: a.indexTensor()},
		{Value: tensorOf(gradtest.Normals(rng, size(a.results)), a.results...), Differentiate: true},
	}, gradient, rng)
	ok(t, err)
}

// TestLayouts gives updates in every layout.
func TestLayouts(t *testing.T) {
	a := adjoints[3]
	op := a.op(t, tensor.Float64)
	values := []float64{1, 20, 300, 4000, 50000, 600000, 7000000, 80000000}
	for _, l := range layout.All {
		updates := layout.Lay(l, values, 9, 4, 2).Dense
		for _, m := range []gradtest.Machine{gradtest.Tape, gradtest.Lisp} {
			t.Run(l.String()+" on "+m.String(), func(t *testing.T) {
				u := gradtest.Integers(newRand(5), size(a.Data))
				got, err := gradtest.Backward(m, []gradtest.Input{{Value: updates, Differentiate: true}, {Value: a.indexTensor()}},
					func(in []*G.Node) (*G.Node, error) { return diff.ScatterAdd(op, in[0], in[1], a.Data) }, u)
				ok(t, err)
				same(t, "values", got.Output, scatter(a, values, func(a, b float64) float64 { return a + b }))
				same(t, "gradient", got.Grads[0], pick(a, u))
			})
		}
	}
}

// TestGradientOfIndices asks for what does not exist.
func TestGradientOfIndices(t *testing.T) {
	a := adjoints[0]
	g := G.NewGraph()
	updates := G.NewTensor(g, tensor.Float64, 3, G.WithShape(a.results...), G.WithName("updates"))
	indices := G.NodeFromAny(g, a.indexTensor(), G.WithName("indices"))
	n, err := diff.ScatterAdd(a.op(t, tensor.Float64), updates, indices, a.Data)
	ok(t, err)
	if grads, err := G.Grad(G.Must(G.Sum(n)), indices); err == nil {
		t.Errorf("no error, but %v", grads)
	}
}

// TestShapeIsKept changes the shape given, after the operator was made.
func TestShapeIsKept(t *testing.T) {
	a := adjoints[0]
	shape := tensor.Shape(append([]int{}, a.Data...))
	op := a.op(t, tensor.Float64)
	updates := gradtest.Integers(rand.New(rand.NewSource(6)), size(a.results))
	got, err := gradtest.Forward(gradtest.Tape, []gradtest.Input{{Value: tensorOf(updates, a.results...)}, {Value: a.indexTensor()}},
		func(in []*G.Node) (*G.Node, error) {
			n, err := diff.ScatterAdd(op, in[0], in[1], shape)
			shape[0] = 100
			return n, err
		})
	ok(t, err)
	same(t, "shape", got.Shape, a.Data)
}
