package docs_test

import (
	"fmt"
	"log"

	"gorgonia.org/gather"
	G "gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

// A loop without a solver has to clear the gradients itself: BindDualValues keeps
// them, and each run adds to them.
func Example_clearGradients() {
	g := G.NewGraph()
	table := G.NewVector(g, tensor.Float64, G.WithShape(3), G.WithName("table"), G.WithInit(G.Zeroes()))
	words := G.NewVector(g, tensor.Int64, G.WithShape(2), G.WithName("words"))
	wanted := G.NewVector(g, tensor.Float64, G.WithShape(2), G.WithName("wanted"))
	loss := G.Must(G.Sum(G.Must(G.Square(G.Must(G.Sub(G.Must(gather.Gather(table, words, 0)), wanted))))))
	if _, err := G.Grad(loss, table); err != nil {
		log.Fatal(err)
	}
	machine := G.NewTapeMachine(g, G.BindDualValues(table))
	defer machine.Close()
	for range 4 {
		if err := G.Let(words, tensor.New(tensor.WithBacking([]int64{0, 2}))); err != nil {
			log.Fatal(err)
		}
		if err := G.Let(wanted, tensor.New(tensor.WithBacking([]float64{2, 2}))); err != nil {
			log.Fatal(err)
		}
		if err := machine.RunAll(); err != nil {
			log.Fatal(err)
		}
		gradient, err := table.Grad()
		if err != nil {
			log.Fatal(err)
		}
		rows, change := table.Value().(*tensor.Dense).Float64s(), gradient.(*tensor.Dense).Float64s()
		for i := range rows {
			rows[i] -= 0.25 * change[i]
		}
		clear(change) // without this line the losses are 8, 2, 0.5, 6.125
		machine.Reset()
		fmt.Println("loss", loss.Value())
	}
	// Output:
	// loss 8
	// loss 2
	// loss 0.5
	// loss 0.125
}
