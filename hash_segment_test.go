package gather_test

import (
	"fmt"
	"math"
	"testing"

	"gorgonia.org/gather"
	G "gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

// TestSegmentHash demands different hashes of operators of segments that differ in any
// field, and of their gradients.
func TestSegmentHash(t *testing.T) {
	g := G.NewGraph()
	node := func(name string, dt tensor.Dtype, rank int) *G.Node {
		return G.NewTensor(g, dt, rank, G.WithShape([]int{3, 3, 3}[:rank]...), G.WithName(name))
	}
	rows, rows32, wide := node("rows", tensor.Float64, 2), node("rows32", tensor.Float32, 2), node("wide", tensor.Float64, 3)
	ids, ids32 := node("ids", tensor.Int64, 1), node("ids32", tensor.Int32, 1)
	var all, gradients []built
	for name, apply := range segmentFuncs {
		type variant struct {
			name      string
			data, ids *G.Node
			segments  int
			opts      []gather.Option
		}
		variants := []variant{
			{"", rows, ids, 3, nil},
			{"segments", rows, ids, 4, nil},
			{"skip", rows, ids, 3, []gather.Option{gather.WithOutOfRange(gather.Skip)}},
			{"data dtype", rows32, ids, 3, nil},
			{"index dtype", rows, ids32, 3, nil},
			{"rank", wide, ids, 3, nil},
		}
		if name != "SegmentSoftmax" {
			for _, x := range []float64{1, -1, 0.1, math.Inf(1), math.NaN()} {
				variants = append(variants, variant{fmt.Sprint("empty ", x), rows, ids, 3, []gather.Option{gather.WithEmptySegment(x)}})
			}
		}
		if name == "SegmentMax" {
			variants = append(variants, variant{"lowest", rows, ids, 3, []gather.Option{gather.WithFillMode(gather.FillLowest)}})
		}
		for _, v := range variants {
			out, err := apply(v.data, v.ids, v.segments, v.opts...)
			ok(t, err)
			all = append(all, built{name: name + " " + v.name, out: out})
			if len(v.opts) > 0 && v.name != "skip" || v.name == "segments" {
				continue // an empty segment has no gradient, and the gradient's shape says how many segments there are
			}
			grads, err := out.Op().(G.SDOp).SymDiff(G.Nodes{v.data, v.ids}, out, out)
			ok(t, err)
			gradients = append(gradients, built{name: "gradient of " + name + " " + v.name, out: grads[0]})
		}
	}
	distinct(t, append(all, gradients...))

	first, err := gather.SegmentSum(rows, ids, 3)
	ok(t, err)
	second, err := gather.SegmentSum(rows, ids, 3, gather.WithEmptySegment(0), gather.WithOutOfRange(gather.Reject))
	ok(t, err)
	if first != second {
		t.Error("defaults spelt out are another node")
	}
}
