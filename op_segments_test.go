package gather_test

import (
	"fmt"
	"math"
	"slices"
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
// segment, with ids that are skipped, and with padding between them.
func TestSegments(t *testing.T) {
	for name, apply := range segmentFuncs {
		for _, ids := range [][]int64{{0, 0, 0, 2, 2, 3}, {-1, 0, 0, 0, 2, 7}, {0, 9, 0, 2, 9, 2}, {9, 0, 0, 0, 2, 9}} {
			for _, columns := range [][]int{nil, {3}, {2, 2}} {
				t.Run(fmt.Sprint(name, ids, columns), func(t *testing.T) {
					rng := newRand(8)
					shape := append([]int{6}, columns...)
					_, err := gradtest.Graph([]gradtest.Input{
						{Value: dense(gradtest.Normals(rng, tensor.ProdInts(shape)), shape...), Differentiate: true}, {Value: dense(ids, 6)},
					}, func(in []*G.Node) (*G.Node, error) {
						return apply(in[0], in[1], 4, gather.WithOutOfRange(gather.Skip), gather.WithPadding(9))
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
// and by data, with zeros for a product, or the result of a softmax.
func TestSegmentSecondDerivatives(t *testing.T) {
	ids := dense([]int64{0, 0, -5, 0, 2, 2, -5}, 7)
	for name, rows := range map[string]int{"SegmentSum": 3, "SegmentMean": 3, "SegmentProd": 3, "SegmentSoftmax": 7} {
		t.Run(name, func(t *testing.T) {
			rng := newRand(9)
			x := gradtest.Normals(rng, 14)
			if name == "SegmentProd" {
				x[0], x[1], x[3] = 0, 0, 0 // one zero in column 0 of segment 0, two in column 1
			}
			_, err := gradtest.Graph([]gradtest.Input{
				{Value: dense(gradtest.Normals(rng, 2*rows), rows, 2), Differentiate: true}, {Value: ids},
				{Value: dense(x, 7, 2), Differentiate: name == "SegmentProd" || name == "SegmentSoftmax"},
			}, func(in []*G.Node) (*G.Node, error) {
				data, ids := in[2], in[1]
				if name != "SegmentSoftmax" { // LispMachine takes a node that nothing uses for a cost
					g := G.NewGraph()
					data, ids = input(g, "data", dense(make([]float64, 14), 7, 2)), input(g, "ids", dense([]int64{0, 0, -5, 0, 2, 2, -5}, 7))
				}
				y, err := segmentFuncs[name](data, ids, 3, gather.WithPadding(-5))
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

// segmentTangents are the derivatives of what a segment makes of its rows x in the
// direction v, by their formulas.
var segmentTangents = map[string]func(x, v []float64) []float64{
	"SegmentProd": func(x, v []float64) []float64 {
		sum := 0.0
		for i := range x {
			term := v[i]
			for j := range x {
				if j != i {
					term *= x[j]
				}
			}
			sum += term
		}
		return []float64{sum}
	},
	"SegmentMin": func(x, v []float64) []float64 { return v[slices.Index(x, slices.Min(x)):][:1] },
	"SegmentMax": func(x, v []float64) []float64 { return v[slices.Index(x, slices.Max(x)):][:1] },
	"SegmentSoftmax": func(x, v []float64) []float64 {
		y, total, mean := make([]float64, len(x)), 0.0, 0.0
		for i := range x {
			y[i] = math.Exp(x[i])
			total += y[i]
		}
		for i := range x {
			y[i] /= total
			mean += y[i] * v[i]
		}
		for i := range y {
			y[i] *= v[i] - mean
		}
		return y
	},
}

// TestSegmentTangentsAndGradients checks <f'(x)·v, u> = <v, gradient of u at x> for the
// reductions that are not linear, at random x, v and u: products have zeros, the least
// and the greatest values have no ties.
func TestSegmentTangentsAndGradients(t *testing.T) {
	const columns, segments = 3, 4
	ids := []int64{-1, 0, 0, 0, 0, 2, 3, 3, 5}
	for name, tangent := range segmentTangents {
		onMachines(t, func(t *testing.T, m gradtest.Machine) {
			rng := newRand(33)
			for range 30 {
				x, v := gradtest.Normals(rng, len(ids)*columns), gradtest.Integers(rng, len(ids)*columns)
				rows := segments
				switch name {
				case "SegmentProd":
					for i := range x {
						x[i] = float64(rng.Intn(5) - 2)
					}
				case "SegmentSoftmax":
					rows = len(ids)
				}
				u := gradtest.Integers(rng, rows*columns)
				got, err := gradtest.Backward(m, []gradtest.Input{{Value: dense(slices.Clone(x), len(ids), columns), Differentiate: true}, {Value: dense(slices.Clone(ids), len(ids))}},
					func(in []*G.Node) (*G.Node, error) {
						return segmentFuncs[name](in[0], in[1], segments, gather.WithOutOfRange(gather.Skip))
					}, slices.Clone(u))
				ok(t, err)
				left, right := 0.0, 0.0
				for i := range v {
					right += v[i] * got.Grads[0][i]
				}
				for s := range segments {
					first, end := slices.Index(ids, int64(s)), 0
					if first < 0 {
						continue
					}
					for end = first; ids[end] == int64(s); end++ {
					}
					for c := range columns {
						var xs, vs []float64
						for row := first; row < end; row++ {
							xs, vs = append(xs, x[row*columns+c]), append(vs, v[row*columns+c])
						}
						row := s
						if rows == len(ids) {
							row = first
						}
						for _, y := range tangent(xs, vs) {
							left += y * u[row*columns+c]
							row++
						}
					}
				}
				if !gradtest.Close(left, right, 1e-10) {
					t.Fatalf("%s at %v: <f'(x)·v, u> = %v, <v, gradient> = %v for v = %v, u = %v: gradient %v", name, x, left, right, v, u, got.Grads[0])
				}
			}
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
