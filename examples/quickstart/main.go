// Quickstart trains a small table of word vectors through a Gather. README.md shows its
// main lines.
package main

import (
	"flag"
	"fmt"
	"log"

	"gorgonia.org/gather"
	G "gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

func main() {
	flag.Usage = func() { fmt.Fprintln(flag.CommandLine.Output(), usage) }
	flag.Parse()

	g := G.NewGraph()
	table := G.NewMatrix(g, tensor.Float64, G.WithShape(3, 2), G.WithName("table"), G.WithInit(G.Zeroes()))
	words := G.NewVector(g, tensor.Int64, G.WithShape(3), G.WithName("words"))
	targets := G.NewMatrix(g, tensor.Float64, G.WithShape(3, 2), G.WithName("targets"))

	vectors := G.Must(gather.Gather(table, words, 0)) // (3, 2): a row of the table for each word
	loss := G.Must(G.Sum(G.Must(G.Square(G.Must(G.Sub(vectors, targets))))))
	if _, err := G.Grad(loss, table); err != nil {
		log.Fatal(err)
	}
	var value G.Value
	G.Read(loss, &value) // loss.Value() may be overwritten before the run ends

	machine := G.NewTapeMachine(g, G.BindDualValues(table))
	defer machine.Close()
	solver := G.NewVanillaSolver(G.WithLearnRate(0.25))
	for range 3 {
		// Word 2 comes twice: its row gets the sum of two gradients. Row 1 stays as it is.
		if err := G.Let(words, tensor.New(tensor.WithBacking([]int64{2, 0, 2}))); err != nil {
			log.Fatal(err)
		}
		if err := G.Let(targets, tensor.New(tensor.WithShape(3, 2), tensor.WithBacking([]float64{5, 6, 1, 2, 5, 6}))); err != nil {
			log.Fatal(err)
		}
		if err := machine.RunAll(); err != nil {
			log.Fatal(err)
		}
		if err := solver.Step(G.NodesToValueGrads(G.Nodes{table})); err != nil {
			log.Fatal(err)
		}
		fmt.Println("loss", value)
		machine.Reset()
	}
	fmt.Println(table.Value())
}

const usage = `usage: quickstart

Trains a table of three word vectors through a Gather for three steps. Prints the
loss of each step and the table. It has no flags.`
