package diff_test

import (
	"gorgonia.org/gather/internal/race"
	"fmt"
	"strings"
	"testing"

	"gorgonia.org/gather"
	"gorgonia.org/gather/diff"
	"gorgonia.org/gather/internal/gradtest"
	G "gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

// gradients are the two gradient operators by name.
var gradients = map[string]gradientFunc{"data": diff.ScatterGradData, "updates": diff.ScatterGradUpdates}

// TestScatterSecondDerivatives differentiates the gradient operators with
// respect to all they depend on, on both machines and by differences.
func TestScatterSecondDerivatives(t *testing.T) {
	for _, c := range scatters {
		for _, r := range []gather.Reduction{gather.None, gather.Add, gather.Sub, gather.Mean, gather.Mul} {
			for _, init := range []bool{true, false} {
				for of, gradient := range gradients {
					t.Run(fmt.Sprintf("%s/%v/init=%v/of %s", c.name, r, init, of), func(t *testing.T) {
						rng := newRand(int64(r) + 1)
						values := func(shape []int) *tensor.Dense {
							return tensorOf(gradtest.Normals(rng, size(shape)), shape...)
						}
						op := c.op(t, tensor.Float64, gather.WithReduction(r), gather.WithInitValue(init))
						product := r == gather.Mul && (init || of == "updates")
						_, err := gradtest.Graph([]gradtest.Input{
							{Value: values(c.data), Differentiate: true},
							{Value: values(c.data), Differentiate: product && init && of == "updates"},
							{Value: c.indices},
							{Value: values(c.updates), Differentiate: product},
						}, func(in []*G.Node) (*G.Node, error) {
							return gradient(op, in[0], in[1], in[2], in[3])
						}, rng)
						ok(t, err)
					})
				}
			}
		}
	}
}

// gradientFunc is ScatterGradData or ScatterGradUpdates.
type gradientFunc = func(op G.Op, grad, data, indices, updates *G.Node) (*G.Node, error)

// derivativesOf are the operators that make the gradients of a gradient, for
// each of its inputs.
func derivativesOf(t *testing.T, c scatterCase, gradient gradientFunc, opts ...gather.Option) [4]G.Op {
	t.Helper()
	g := G.NewGraph()
	inputs := G.Nodes{
		node(g, "grad", tensor.Float64, c.data), node(g, "data", tensor.Float64, c.data),
		G.NodeFromAny(g, c.indices, G.WithName("indices")), node(g, "updates", tensor.Float64, c.updates),
	}
	n, err := gradient(c.op(t, tensor.Float64, opts...), inputs[0], inputs[1], inputs[2], inputs[3])
	ok(t, err)
	gradients, err := n.Op().(G.SDOp).SymDiff(inputs, n, node(g, "cotangent", tensor.Float64, n.Shape()))
	ok(t, err)
	var ops [4]G.Op
	for i, n := range gradients {
		if n != nil {
			ops[i] = n.Op()
		}
	}
	return ops
}

// TestScatterTangents differentiates the gradients of the gradients with respect
// to the gradient: they carry changes forwards, and their gradients exist, too.
func TestScatterTangents(t *testing.T) {
	for _, c := range scatters {
		for _, r := range []gather.Reduction{gather.None, gather.Add, gather.Sub, gather.Mean, gather.Mul} {
			for _, init := range []bool{true, false} {
				for of, gradient := range gradients {
					t.Run(fmt.Sprintf("%s/%v/init=%v/of %s", c.name, r, init, of), func(t *testing.T) {
						rng := newRand(int64(r) + 20)
						values := func(shape []int) *tensor.Dense {
							return tensorOf(gradtest.Normals(rng, size(shape)), shape...)
						}
						tangent := derivativesOf(t, c, gradient, gather.WithReduction(r), gather.WithInitValue(init))[0]
						change := c.data
						if of == "updates" {
							change = c.updates
						}
						product := r == gather.Mul && (init || of == "updates")
						_, err := gradtest.Graph([]gradtest.Input{
							{Value: values(change), Differentiate: true},
							{Value: values(c.data), Differentiate: product && init && of == "updates"},
							{Value: c.indices},
							{Value: values(c.updates), Differentiate: product},
						}, func(in []*G.Node) (*G.Node, error) { return G.ApplyOp(tangent, in...) }, rng)
						ok(t, err)
					})
				}
			}
		}
	}
}

// TestScatterSecondRefused differentiates what has no derivative: the gradient
// of a least or greatest value, which jumps at ties, and the second derivative
// of a product.
func TestScatterSecondRefused(t *testing.T) {
	c := scatters[0]
	second := derivativesOf(t, c, diff.ScatterGradUpdates, gather.WithReduction(gather.Mul))[3]
	for _, r := range []struct {
		name, text string
		inputs     int
		build      func(in []*G.Node) (*G.Node, error)
	}{
		{"min", "reduction=min): the gradient of a reduction min has no gradient of its own", 4, func(in []*G.Node) (*G.Node, error) {
			return diff.ScatterGradData(c.op(t, tensor.Float64, gather.WithReduction(gather.Min)), in[0], in[1], in[2], in[3])
		}},
		{"max", "reduction=max): the gradient of a reduction max has no gradient of its own", 4, func(in []*G.Node) (*G.Node, error) {
			return diff.ScatterGradUpdates(c.op(t, tensor.Float64, gather.WithReduction(gather.Max)), in[0], in[1], in[2], in[3])
		}},
		{"max without init", "reduction=max, init_value=false): the gradient of a reduction max has no gradient of its own", 4, func(in []*G.Node) (*G.Node, error) {
			op := c.op(t, tensor.Float64, gather.WithReduction(gather.Max), gather.WithInitValue(false))
			return diff.ScatterGradUpdates(op, in[0], in[1], in[2], in[3])
		}},
		{"a third derivative", "reduction=mul): this is the second derivative, and the third is not available", 5, func(in []*G.Node) (*G.Node, error) {
			return G.ApplyOp(second, in[4], in[0], in[1], in[2], in[3])
		}},
	} {
		for _, m := range []gradtest.Machine{gradtest.Tape, gradtest.Lisp} {
			t.Run(r.name+" on "+m.String(), func(t *testing.T) {
				values := func(shape []int) *tensor.Dense { return tensorOf(gradtest.Normals(newRand(1), size(shape)), shape...) }
				inputs := []gradtest.Input{
					{Value: values(c.data), Differentiate: true}, {Value: values(c.data), Differentiate: true}, {Value: c.indices},
					{Value: values(c.updates), Differentiate: true}, {Value: values(c.updates), Differentiate: true},
				}[:r.inputs]
				_, err := gradtest.Forward(m, inputs, r.build)
				ok(t, err)
				probe, err := gradtest.Forward(gradtest.Tape, inputs, r.build)
				ok(t, err)
				if m == gradtest.Lisp && race.Enabled {
					t.Skip("a failing run of LispMachine races within Gorgonia")
				}
				_, err = gradtest.Backward(m, inputs, r.build, make([]float64, len(probe.Output)))
				if err == nil || !strings.Contains(err.Error(), r.text) {
					t.Errorf("error %v, want one with %q", err, r.text)
				}
			})
		}
	}
}

// TestScatterLeastOfNothing has the one gradient of a least value that is
// linear: without the initial value, targets give nothing to data.
func TestScatterLeastOfNothing(t *testing.T) {
	c := scatters[0]
	op := c.op(t, tensor.Float64, gather.WithReduction(gather.Min), gather.WithInitValue(false))
	rng := newRand(2)
	values := func(shape []int) *tensor.Dense { return tensorOf(gradtest.Normals(rng, size(shape)), shape...) }
	_, err := gradtest.Graph([]gradtest.Input{
		{Value: values(c.data), Differentiate: true}, {Value: values(c.data)}, {Value: c.indices}, {Value: values(c.updates)},
	}, func(in []*G.Node) (*G.Node, error) { return diff.ScatterGradData(op, in[0], in[1], in[2], in[3]) }, rng)
	ok(t, err)
}

// TestScatterSecondPrealloc runs second derivatives into given values: with the
// factors 2 (data), 5 and 7, and one change or gradient for each.
func TestScatterSecondPrealloc(t *testing.T) {
	c := scatterCase{"", []int{1}, []int{2}, tensorOf([]int64{0, 0}, 2), func(data, indices, updates *G.Node, opts ...gather.Option) (*G.Node, error) {
		return gather.ScatterElements(data, indices, updates, 0, opts...)
	}}
	data, updates := tensorOf([]float64{2}, 1), tensorOf([]float64{5, 7}, 2)
	grad, of, by := tensorOf([]float64{10}, 1), tensorOf([]float64{3}, 1), tensorOf([]float64{1, 4}, 2)
	mul := gather.WithReduction(gather.Mul)
	byData := derivativesOf(t, c, diff.ScatterGradData, mul)
	byUpdates := derivativesOf(t, c, diff.ScatterGradUpdates, mul)
	for _, x := range []struct {
		name   string
		op     G.Op
		change *tensor.Dense
		want   []float64
	}{
		{"of updates by data", byData[3], of, []float64{10 * 3 * 7, 10 * 3 * 5}},
		{"of data by updates", byUpdates[1], by, []float64{10 * (1*7 + 4*5)}},
		{"of updates by updates", byUpdates[3], by, []float64{10 * 2 * 4, 10 * 2 * 1}},
	} {
		t.Run(x.name, func(t *testing.T) {
			into := tensorOf(make([]float64, len(x.want)), len(x.want))
			inputs := []G.Value{x.change, grad, data, c.indices, updates}
			got, err := x.op.(G.UsePreallocDoer).UsePreallocDo(into, inputs...)
			ok(t, err)
			if got != G.Value(into) {
				t.Error("the result is not the value given")
			}
			same(t, "values", into.Data().([]float64), x.want)
			if _, err := x.op.(G.UsePreallocDoer).UsePreallocDo(tensorOf([]float64{1, 2, 3}, 3), inputs...); err == nil {
				t.Error("a value of another shape is written to")
			}
			if _, err := x.op.Do(inputs[1:]...); err == nil {
				t.Error("no error for too few inputs")
			}
		})
	}
}
