package docs_test

import (
	"fmt"
	"log"

	"gorgonia.org/gather"
	G "gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

// A batch of a graph network: nodes with a feature and a target each, and edges from
// source to target nodes, in ascending order of the target node.
type batch struct {
	features, wanted []float64
	from, to         []int64
}

// Two batches of different sizes.
var batches = []batch{
	{[]float64{1, 2, 3}, []float64{2, 3, 1}, []int64{1, 0, 1, 0}, []int64{0, 1, 1, 2}},
	{[]float64{4, 1}, []float64{1, 4}, []int64{1, 0}, []int64{0, 1}},
}

// One graph takes batches of up to four nodes and six edges. Missing edges are -1
// at both ends, which is no node; a mask takes missing nodes out of the loss.
func Example_padding() {
	const nodes, edges = 4, 6
	g := G.NewGraph()
	features := G.NewVector(g, tensor.Float64, G.WithShape(nodes), G.WithName("features"))
	wanted := G.NewVector(g, tensor.Float64, G.WithShape(nodes), G.WithName("wanted"))
	mask := G.NewVector(g, tensor.Float64, G.WithShape(nodes), G.WithName("mask"))
	from := G.NewVector(g, tensor.Int64, G.WithShape(edges), G.WithName("from"))
	to := G.NewVector(g, tensor.Int64, G.WithShape(edges), G.WithName("to"))
	weight := G.NewVector(g, tensor.Float64, G.WithShape(nodes), G.WithName("weight"), G.WithInit(G.Zeroes()))

	messages := G.Must(gather.Gather(features, from, 0, gather.WithPadding(-1)))
	sums := G.Must(gather.SegmentSum(messages, to, nodes, gather.WithPadding(-1)))
	errors := G.Must(G.HadamardProd(mask, G.Must(G.Sub(G.Must(G.HadamardProd(sums, weight)), wanted))))
	loss := G.Must(G.Sum(G.Must(G.Square(errors))))
	if _, err := G.Grad(loss, weight); err != nil {
		log.Fatal(err)
	}

	machine := G.NewTapeMachine(g, G.BindDualValues(weight))
	defer machine.Close()
	solver := G.NewVanillaSolver(G.WithLearnRate(0.02))
	for step := range 40 {
		b := batches[step%len(batches)]
		for node, values := range map[*G.Node]any{
			features: padded(b.features, nodes, 0),
			wanted:   padded(b.wanted, nodes, 0),
			mask:     padded(ones(len(b.wanted)), nodes, 0),
			from:     padded(b.from, edges, -1),
			to:       padded(b.to, edges, -1),
		} {
			if err := G.Let(node, tensor.New(tensor.WithBacking(values))); err != nil {
				log.Fatal(err)
			}
		}
		if err := machine.RunAll(); err != nil {
			log.Fatal(err)
		}
		if err := solver.Step(G.NodesToValueGrads(G.Nodes{weight})); err != nil {
			log.Fatal(err)
		}
		if step < 2 || step >= 38 {
			fmt.Printf("%d nodes, loss %.3f\n", len(b.features), loss.Value())
		}
		machine.Reset()
	}
	// Output:
	// 3 nodes, loss 14.000
	// 2 nodes, loss 7.259
	// 3 nodes, loss 0.213
	// 2 nodes, loss 0.000
}

// padded is values with padding behind, n in all.
func padded[T any](values []T, n int, padding T) []T {
	out := append(make([]T, 0, n), values...)
	for len(out) < n {
		out = append(out, padding)
	}
	return out
}

func ones(n int) []float64 {
	return padded(nil, n, 1.0)
}
