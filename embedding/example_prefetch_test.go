//go:build linux || darwin

package embedding_test

import (
	"fmt"
	"os"
	"path/filepath"

	"gorgonia.org/gather/embedding"
	G "gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

// The disk reads the rows of the next batch while the graph runs this one.
func ExampleTable_Prefetch() {
	folder := must(os.MkdirTemp("", "prefetch"))
	defer os.RemoveAll(folder)
	words := must(embedding.Create(filepath.Join(folder, "words.npy"), tensor.Float32, 100_000, 8, embedding.Normal(1, 0, 0.1)))
	defer words.Close()
	g := G.NewGraph()
	lookup := must(words.Lookup(g, "words", 64))
	loss := G.Must(G.Mean(G.Must(G.Square(lookup.Node()))))
	must(G.Grad(loss, lookup.Node()))
	machine := G.NewTapeMachine(g)
	defer machine.Close()
	adam := must(embedding.NewAdam())

	batches := make([]*tensor.Dense, 20)
	for i := range batches {
		ids := make([]int, 64)
		for j := range ids {
			ids[j] = (i*64 + j) * 7919 % 100_000
		}
		batches[i] = tensor.New(tensor.WithBacking(ids))
	}
	for i, ids := range batches {
		check(lookup.Set(ids))
		asked := make(chan error, 1)
		go func() { // beside the run
			next := batches[min(i+1, len(batches)-1)]
			asked <- words.Prefetch(next)
		}()
		check(machine.RunAll())
		check(<-asked)
		check(adam.Step(lookup))
		machine.Reset()
	}
	fmt.Println("trained", len(batches), "batches")
	// Output:
	// trained 20 batches
}
