package gather_test

import (
	"fmt"
	"log"

	"gorgonia.org/gather"
	G "gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

// runExample runs a graph on a TapeMachine.
func runExample(g *G.ExprGraph) {
	machine := G.NewTapeMachine(g)
	defer machine.Close()
	if err := machine.RunAll(); err != nil {
		log.Fatal(err)
	}
}

// Three bags of rows are summed, the second of which is empty.
func ExampleEmbeddingBagOffsets() {
	g := G.NewGraph()
	table := G.NodeFromAny(g, tensor.New(tensor.WithShape(3, 2), tensor.WithBacking([]float64{0, 1, 10, 11, 20, 21})), G.WithName("table"))
	ids := G.NodeFromAny(g, tensor.New(tensor.WithBacking([]int64{2, 0, 1})), G.WithName("ids"))
	offsets := G.NodeFromAny(g, tensor.New(tensor.WithBacking([]int64{0, 2, 2})), G.WithName("offsets"))

	bags := G.Must(gather.EmbeddingBagOffsets(table, ids, offsets, nil))

	runExample(g)
	fmt.Println(bags.Shape(), bags.Value().(*tensor.Dense).Float64s())
	// Output: (3, 2) [20 22 0 0 10 11]
}

// The words of two sentences are averaged. Word 9, the padding, is in no table and
// does not count.
func ExampleEmbeddingBagPacked() {
	g := G.NewGraph()
	table := G.NodeFromAny(g, tensor.New(tensor.WithShape(3, 2), tensor.WithBacking([]float64{0, 1, 10, 11, 20, 21})), G.WithName("table"))
	words := G.NodeFromAny(g, tensor.New(tensor.WithShape(2, 3), tensor.WithBacking([]int64{0, 1, 2, 1, 9, 9})), G.WithName("words"))

	means := G.Must(gather.EmbeddingBagPacked(table, words, nil,
		gather.WithReduction(gather.Mean), gather.WithOutOfRange(gather.ZeroFill)))

	runExample(g)
	fmt.Println(means.Shape(), means.Value().(*tensor.Dense).Float64s())
	// Output: (2, 2) [10 11 10 11]
}

// Each id has the number of its bag, and a weight. The weights learn, too.
func ExampleEmbeddingSegments() {
	g := G.NewGraph()
	table := G.NodeFromAny(g, tensor.New(tensor.WithShape(3, 2), tensor.WithBacking([]float64{0, 1, 10, 11, 20, 21})), G.WithName("table"))
	ids := G.NodeFromAny(g, tensor.New(tensor.WithBacking([]int64{2, 0, 1})), G.WithName("ids"))
	users := G.NodeFromAny(g, tensor.New(tensor.WithBacking([]int64{0, 0, 2})), G.WithName("users"))
	weights := G.NodeFromAny(g, tensor.New(tensor.WithBacking([]float64{0.5, 2, 1})), G.WithName("weights"))

	sums := G.Must(gather.EmbeddingSegments(table, ids, users, weights, 3))
	gradients, err := G.Grad(G.Must(G.Sum(sums)), weights)
	if err != nil {
		log.Fatal(err)
	}

	runExample(g)
	fmt.Println(sums.Shape(), sums.Value().(*tensor.Dense).Float64s())
	fmt.Println(gradients[0].Value().(*tensor.Dense).Float64s())
	// Output:
	// (3, 2) [10 12.5 0 0 10 11]
	// [41 1 21]
}

// The greatest of the rows of each segment; segment 1 has none.
func ExampleSegmentMax() {
	g := G.NewGraph()
	data := G.NodeFromAny(g, tensor.New(tensor.WithShape(3, 2), tensor.WithBacking([]float64{1, 9, 5, 2, 3, 4})), G.WithName("data"))
	segments := G.NodeFromAny(g, tensor.New(tensor.WithBacking([]int64{0, 0, 2})), G.WithName("segments"))

	most := G.Must(gather.SegmentMax(data, segments, 3))

	runExample(g)
	fmt.Println(most.Shape(), most.Value().(*tensor.Dense).Float64s())
	// Output: (3, 2) [5 9 0 0 3 4]
}
