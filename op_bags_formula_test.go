package gather_test

import (
	"math"
	"testing"

	"gorgonia.org/gather/internal/gradtest"
	"gorgonia.org/gather/internal/oracle"
	"gorgonia.org/tensor"
)

// normalized tells whether the bag's weights are divided: the formulas hold but for rounding.
func (c *bagCase) normalized() bool {
	return c.rule.Reduction == oracle.SqrtN || c.rule.Reduction == oracle.Mean && c.weighted
}

// nearFormula compares a weighted mean, or SqrtN, and its gradients with the formulas.
func (c *bagCase) nearFormula(t *testing.T, in []gradtest.Input) {
	table, weights := oracle.From(in[0].Value.(*tensor.Dense).Float64s(), c.table...), c.weights(in)
	want, bad := oracle.WeightedBag(table, c.indices, c.bags, weights, c.rule)
	if bad != nil {
		t.Fatal(bad)
	}
	u := gradtest.Integers(newRand(2), len(want.Values.Data))
	grad := oracle.From(u, want.Values.Shape...)
	ofTable, _ := oracle.AddWeightedBag(oracle.New[float64](c.table...), grad, c.indices, c.bags, weights, c.rule)
	for _, m := range []gradtest.Machine{gradtest.Tape, gradtest.Lisp} {
		got, err := gradtest.Backward(m, in, c.build, u)
		ok(t, err)
		near(t, "values", got.Output, want)
		near(t, "gradient", got.Grads[0], ofTable)
		if c.weighted {
			ofWeights, _ := oracle.WeightsOfBag(grad, table, c.indices, c.bags, weights, c.rule)
			near(t, "gradient of weights", got.Grads[len(in)-1], ofWeights)
		}
	}
}

func near(t *testing.T, what string, got []float64, want oracle.Near) {
	t.Helper()
	for i, x := range got {
		if bound := 0x1p-48 * want.Terms.Data[i]; !(math.Abs(x-want.Values.Data[i]) <= bound) {
			t.Errorf("%s: element %d is %v, want %v", what, i, x, want.Values.Data[i])
		}
	}
}
