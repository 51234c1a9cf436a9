package torch

import (
	"fmt"
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"
	"gorgonia.org/gather"
	"gorgonia.org/gather/nn"
	G "gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

// lossVector is one call of cross_entropy or nll_loss, with what losses.py says of it.
type lossVector struct {
	Loss, Reduction          string
	Ignored                  int64
	Smoothing                float64
	Scores, Classes, Weights *array
	Out, Cotangent, DScores  *array
}

// apply builds the operator that stands for the call.
func (v *lossVector) apply(scores, classes, weights *G.Node) (*G.Node, error) {
	options := []nn.LossOption{
		nn.WithReduction(map[string]gather.Reduction{"mean": gather.Mean, "sum": gather.Add, "none": gather.None}[v.Reduction]),
		nn.WithIgnored(v.Ignored), nn.WithSmoothing(v.Smoothing), nn.WithClassWeights(weights),
	}
	if v.Loss == "nll_loss" {
		return nn.NLL(scores, classes, options...)
	}
	return nn.CrossEntropy(scores, classes, options...)
}

// run computes the loss and the gradient of the scores, on LispMachine or with Grad on
// TapeMachine.
func (v *lossVector) run(t *testing.T, lisp bool) (out, dscores G.Value) {
	g := G.NewGraph()
	input := func(d *tensor.Dense, name string) *G.Node {
		return G.NewTensor(g, d.Dtype(), d.Dims(), G.WithShape(d.Shape()...), G.WithName(name), G.WithValue(d))
	}
	scores, classes := input(v.Scores.dense(false), "scores"), input(v.Classes.dense(true), "classes")
	var weights *G.Node
	if v.Weights != nil {
		weights = input(v.Weights.dense(false), "weights")
	}
	loss, err := v.apply(scores, classes, weights)
	require.NoError(t, err)
	var cost *G.Node
	if cotangent := v.Cotangent.dense(false); loss.IsScalar() {
		cost = G.Must(nn.Mul(loss, G.NewConstant(cotangent.ScalarValue())))
	} else {
		cost = G.Must(nn.Sum(G.Must(nn.Mul(loss, input(cotangent, "cotangent")))))
	}
	G.Read(loss, &out)
	var m G.VM
	if lisp {
		m = G.NewLispMachine(g)
	} else {
		gradients, err := G.Grad(cost, scores)
		require.NoError(t, err)
		G.Read(gradients[0], &dscores)
		m = G.NewTapeMachine(g)
	}
	defer m.Close()
	require.NoError(t, m.RunAll())
	if lisp {
		dscores, err = scores.Grad()
		require.NoError(t, err)
	}
	return out, dscores
}

// TestLosses compares losses and their gradients with PyTorch's, on both machines.
func TestLosses(t *testing.T) {
	_, vectors := read[lossVector](t, "losses.jsonl.gz")
	require.GreaterOrEqual(t, len(vectors), 1000)
	for i, v := range vectors {
		for _, lisp := range []bool{false, true} {
			name := fmt.Sprintf("line %d: %s %s, LispMachine %v", i+2, v.Loss, v.Reduction, lisp)
			out, dscores := v.run(t, lisp)
			got, err := newResult(out, dscores)
			require.NoError(t, err, name)
			for what, pair := range map[string]struct {
				got  []float64
				want *array
			}{"out": {got.out, v.Out}, "dscores": {got.ddata, v.DScores}} {
				require.Len(t, pair.got, len(pair.want.floats()), name)
				for j, want := range pair.want.floats() {
					if !near(pair.got[j], want) {
						t.Fatalf("%s: %s[%d] is %v, PyTorch says %v", name, what, j, pair.got[j], want)
					}
				}
			}
		}
		if i%200 == 0 {
			runtime.GC() // each machine holds its graph until the collector finds it
		}
	}
}
