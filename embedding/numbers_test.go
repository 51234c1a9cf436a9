package embedding_test

import (
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"gorgonia.org/gather/dense"
	"gorgonia.org/gather/embedding"
	"gorgonia.org/tensor"
)

// TestNumbersThatTheTableCannotHold: a number of an optimiser that is infinite as a
// float32 is an error of the step of such a table, and none of a table of float64.
// It would make NaN of every element whose gradient is 0.
func TestNumbersThatTheTableCannotHold(t *testing.T) {
	type constructor = func(...embedding.Option) (embedding.Optimizer, error)
	for name, c := range map[string]struct {
		make constructor
		opts []embedding.Option
		says string
	}{
		"SGD":               {embedding.NewSGD, []embedding.Option{embedding.WithLearnRate(1e39)}, "learning rate"},
		"RowWiseAdagrad":    {embedding.NewRowWiseAdagrad, []embedding.Option{embedding.WithLearnRate(1e39)}, "learning rate"},
		"Adagrad":           {embedding.NewAdagrad, []embedding.Option{embedding.WithLearnRate(3.5e38)}, "learning rate"},
		"Adam, t = 1":       {embedding.NewAdam, []embedding.Option{embedding.WithLearnRate(3e38), embedding.WithBeta1(0.99), embedding.WithBeta2(0.5)}, "learning rate"},
		"L2":                {embedding.NewSGD, []embedding.Option{embedding.WithL2Reg(1e39)}, "WithL2Reg"},
		"ε":                 {embedding.NewAdam, []embedding.Option{embedding.WithEps(1e39)}, "WithEps"},
		"first accumulator": {embedding.NewAdagrad, []embedding.Option{embedding.WithInitialAccumulator(1e39)}, "WithInitialAccumulator"},
	} {
		o, err := c.make(c.opts...)
		ok(t, err)
		narrow, err := embedding.New(matrix(2, 2, float32(1), 2, 3, 4))
		ok(t, err)
		err = o.Update(narrow, vector(1), matrix(1, 2, float32(0), 0))
		if !errors.Is(err, dense.ErrOption) || !strings.Contains(err.Error(), c.says) || !strings.Contains(err.Error(), "float32") {
			t.Errorf("%s: error %v, want one of %s and float32", name, err, c.says)
		}
		weights, err := narrow.Weights()
		ok(t, err)
		if got := weights.Float32s(); !slices.Equal(got, []float32{1, 2, 3, 4}) {
			t.Errorf("%s: the table is %v", name, got)
		}
		if state := o.State(narrow); len(state) > 0 {
			t.Errorf("%s: after a step that failed there is a state %v", name, state)
		}
		wide, err := embedding.New(matrix(2, 2, 1.0, 2, 3, 4))
		ok(t, err)
		ok(t, o.Update(wide, vector(1), matrix(1, 2, 0.0, 0)))
	}
	o, err := embedding.NewAdam(embedding.WithLearnRate(math.MaxFloat64), embedding.WithBeta1(0.99), embedding.WithBeta2(0.5))
	ok(t, err)
	wide, err := embedding.New(matrix(2, 2, 1.0, 2, 3, 4))
	ok(t, err)
	if err := o.Update(wide, vector(1), matrix(1, 2, 0.0, 0)); err == nil {
		t.Error("a rate that Adam's correction makes infinite is no error")
	}
}

// TestStateOfStepsThatFailed: an optimiser has a state of a table after its first
// step, not after an error.
func TestStateOfStepsThatFailed(t *testing.T) {
	for name, o := range optimizers(t, embedding.WithClipNorm(1)) {
		table, err := embedding.New(matrix(3, 2, 1.0, 2, 3, 4, 5, 6))
		ok(t, err)
		grads := tensor.New(tensor.WithShape(1, 2), tensor.WithBacking([]float64{math.NaN(), 0}))
		if o.Update(table, vector(1), grads) == nil {
			t.Errorf("%s: a norm of NaN is no error", name)
		}
		if state := o.State(table); len(state) > 0 {
			t.Errorf("%s: after a step that failed there is a state %v", name, state)
		}
		grads.Float64s()[0] = 1
		ok(t, o.Update(table, vector(1), grads))
	}
}
