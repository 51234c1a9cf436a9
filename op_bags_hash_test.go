package gather_test

import (
	"testing"

	"gorgonia.org/gather"
	"gorgonia.org/gather/diff"
	G "gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

// TestBagHash demands that operators of bags which differ in any field, and their
// gradients, have different hashes.
func TestBagHash(t *testing.T) {
	g := G.NewGraph()
	node := func(name string, dt tensor.Dtype, shape ...int) *G.Node {
		return G.NewTensor(g, dt, len(shape), G.WithShape(shape...), G.WithName(name))
	}
	table, table32, wide := node("table", tensor.Float64, 3, 3), node("table32", tensor.Float32, 3, 3), node("wide", tensor.Float64, 3, 3, 3)
	long := node("long", tensor.Float64, 4, 3)
	idx, idx32, matrix := node("idx", tensor.Int64, 3), node("idx32", tensor.Int32, 3), node("matrix", tensor.Int64, 3, 3)
	first, first32 := node("first", tensor.Int64, 3), node("first32", tensor.Int32, 3)
	weights, weights2 := node("weights", tensor.Float64, 3), node("weights of two axes", tensor.Float64, 3, 3)
	mean, most, sqrtN := gather.WithReduction(gather.Mean), gather.WithReduction(gather.Max), gather.WithReduction(gather.SqrtN)
	zeros, positive := gather.WithOutOfRange(gather.ZeroFill), gather.WithNonNegativeIndices()
	all := []built{}
	add := func(name string, out *G.Node, err error, inputs ...*G.Node) {
		t.Helper()
		ok(t, err)
		all = append(all, built{name: name, out: out})
		made, err := diff.BagGradTable(out.Op(), out, inputs...)
		ok(t, err)
		all = append(all, built{name: "gradient of " + name, out: made})
		if last := inputs[len(inputs)-1]; last == weights || last == weights2 {
			made, err := diff.BagGradWeights(out.Op(), out, inputs...)
			ok(t, err)
			all = append(all, built{name: "weights of " + name, out: made})
		}
	}
	for name, opts := range map[string][]gather.Option{
		"": nil, "mean": {mean}, "max": {most}, "sqrtn": {sqrtN}, "default 0": {gather.WithDefaultIndex(0)}, "default 1": {gather.WithDefaultIndex(1)},
		"policy": {zeros}, "non-negative": {positive}, "both": {zeros, positive},
		"padding": {gather.WithPadding(-1)}, "padding 2": {gather.WithPadding(2)},
	} {
		out, err := gather.EmbeddingBagOffsets(table, idx, first, nil, opts...)
		add("offsets "+name, out, err, table, idx, first)
		out, err = gather.EmbeddingSegments(table, idx, first, nil, 3, opts...)
		add("segments "+name, out, err, table, idx, first)
	}
	for name, opts := range map[string][]gather.Option{"lengths": {gather.WithLengths()}, "last offset": {gather.WithLastOffset()}} {
		out, err := gather.EmbeddingBagOffsets(table, idx, first, nil, opts...)
		add("offsets "+name, out, err, table, idx, first)
	}
	for name, opts := range map[string][]gather.Option{"mean": {mean}, "sqrtn": {sqrtN}} {
		out, err := gather.EmbeddingBagOffsets(table, idx, first, weights, opts...)
		add("offsets weights "+name, out, err, table, idx, first, weights)
		out, err = gather.EmbeddingBagPacked(table, matrix, weights2, opts...)
		add("packed weights "+name, out, err, table, matrix, weights2)
	}
	for name, opts := range map[string][]gather.Option{"": nil, "mean": {mean}, "max": {most}, "sqrtn": {sqrtN}, "policy": {zeros}, "non-negative": {positive}, "padding": {gather.WithPadding(-1)}} {
		out, err := gather.EmbeddingBagPacked(table, matrix, nil, opts...)
		add("packed "+name, out, err, table, matrix)
	}
	out, err := gather.EmbeddingBagOffsets(table, idx, first, weights)
	add("offsets weights", out, err, table, idx, first, weights)
	out, err = gather.EmbeddingBagPacked(table, matrix, weights2)
	add("packed weights", out, err, table, matrix, weights2)
	out, err = gather.EmbeddingSegments(table, idx, first, weights, 3)
	add("segments weights", out, err, table, idx, first, weights)
	out, err = gather.EmbeddingSegments(table, idx, first, nil, 4)
	add("4 segments", out, err, table, idx, first)
	for name, data := range map[string]*G.Node{"dtype": table32, "rank": wide, "rows": long} {
		out, err := gather.EmbeddingBagOffsets(data, idx, first, nil)
		if name == "rows" { // of the gradient alone: the operator knows ranks
			made, err := diff.BagGradTable(out.Op(), out, data, idx, first)
			ok(t, err)
			all = append(all, built{name: "gradient, rows", out: made})
			continue
		}
		add("offsets "+name, out, err, data, idx, first)
	}
	out, err = gather.EmbeddingBagOffsets(table, idx32, first, nil)
	add("offsets, index dtype", out, err, table, idx32, first)
	out, err = gather.EmbeddingBagOffsets(table, idx, first32, nil)
	add("offsets, offset dtype", out, err, table, idx, first32)
	for name, opts := range map[string][]gather.Option{"": nil, "lowest": {gather.WithFillMode(gather.FillLowest)}} {
		out, err := gather.SegmentMax(table, first, 3, opts...)
		add("SegmentMax "+name, out, err, table, first)
	}
	out, err = gather.SegmentMax(table, first, 4)
	add("SegmentMax 4", out, err, table, first)
	distinct(t, all)
}
