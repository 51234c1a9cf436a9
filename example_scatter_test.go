package gather_test

import (
	"fmt"
	"log"

	"gorgonia.org/gather"
	G "gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

func ExampleScatterElements() {
	g := G.NewGraph()
	data := G.NodeFromAny(g, tensor.New(tensor.WithShape(2, 3), tensor.WithBacking([]float64{1, 2, 3, 4, 5, 6})), G.WithName("data"))
	columns := G.NodeFromAny(g, tensor.New(tensor.WithShape(2, 1), tensor.WithBacking([]int64{2, 0})), G.WithName("columns"))
	values := G.NodeFromAny(g, tensor.New(tensor.WithShape(2, 1), tensor.WithBacking([]float64{30, 40})), G.WithName("values"))

	changed := G.Must(gather.ScatterElements(data, columns, values, 1))

	machine := G.NewTapeMachine(g)
	defer machine.Close()
	if err := machine.RunAll(); err != nil {
		log.Fatal(err)
	}
	fmt.Println(changed.Value().(*tensor.Dense).Float64s())
	// Output: [1 2 30 40 5 6]
}

func ExampleScatterND() {
	g := G.NewGraph()
	board := G.NodeFromAny(g, tensor.New(tensor.WithShape(2, 3), tensor.WithBacking([]string{".", ".", ".", ".", ".", "."})), G.WithName("board"))
	fields := G.NodeFromAny(g, tensor.New(tensor.WithShape(2, 2), tensor.WithBacking([]int64{0, 0, 1, -1})), G.WithName("fields"))
	stones := G.NodeFromAny(g, tensor.New(tensor.WithBacking([]string{"x", "o"})), G.WithName("stones"))

	next := G.Must(gather.ScatterND(board, fields, stones))

	machine := G.NewTapeMachine(g)
	defer machine.Close()
	if err := machine.RunAll(); err != nil {
		log.Fatal(err)
	}
	fmt.Println(next.Value().(*tensor.Dense).Strings())
	// Output: [x . . . . o]
}

func ExampleScatterUpdate() {
	g := G.NewGraph()
	cache := G.NodeFromAny(g, tensor.New(tensor.WithShape(3, 2), tensor.WithBacking(make([]float64, 6))), G.WithName("cache"))
	slots := G.NodeFromAny(g, tensor.New(tensor.WithBacking([]int64{2, 0})), G.WithName("slots"))
	rows := G.NodeFromAny(g, tensor.New(tensor.WithShape(2, 2), tensor.WithBacking([]float64{1, 2, 3, 4})), G.WithName("rows"))

	filled := G.Must(gather.ScatterUpdate(cache, slots, rows, 0))

	machine := G.NewTapeMachine(g)
	defer machine.Close()
	if err := machine.RunAll(); err != nil {
		log.Fatal(err)
	}
	fmt.Println(filled.Value().(*tensor.Dense).Float64s())
	// Output: [3 4 0 0 1 2]
}

// Messages that arrive at the same node are summed.
func ExampleWithReduction() {
	g := G.NewGraph()
	nodes := G.NodeFromAny(g, tensor.New(tensor.WithShape(3, 2), tensor.WithBacking(make([]float64, 6))), G.WithName("nodes"))
	targets := G.NodeFromAny(g, tensor.New(tensor.WithShape(3, 1), tensor.WithBacking([]int{2, 0, 2})), G.WithName("targets"))
	messages := G.NodeFromAny(g, tensor.New(tensor.WithShape(3, 2), tensor.WithBacking([]float64{1, 2, 3, 4, 10, 20})), G.WithName("messages"))

	sums := G.Must(gather.ScatterND(nodes, targets, messages, gather.WithReduction(gather.Add)))

	machine := G.NewTapeMachine(g)
	defer machine.Close()
	if err := machine.RunAll(); err != nil {
		log.Fatal(err)
	}
	fmt.Println(sums.Value().(*tensor.Dense).Float64s())
	// Output: [3 4 0 0 11 22]
}

// The mean of what arrives, without the old value of the target. What nothing
// arrives at keeps its value.
func ExampleWithInitValue() {
	g := G.NewGraph()
	data := G.NodeFromAny(g, tensor.New(tensor.WithBacking([]float64{100, 200, 300})), G.WithName("data"))
	targets := G.NodeFromAny(g, tensor.New(tensor.WithBacking([]int64{2, 0, 2})), G.WithName("targets"))
	updates := G.NodeFromAny(g, tensor.New(tensor.WithBacking([]float64{1, 5, 2})), G.WithName("updates"))

	means := G.Must(gather.ScatterElements(data, targets, updates, 0, gather.WithReduction(gather.Mean), gather.WithInitValue(false)))

	machine := G.NewTapeMachine(g)
	defer machine.Close()
	if err := machine.RunAll(); err != nil {
		log.Fatal(err)
	}
	fmt.Println(means.Value().(*tensor.Dense).Float64s())
	// Output: [5 200 1.5]
}
