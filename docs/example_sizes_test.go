package docs_test

import (
	"fmt"
	"log"

	"gorgonia.org/gather"
	G "gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

// A graph for one size of batch.
type sized struct {
	words, wanted, table, loss *G.Node
	machine                    G.VM
}

// newSized makes the graph of a size. All graphs share the values of the table.
func newSized(size int, values *tensor.Dense) *sized {
	g := G.NewGraph()
	s := &sized{
		words:  G.NewVector(g, tensor.Int64, G.WithShape(size), G.WithName("words")),
		wanted: G.NewVector(g, tensor.Float64, G.WithShape(size), G.WithName("wanted")),
		table:  G.NewVector(g, tensor.Float64, G.WithShape(values.Shape()...), G.WithName("table"), G.WithValue(values)),
	}
	looked := G.Must(gather.Gather(s.table, s.words, 0))
	s.loss = G.Must(G.Mean(G.Must(G.Square(G.Must(G.Sub(looked, s.wanted))))))
	if _, err := G.Grad(s.loss, s.table); err != nil {
		log.Fatal(err)
	}
	s.machine = G.NewTapeMachine(g, G.BindDualValues(s.table))
	return s
}

func Example_sizes() {
	table := tensor.New(tensor.WithShape(3), tensor.WithBacking([]float64{0, 0, 0}))
	// Make all machines before the first one runs: making one writes to the table.
	graphs := map[int]*sized{}
	for _, size := range []int{2, 3} {
		graphs[size] = newSized(size, table)
		defer graphs[size].machine.Close()
	}
	solver := G.NewVanillaSolver(G.WithLearnRate(0.5))
	for _, words := range [][]int64{{0, 1, 2}, {2, 2}, {0, 1, 2}} {
		wanted := make([]float64, len(words))
		for i, w := range words {
			wanted[i] = float64(10 * w)
		}
		s := graphs[len(words)]
		if err := G.Let(s.words, tensor.New(tensor.WithBacking(words))); err != nil {
			log.Fatal(err)
		}
		if err := G.Let(s.wanted, tensor.New(tensor.WithBacking(wanted))); err != nil {
			log.Fatal(err)
		}
		if err := s.machine.RunAll(); err != nil {
			log.Fatal(err)
		}
		if err := solver.Step(G.NodesToValueGrads(G.Nodes{s.table})); err != nil {
			log.Fatal(err)
		}
		s.machine.Reset()
		fmt.Printf("%d words, loss %.2f, table %.2f\n", len(words), s.loss.Value(), table.Float64s())
	}
	// Output:
	// 3 words, loss 166.67, table [0.00 3.33 6.67]
	// 2 words, loss 177.78, table [0.00 3.33 20.00]
	// 3 words, loss 14.81, table [0.00 5.56 20.00]
}
