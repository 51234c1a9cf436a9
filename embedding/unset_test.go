package embedding_test

import (
	"math"
	"slices"
	"strings"
	"testing"

	"gorgonia.org/gather/embedding"
	G "gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

// TestRunWithoutSet: what is computed of a lookup that was not set is NaN, and Step says
// what to call.
func TestRunWithoutSet(t *testing.T) {
	for _, dt := range []tensor.Dtype{tensor.Float32, tensor.Float64} {
		table, err := embedding.Make(dt, 5, 3, embedding.Normal(1, 0, 1))
		ok(t, err)
		before := bits(t, table)
		g := G.NewGraph()
		lookup, err := table.Lookup(g, "rows", 2)
		ok(t, err)
		loss := G.Must(G.Sum(lookup.Node()))
		_, err = G.Grad(loss, lookup.Node())
		ok(t, err)
		m := G.NewTapeMachine(g, G.BindDualValues(lookup.Node()))
		defer m.Close()
		ok(t, m.RunAll())
		x, isFloat := loss.Value().Data().(float64)
		if f, short := loss.Value().Data().(float32); short {
			x, isFloat = float64(f), true
		}
		if !isFloat || !math.IsNaN(x) {
			t.Errorf("%v: the sum of a lookup without ids is %v, want NaN", dt, loss.Value())
		}
		sgd, err := embedding.NewSGD()
		ok(t, err)
		if err := sgd.Step(lookup); err == nil || !strings.Contains(err.Error(), "call Set, RunAll, Step") {
			t.Errorf("%v: Step says %v", dt, err)
		}
		if !slices.Equal(bits(t, table), before) {
			t.Errorf("%v: the table has changed", dt)
		}
	}
}
