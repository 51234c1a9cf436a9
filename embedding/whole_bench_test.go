package embedding_test

import (
	"testing"

	"gorgonia.org/gather/embedding"
	G "gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

// BenchmarkWhole is Adam's step of a dense layer of 784×300: of all rows of a table, with
// the copy of the rows that the next run reads, beside that of Gorgonia's Adam.
func BenchmarkWhole(b *testing.B) {
	loss := func(layer *G.Node) {
		must(G.Grad(G.Must(G.Mean(G.Must(G.Square(layer)))), layer))
	}
	b.Run("embedding", func(b *testing.B) {
		g := G.NewGraph()
		table := must(embedding.Make(tensor.Float32, 784, 300, embedding.Normal(1, 0, 1)))
		layer := must(table.Whole(g, "layer"))
		adam := must(embedding.NewAdam())
		loss(layer.Node())
		timeSteps(b, G.NewTapeMachine(g), func() { check(layer.Set(nil)) }, func() { check(adam.Step(layer)) })
	})
	b.Run("Gorgonia", func(b *testing.B) {
		g := G.NewGraph()
		layer := G.NewMatrix(g, tensor.Float32, G.WithShape(784, 300), G.WithName("layer"), G.WithInit(G.Gaussian(0, 1)))
		loss(layer)
		adam, layers := G.NewAdamSolver(), G.NodesToValueGrads(G.Nodes{layer})
		timeSteps(b, G.NewTapeMachine(g, G.BindDualValues(layer)), func() {}, func() { check(adam.Step(layers)) })
	})
}

// timeSteps times what comes before a run and the step after it, without the run.
func timeSteps(b *testing.B, machine G.VM, before, step func()) {
	defer machine.Close()
	for range b.N {
		b.StartTimer()
		before()
		b.StopTimer()
		machine.Reset()
		check(machine.RunAll())
		b.StartTimer()
		step()
		b.StopTimer()
	}
}
