package gather_test

import (
	"fmt"
	"testing"

	"gorgonia.org/gather"
	"gorgonia.org/gather/diff"
	"gorgonia.org/gather/internal/gradtest"
	G "gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

// segmentFuncs are the operators of segments.
var segmentFuncs = map[string]func(data, segmentIDs *G.Node, numSegments int, opts ...gather.Option) (*G.Node, error){
	"SegmentSum": gather.SegmentSum, "SegmentMean": gather.SegmentMean, "SegmentMin": gather.SegmentMin, "SegmentMax": gather.SegmentMax,
	"SegmentProd": gather.SegmentProd, "SegmentSoftmax": gather.SegmentSoftmax,
}

// TestSegments compares the gradients with differences, on both machines, with an empty
// segment and with ids that are skipped.
func TestSegments(t *testing.T) {
	for name, apply := range segmentFuncs {
		for _, ids := range [][]int64{{0, 0, 0, 2, 2, 3}, {-1, 0, 0, 0, 2, 7}} {
			for _, columns := range [][]int{nil, {3}, {2, 2}} {
				t.Run(fmt.Sprint(name, ids, columns), func(t *testing.T) {
					rng := newRand(8)
					shape := append([]int{6}, columns...)
					_, err := gradtest.Graph([]gradtest.Input{
						{Value: dense(gradtest.Normals(rng, product(shape)), shape...), Differentiate: true}, {Value: dense(ids, 6)},
					}, func(in []*G.Node) (*G.Node, error) {
						return apply(in[0], in[1], 4, gather.WithOutOfRange(gather.Skip))
					}, rng)
					ok(t, err)
				})
			}
		}
	}
}

// TestSegmentGradients has gradients by hand: zeros in a product, ties, and rows that
// are skipped. The gradient of the result is [1, 2, 3].
func TestSegmentGradients(t *testing.T) {
	for _, c := range []struct {
		name      string
		x, y, ofX []float64
	}{
		{"SegmentSum", []float64{9, 2, 3, 4, 5, 9}, []float64{5, 0, 9}, []float64{0, 1, 1, 3, 3, 0}},
		{"SegmentMean", []float64{9, 2, 3, 4, 5, 9}, []float64{2.5, 0, 4.5}, []float64{0, .5, .5, 1.5, 1.5, 0}},
		{"SegmentProd", []float64{9, 0, 3, 0, 0, 9}, []float64{0, 0, 0}, []float64{0, 3, 0, 0, 0, 0}},
		{"SegmentMin", []float64{-9, 3, 3, 4, 5, -9}, []float64{3, 0, 4}, []float64{0, .5, .5, 3, 0, 0}},
		{"SegmentMax", []float64{9, 3, 3, 4, 5, 9}, []float64{3, 0, 5}, []float64{0, .5, .5, 0, 3, 0}},
	} {
		onMachines(t, func(t *testing.T, m gradtest.Machine) {
			got, err := gradtest.Backward(m, []gradtest.Input{{Value: dense(c.x, 6), Differentiate: true}, {Value: dense([]int32{-1, 0, 0, 2, 2, 3}, 6)}},
				func(in []*G.Node) (*G.Node, error) {
					return segmentFuncs[c.name](in[0], in[1], 3, gather.WithOutOfRange(gather.Skip))
				}, []float64{1, 2, 3})
			ok(t, err)
			same(t, c.name+" values", got.Output, c.y)
			same(t, c.name+" gradient", got.Grads[0], c.ofX)
		})
	}
}

// TestSegmentSecondDerivatives differentiates the gradient operators, by the gradient
// and by data or the result of a softmax.
func TestSegmentSecondDerivatives(t *testing.T) {
	ids := dense([]int64{0, 0, 0, 2, 2}, 5)
	for name, rows := range map[string]int{"SegmentSum": 3, "SegmentMean": 3, "SegmentProd": 3, "SegmentSoftmax": 5} {
		t.Run(name, func(t *testing.T) {
			rng := newRand(9)
			_, err := gradtest.Graph([]gradtest.Input{
				{Value: dense(gradtest.Normals(rng, 2*rows), rows, 2), Differentiate: true}, {Value: ids},
				{Value: dense(gradtest.Normals(rng, 10), 5, 2), Differentiate: name == "SegmentProd" || name == "SegmentSoftmax"},
			}, func(in []*G.Node) (*G.Node, error) {
				data, ids := in[2], in[1]
				if name != "SegmentSoftmax" { // LispMachine takes a node that nothing uses for a cost
					g := G.NewGraph()
					data, ids = input(g, "data", dense(make([]float64, 10), 5, 2)), input(g, "ids", dense([]int64{0, 0, 0, 2, 2}, 5))
				}
				y, err := segmentFuncs[name](data, ids, 3)
				if err != nil {
					return nil, err
				}
				if name == "SegmentSoftmax" {
					return diff.SegmentSoftmaxGrad(y.Op(), in[0], y, in[1])
				}
				return diff.SegmentGrad(y.Op(), in[0], in[2], in[1])
			}, rng)
			ok(t, err)
		})
	}
}

// TestSegmentErrors names the operator and its nodes when a run fails.
func TestSegmentErrors(t *testing.T) {
	for name, apply := range segmentFuncs {
		g := G.NewGraph()
		out, err := apply(input(g, "rows", dense([]float64{1, 2, 3}, 3)), input(g, "ids", dense([]int64{0, 1, 2}, 3)), 2)
		ok(t, err)
		err = runForward(gradtest.Tape, g)
		bad, found := gather.AsIndexError(err)
		if !found || bad.Op != name || bad.Argument != "segmentIDs" || bad.Index != 2 || len(bad.Operands) != 2 || bad.Operands[0] != "rows" {
			t.Errorf("%s: error %v", name, err)
		}
		if _, err := apply(out, G.NewVector(g, tensor.Int64, G.WithShape(2)), 2); err == nil {
			t.Errorf("%s: ids without a name", name)
		}
		if _, err := apply(input(g, "words", tensor.New(tensor.WithShape(1), tensor.WithBacking([]string{"a"}))), input(g, "id", dense([]int64{0}, 1)), 2); err == nil {
			t.Errorf("%s of strings: no error", name)
		}
	}
}
