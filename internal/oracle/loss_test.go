package oracle

import (
	"math"
	"testing"
)

// TestLoss compares with numbers worked out by hand: probabilities 1/4, 1/4 and 1/2.
func TestLoss(t *testing.T) {
	scores := From([]float64{0, 0, math.Log(2), 0, 0, math.Log(2)}, 2, 3)
	classes := From([]int64{2, 0}, 2)
	one, log2 := From([]float64{1}), math.Log(2)
	for _, c := range []struct {
		loss     Loss
		value    []float64
		gradient []float64
	}{
		{Loss{Reduction: "sum"}, []float64{3 * log2}, []float64{.25, .25, -.5, -.75, .25, .5}},
		{Loss{Reduction: "mean"}, []float64{1.5 * log2}, []float64{.125, .125, -.25, -.375, .125, .25}},
		{Loss{Reduction: "mean", Weights: []float64{3, 0, 1}}, []float64{(log2 + 3*2*log2) / 4}, []float64{.0625, .0625, -.125, -.5625, .1875, .375}},
		{Loss{Reduction: "mean", Ignores: true, Ignored: 0}, []float64{log2}, []float64{.25, .25, -.5, 0, 0, 0}},
		// A share of 1/10 for each class: the sum of the logarithms is 5 log 2.
		{Loss{Reduction: "sum", Smoothing: .3}, []float64{.7*3*log2 + .1*10*log2}, []float64{.15, .15, -.3, -.55, .15, .4}},
		{Loss{Reduction: "sum", LogProbs: true}, []float64{-log2}, []float64{0, 0, -1, -1, 0, 0}},
	} {
		if got := c.loss.Of(scores, classes).Data; math.Abs(got[0]-c.value[0]) > 1e-15 {
			t.Errorf("%+v: %v, want %v", c.loss, got, c.value)
		}
		for i, got := range c.loss.Gradient(one, scores, classes).Data {
			if math.Abs(got-c.gradient[i]) > 1e-15 {
				t.Errorf("%+v: the gradient at %d is %v, want %v", c.loss, i, got, c.gradient[i])
			}
		}
	}
}
