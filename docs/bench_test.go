package docs_test

import (
	"math/rand/v2"
	"slices"
	"testing"

	"gorgonia.org/gather"
	"gorgonia.org/gather/embedding"
	"gorgonia.org/gather/nn"
	G "gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

// The benchmarks measure what recipes.md says of times.

func normal(shape ...int) *tensor.Dense {
	return tensor.New(tensor.WithShape(shape...), tensor.WithBacking(G.Gaussian32(0, 0.1, shape...)))
}

func below(rng *rand.Rand, limit int64, n int) []int64 {
	ids := make([]int64, n)
	for i := range ids {
		ids[i] = rng.Int64N(limit)
	}
	return ids
}

// BenchmarkMessages is a training step of a graph network of two layers, whose messages are summed
// with a weight for each edge, as they are read or after they have been written out.
func BenchmarkMessages(b *testing.B) {
	const nodes, edges, columns, classes = 10_000, 110_000, 128, 16
	rng := rand.New(rand.NewPCG(1, 1))
	from, to := below(rng, nodes, edges), below(rng, nodes, edges)
	slices.Sort(to)
	for _, name := range []string{"EmbeddingSegments", "Gather"} {
		b.Run(name, func(b *testing.B) {
			g := G.NewGraph()
			input := func(name string, value *tensor.Dense) *G.Node { return G.NodeFromAny(g, value, G.WithName(name)) }
			sources, targets := input("from", tensor.New(tensor.WithBacking(from))), input("to", tensor.New(tensor.WithBacking(to)))
			right, weight, zeros := input("classes", tensor.New(tensor.WithBacking(below(rng, classes, nodes)))), input("weight", normal(edges)), input("zeros", tensor.New(tensor.Of(tensor.Float32), tensor.WithShape(nodes, columns)))
			weights := G.Nodes{input("own1", normal(columns, columns)), input("others1", normal(columns, columns)), input("own2", normal(classes, columns)), input("others2", normal(classes, columns))}
			layer := func(h, own, others *G.Node) *G.Node {
				var sum *G.Node
				if name == "Gather" {
					messages := G.Must(nn.Mul(G.Must(gather.Gather(h, sources, 0)), G.Must(nn.Unsqueeze(weight, 1))))
					sum = G.Must(gather.ScatterUpdate(zeros, targets, messages, 0, gather.WithReduction(gather.Add)))
				} else {
					sum = G.Must(gather.EmbeddingSegments(h, sources, targets, weight, nodes))
				}
				return G.Must(nn.Add(G.Must(nn.Linear(h, own, nil)), G.Must(nn.Linear(sum, others, nil))))
			}
			scores := layer(G.Must(nn.ReLU(layer(input("features", normal(nodes, columns)), weights[0], weights[1]))), weights[2], weights[3])
			step(b, g, G.Must(nn.CrossEntropy(scores, right)), weights)
		})
	}
}

// step runs training steps with Gorgonia's Adam.
func step(b *testing.B, g *G.ExprGraph, loss *G.Node, weights G.Nodes) {
	if _, err := G.Grad(loss, weights...); err != nil {
		b.Fatal(err)
	}
	machine := G.NewTapeMachine(g, G.BindDualValues(weights...))
	defer machine.Close()
	solver := G.NewAdamSolver()
	for b.Loop() {
		check(machine.RunAll(), solver.Step(G.NodesToValueGrads(weights)))
		machine.Reset()
	}
}

// BenchmarkAdam is a step of a table of which 256 rows are looked up.
func BenchmarkAdam(b *testing.B) {
	const rows, columns, batch = 20_000, 128, 256
	ids := tensor.New(tensor.WithBacking(below(rand.New(rand.NewPCG(1, 1)), rows, batch)))
	b.Run("in the graph", func(b *testing.B) {
		g := G.NewGraph()
		table := G.NodeFromAny(g, normal(rows, columns), G.WithName("table"))
		vectors := G.Must(gather.Gather(table, G.NodeFromAny(g, ids, G.WithName("ids")), 0))
		step(b, g, G.Must(nn.Mean(G.Must(nn.Square(vectors)))), G.Nodes{table})
	})
	b.Run("lazy", func(b *testing.B) {
		table, err := embedding.Make(tensor.Float32, rows, columns, embedding.Normal(1, 0, 0.1))
		check(err)
		g := G.NewGraph()
		lookup, err := table.Lookup(g, "table", batch)
		check(err)
		loss := G.Must(nn.Mean(G.Must(nn.Square(lookup.Node()))))
		_, err = G.Grad(loss, lookup.Node())
		check(err)
		machine := G.NewTapeMachine(g)
		defer machine.Close()
		adam, err := embedding.NewAdam()
		check(err)
		for b.Loop() {
			check(lookup.Set(ids), machine.RunAll(), adam.Step(lookup))
			machine.Reset()
		}
	})
}
