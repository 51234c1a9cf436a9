package docs_test

import (
	"fmt"
	"log"

	"gorgonia.org/gather"
	"gorgonia.org/gather/nn"
	G "gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

// A graph network: two layers, in each of which a node gets the mean of what its neighbours
// have. Two groups of nodes are tied by one edge; the class of one node in each is known.
func Example_messages() {
	const nodes, hidden = 6, 4
	from := []int64{1, 2, 0, 2, 0, 1, 3, 2, 4, 5, 3, 5, 3, 4} // the neighbours of node 0, of node 1 …
	to := []int64{0, 0, 1, 1, 2, 2, 2, 3, 3, 3, 4, 4, 5, 5}   // in ascending order
	const unknown = -1
	known := []int64{0, unknown, unknown, unknown, unknown, 1}

	g := G.NewGraph()
	input := func(name string, value *tensor.Dense) *G.Node { return G.NodeFromAny(g, value, G.WithName(name)) }
	sources, targets := input("from", tensor.New(tensor.WithBacking(from))), input("to", tensor.New(tensor.WithBacking(to)))
	classes := input("classes", tensor.New(tensor.WithBacking(known)))
	features := input("features", random(nodes, hidden))
	own1, others1, own2, others2 := input("own1", random(hidden, hidden)), input("others1", random(hidden, hidden)), input("own2", random(2, hidden)), input("others2", random(2, hidden))
	weights := G.Nodes{features, own1, others1, own2, others2}

	layer := func(h, own, others *G.Node) *G.Node {
		mean := G.Must(gather.EmbeddingSegments(h, sources, targets, nil, nodes, gather.WithReduction(gather.Mean)))
		return G.Must(nn.Add(G.Must(nn.Linear(h, own, nil)), G.Must(nn.Linear(mean, others, nil))))
	}
	scores := layer(G.Must(nn.ReLU(layer(features, own1, others1))), own2, others2)
	loss := G.Must(nn.CrossEntropy(scores, classes, nn.WithIgnored(unknown)))
	if _, err := G.Grad(loss, weights...); err != nil {
		log.Fatal(err)
	}
	var guess G.Value
	G.Read(G.Must(nn.ArgMax(scores, 1)), &guess)

	machine := G.NewTapeMachine(g, G.BindDualValues(weights...))
	defer machine.Close()
	solver := G.NewAdamSolver(G.WithLearnRate(0.05))
	for range 60 {
		check(machine.RunAll())
		check(solver.Step(G.NodesToValueGrads(weights)))
		machine.Reset()
	}
	fmt.Println(guess.(*tensor.Dense).Int64s())
	// Output:
	// [0 0 0 1 1 1]
}
