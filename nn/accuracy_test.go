package nn_test

import (
	"testing"

	"gorgonia.org/gather/internal/gradtest"
	"gorgonia.org/gather/nn"
	G "gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

// TestAccuracy counts the examples whose class has the greatest score, in both dtypes and of
// classes of a small integer.
func TestAccuracy(t *testing.T) {
	for _, in := range [][]gradtest.Input{
		{fixed([]int{4, 2}, 1., 2, 4, 3, 1, 0, 0, 5), fixed([]int{4}, int64(1), 0, 1, 1)},
		{fixed([]int{2, 2, 2}, float32(1), 4, 2, 3, 1, 0, 0, 5), fixed([]int{2, 2}, uint8(1), 0, 0, 0)},
	} {
		for _, m := range []gradtest.Machine{gradtest.Tape, gradtest.Lisp} {
			got, err := gradtest.Forward(m, in, of2(nn.Accuracy))
			if err != nil || len(got.Output) != 1 || got.Output[0] != 0.75 {
				t.Errorf("%v: %v, %v; want 0.75", m, got.Output, err)
			}
		}
	}
	g := G.NewGraph()
	scores, _, _ := lossInputs(g)
	if _, err := nn.Accuracy(scores, G.NewMatrix(g, tensor.Int64, G.WithShape(4, 1), G.WithName("column"))); err == nil {
		t.Error("classes of shape (4, 1) are taken")
	}
}
