package gather_test

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"gorgonia.org/gather"
	"gorgonia.org/gather/internal/gradtest"
	"gorgonia.org/gather/internal/oracle"
	G "gorgonia.org/gorgonia"
)

// segmentReductions are what the operators of segments reduce by.
var segmentReductions = map[string]oracle.Reduction{
	"SegmentSum": oracle.Add, "SegmentMean": oracle.Mean, "SegmentMin": oracle.Min, "SegmentMax": oracle.Max, "SegmentProd": oracle.Mul,
}

// TestRandomSegmentGradients compares gradients on both machines with the oracle. The
// values are small integers, with zeros and ties among them.
func TestRandomSegmentGradients(t *testing.T) {
	rng := newRand(31)
	for name, apply := range segmentFuncs {
		onMachines(t, func(t *testing.T, m gradtest.Machine) {
			for range 100 {
				rows, columns, segments := 1+rng.Intn(9), 1+rng.Intn(4), 1+rng.Intn(5)
				ids := make([]int64, rows)
				for i := range ids {
					ids[i] = int64(rng.Intn(segments+2) - 1)
				}
				slices.Sort(ids)
				x, length := gradtest.Integers(rng, rows*columns), segments
				for i := range x {
					x[i] = math.Trunc(x[i] / 3)
				}
				if name == "SegmentSoftmax" {
					length = rows
				}
				g := gradtest.Integers(rng, length*columns)
				got, err := gradtest.Backward(m, []gradtest.Input{
					{Value: dense(slices.Clone(x), rows, columns), Differentiate: true}, {Value: dense(slices.Clone(ids), rows)},
				}, func(in []*G.Node) (*G.Node, error) {
					return apply(in[0], in[1], segments, gather.WithOutOfRange(gather.Skip))
				}, g)
				ok(t, err)
				data, grad := oracle.From(x, rows, columns), oracle.From(g, length, columns)
				var want oracle.Array[float64]
				if name == "SegmentSoftmax" {
					want = oracle.SegmentSoftmaxGrad(grad, oracle.SegmentSoftmax(data, ids, segments), ids, segments)
				} else {
					want = oracle.SegmentGrad(grad, data, ids, segmentReductions[name], oracle.Floats[float64]())
				}
				for i, w := range want.Data {
					if y := got.Grads[0][i]; !(math.Abs(y-w) <= 1e-12) {
						t.Fatalf("%s of %v in segments %v, gradient %v: gradient %v, want %v", name, x, ids, g, got.Grads[0], want.Data)
					}
				}
			}
		})
	}
}

// TestSegmentAdjointIdentity checks <f(x), u> = <x, gradient of u> for the linear
// reductions, without an oracle between the two. Segments have 1, 2 or 4 rows, for which
// means of integers are exact.
func TestSegmentAdjointIdentity(t *testing.T) {
	ids, rng := []int64{-1, 0, 0, 0, 0, 2, 3, 3, 5}, newRand(32)
	for _, name := range []string{"SegmentSum", "SegmentMean"} {
		onMachines(t, func(t *testing.T, m gradtest.Machine) {
			both := func(x, u []float64) (gradtest.Result, error) {
				return gradtest.Backward(m, []gradtest.Input{{Value: dense(slices.Clone(x), 9, 3), Differentiate: true}, {Value: dense(slices.Clone(ids), 9)}},
					func(in []*G.Node) (*G.Node, error) {
						return segmentFuncs[name](in[0], in[1], 4, gather.WithOutOfRange(gather.Skip))
					}, u)
			}
			forward := func(x []float64) ([]float64, error) {
				r, err := both(x, make([]float64, 12))
				if err != nil {
					return nil, err
				}
				return r.Output, nil
			}
			adjoint := func(u []float64) ([]float64, error) {
				r, err := both(make([]float64, 27), u)
				if err != nil {
					return nil, err
				}
				return r.Grads[0], nil
			}
			if err := gradtest.AdjointIdentity(forward, adjoint, 27, rng); err != nil {
				t.Error(fmt.Errorf("%s: %w", name, err))
			}
		})
	}
}
