package gather_test

import (
	"fmt"
	"strings"
	"testing"

	"gorgonia.org/gather"
	"gorgonia.org/gather/internal/gradtest"
	G "gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

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
