package diff_test

import (
	"gorgonia.org/gather"
	"gorgonia.org/gather/diff"
	G "gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

// input is an input node with a value.
func input(g *G.ExprGraph, name string, backing any, shape ...int) *G.Node {
	return G.NodeFromAny(g, tensor.New(tensor.WithShape(shape...), tensor.WithBacking(backing)), G.WithName(name))
}

// Rows 0 and 1 are segment 0, whose mean has the gradient 4: each of them gets half of
// it.
func ExampleSegmentGrad() {
	g := G.NewGraph()
	data := input(g, "data", []complex128{1, 2, 3}, 3)
	segments := input(g, "segments", []int64{0, 0, 1}, 3)
	means := G.Must(gather.SegmentMean(data, segments, 2))
	grad := input(g, "gradient of means", []complex128{4, 6i}, 2)
	show(G.Must(diff.SegmentGrad(means.Op(), grad, data, segments)))
	// Output: [(2+0i) (2+0i) (0+6i)]
}

// Bag 0 has the rows 1 and 0, bag 1 has row 1. Row 1 gets the gradients of both bags.
func ExampleBagGradTable() {
	g := G.NewGraph()
	table := input(g, "table", []complex128{1, 2, 3}, 3)
	indices := input(g, "indices", []int64{1, 0, 1}, 3)
	offsets := input(g, "offsets", []int64{0, 2}, 2)
	bags := G.Must(gather.EmbeddingBagOffsets(table, indices, offsets, nil))
	grad := input(g, "gradient of bags", []complex128{10, 1i}, 2)
	show(G.Must(diff.BagGradTable(bags.Op(), grad, table, indices, offsets)))
	// Output: [(10+0i) (10+1i) (0+0i)]
}

// The gradient of a bag with respect to the weight of a position is the product of
// the position's row and of the gradient of its bag.
func ExampleBagGradWeights() {
	g := G.NewGraph()
	table := input(g, "table", []complex128{1, 2, 3}, 3)
	indices := input(g, "indices", []int64{1, 0, 2}, 3)
	offsets := input(g, "offsets", []int64{0, 2}, 2)
	weights := input(g, "weights", []complex128{1, 1, 1}, 3)
	bags := G.Must(gather.EmbeddingBagOffsets(table, indices, offsets, weights))
	grad := input(g, "gradient of bags", []complex128{10, 1i}, 2)
	show(G.Must(diff.BagGradWeights(bags.Op(), grad, table, indices, offsets, weights)))
	// Output: [(20+0i) (10+0i) (0+3i)]
}
