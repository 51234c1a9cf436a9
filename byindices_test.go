package gather_test

import (
	"testing"

	"gorgonia.org/gather"
	"gorgonia.org/gather/internal/gradtest"
	G "gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

// TestWhereByIndicesIsWrong picks along the middle axis of a (2, 3, 2) tensor,
// where gorgonia.ByIndices reads other elements and gives other gradients (see
// Example_byIndices), and along that of a (2, 3, 5) one, as it does, too.
func TestWhereByIndicesIsWrong(t *testing.T) {
	build := func(in []*G.Node) (*G.Node, error) { return gather.Gather(in[0], in[1], 1) }
	for _, c := range []struct {
		name             string
		shape            []int
		indices          any
		values, gradient []float64
	}{
		{"(2, 3, 2)", []int{2, 3, 2}, dense([]int{0, 2, 2, 1}, 4),
			[]float64{0, 1, 4, 5, 4, 5, 2, 3, 6, 7, 10, 11, 10, 11, 8, 9},
			[]float64{1, 1, 1, 1, 2, 2, 1, 1, 1, 1, 2, 2}},
		{"(2, 3, 5)", []int{2, 3, 5}, dense([]int{2, 0}, 2),
			[]float64{10, 11, 12, 13, 14, 0, 1, 2, 3, 4, 25, 26, 27, 28, 29, 15, 16, 17, 18, 19},
			[]float64{1, 1, 1, 1, 1, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1}},
		{"negative indices", []int{2, 3, 2}, dense([]int{-1}, 1),
			[]float64{4, 5, 10, 11}, []float64{0, 0, 0, 0, 1, 1, 0, 0, 0, 0, 1, 1}},
		{"no indices", []int{2, 3, 2}, dense([]int(nil), 0), []float64{}, make([]float64, 12)},
		{"a matrix of indices", []int{2, 3, 2}, dense([]int{1, 1}, 2, 1),
			[]float64{2, 3, 2, 3, 8, 9, 8, 9}, []float64{0, 0, 2, 2, 0, 0, 0, 0, 2, 2, 0, 0}},
		{"a scalar index", []int{2, 3, 2}, 2, []float64{4, 5, 10, 11}, []float64{0, 0, 0, 0, 1, 1, 0, 0, 0, 0, 1, 1}},
	} {
		t.Run(c.name, func(t *testing.T) {
			onMachines(t, func(t *testing.T, m gradtest.Machine) {
				got, err := gradtest.Backward(m, []gradtest.Input{
					{Value: dense(offsets(c.shape...).Data, c.shape...), Differentiate: true}, {Value: c.indices},
				}, build, ones(len(c.values)))
				ok(t, err)
				same(t, "values", got.Output, c.values)
				same(t, "gradient", got.Grads[0], c.gradient)
			})
		})
	}
}

// TestByIndicesPastTheEnd demands an error where gorgonia.ByIndices silently
// reads row 0.
func TestByIndicesPastTheEnd(t *testing.T) {
	g := G.NewGraph()
	_, err := gather.Gather(input(g, "data", dense([]float64{1, 2, 3}, 3)), input(g, "indices", tensor.New(tensor.WithBacking([]int{3}))), 0)
	ok(t, err)
	if bad, found := gather.AsIndexError(runForward(gradtest.Tape, g)); !found || bad.Index != 3 || bad.Size != 3 {
		t.Errorf("got %v, want an IndexError", bad)
	}
}
