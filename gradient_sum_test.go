package gather_test

import (
	"math"
	"slices"
	"testing"

	"gorgonia.org/gather"
	"gorgonia.org/gather/diff"
	G "gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

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
