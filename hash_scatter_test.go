package gather_test

import (
	"testing"

	"gorgonia.org/gather"
	G "gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

// TestScatterHash demands different hashes of operators that differ in any
// field.
func TestScatterHash(t *testing.T) {
	g := G.NewGraph()
	node := func(name string, dt tensor.Dtype, rank int) *G.Node {
		return G.NewTensor(g, dt, rank, G.WithShape([]int{1, 1, 1, 1}[:rank]...), G.WithName(name))
	}
	square, index, again := node("square", tensor.Float64, 2), node("index", tensor.Int64, 2), node("again", tensor.Float64, 2)
	var all []built
	add := func(name string, out *G.Node, err error) {
		t.Helper()
		ok(t, err)
		all = append(all, built{name: name, out: out})
	}
	elements := func(name string, data, indices, updates *G.Node, axis int, opts ...gather.Option) {
		t.Helper()
		out, err := gather.ScatterElements(data, indices, updates, axis, opts...)
		add("elements "+name, out, err)
	}
	elements("", square, index, again, 0)
	elements("axis", square, index, again, 1)
	elements("non-negative", square, index, again, 0, gather.WithNonNegativeIndices())
	elements("skip", square, index, again, 0, gather.WithOutOfRange(gather.Skip))
	elements("no init", square, index, again, 0, gather.WithInitValue(false))
	for r := gather.Add; r <= gather.Mean; r++ {
		elements(r.String(), square, index, again, 0, gather.WithReduction(r))
		elements(r.String()+", no init", square, index, again, 0, gather.WithReduction(r), gather.WithInitValue(false))
	}
	elements("index dtype", square, node("index32", tensor.Int32, 2), again, 0)
	elements("data dtype", node("square32", tensor.Float32, 2), index, node("again32", tensor.Float32, 2), 0)
	elements("rank", node("cube", tensor.Float64, 3), node("index3", tensor.Int64, 3), node("again3", tensor.Float64, 3), 0)
	nd := func(name string, indices, updates *G.Node, opts ...gather.Option) {
		t.Helper()
		out, err := gather.ScatterND(square, indices, updates, opts...)
		add("nd "+name, out, err)
	}
	pair := node("pair", tensor.Int64, 1)
	nd("", index, again)
	nd("add", index, again, gather.WithReduction(gather.Add))
	nd("skip", index, again, gather.WithOutOfRange(gather.Skip))
	nd("rank of indices", pair, node("row", tensor.Float64, 1))
	update := func(name string, indices *G.Node, axis int, opts ...gather.Option) {
		t.Helper()
		out, err := gather.ScatterUpdate(square, indices, again, axis, opts...)
		add("update "+name, out, err)
	}
	update("", pair, 0)
	update("axis", pair, 1)
	update("non-negative", pair, 0, gather.WithNonNegativeIndices())
	update("skip", pair, 0, gather.WithOutOfRange(gather.Skip))
	update("index dtype", node("pair32", tensor.Int32, 1), 0)
	for r := gather.Add; r <= gather.Mean; r++ {
		update(r.String(), pair, 0, gather.WithReduction(r))
		update(r.String()+", no init", pair, 0, gather.WithReduction(r), gather.WithInitValue(false))
	}
	distinct(t, all)

	first, err := gather.ScatterElements(square, index, again, -2, gather.WithReduction(gather.None), gather.WithInitValue(true))
	ok(t, err)
	if first != all[0].out {
		t.Error("defaults spelt out, and the axis from the end, are another node")
	}
}
