package dense_test

import (
	"fmt"
	"log"

	"gorgonia.org/gather/dense"
	"gorgonia.org/tensor"
)

func ExampleScatterElements() {
	data := tensor.New(tensor.WithShape(2, 3), tensor.WithBacking([]float64{1, 2, 3, 4, 5, 6}))
	columns := tensor.New(tensor.WithShape(2, 1), tensor.WithBacking([]int64{2, 0})) // one for each row
	updates := tensor.New(tensor.WithShape(2, 1), tensor.WithBacking([]float64{30, 40}))
	out, err := dense.ScatterElements(data, columns, updates, 1)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(out.Float64s())
	// Output: [1 2 30 40 5 6]
}

func ExampleScatterND() {
	board := tensor.New(tensor.WithShape(2, 3), tensor.WithBacking([]string{".", ".", ".", ".", ".", "."}))
	fields := tensor.New(tensor.WithShape(2, 2), tensor.WithBacking([]int64{0, 0, 1, -1}))
	stones := tensor.New(tensor.WithBacking([]string{"x", "o"}))
	out, err := dense.ScatterND(board, fields, stones)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(out.Strings())
	// Output: [x . . . . o]
}

func ExampleScatterUpdate() {
	table := tensor.New(tensor.WithShape(3, 2), tensor.WithBacking([]float64{1, 2, 3, 4, 5, 6}))
	rows := tensor.New(tensor.WithBacking([]int64{2, 0}))
	updates := tensor.New(tensor.WithShape(2, 2), tensor.WithBacking([]float64{50, 60, 10, 20}))
	out, err := dense.ScatterUpdate(table, rows, updates, 0)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(out.Float64s())
	// Output: [10 20 3 4 50 60]
}

func ExampleWithReduction() {
	votes := tensor.New(tensor.WithBacking([]int64{0, 2, 2, 1, 2}))
	ones := tensor.New(tensor.WithBacking([]int{1, 1, 1, 1, 1}))
	counts := tensor.New(tensor.Of(tensor.Int), tensor.WithShape(4))
	out, err := dense.ScatterElements(counts, votes, ones, 0, dense.WithReduction(dense.Add))
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(out.Ints())
	// Output: [1 1 3 0]
}

func ExampleWithInitValue() {
	best := tensor.New(tensor.WithBacking([]float64{9, 9, 9}))
	players := tensor.New(tensor.WithBacking([]int64{0, 2, 0}))
	points := tensor.New(tensor.WithBacking([]float64{3, 7, 5}))
	out, err := dense.ScatterElements(best, players, points, 0, dense.WithReduction(dense.Max), dense.WithInitValue(false))
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(out.Float64s()) // player 1 has no points, and keeps the old value
	// Output: [5 9 7]
}

func ExampleGatherTree() {
	// Three steps of a search with two beams: at the last step, beam 0 goes on
	// from beam 1, which comes from beam 0.
	ids := tensor.New(tensor.WithShape(3, 1, 2), tensor.WithBacking([]int32{1, 2, 3, 4, 5, 6}))
	parents := tensor.New(tensor.WithShape(3, 1, 2), tensor.WithBacking([]int32{0, 1, 0, 0, 1, 1}))
	lengths := tensor.New(tensor.WithShape(1), tensor.WithBacking([]int32{3}))
	end := tensor.New(tensor.FromScalar(int32(0)))
	out, err := dense.GatherTree(ids, parents, lengths, end)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(out.Int32s())
	// Output: [1 1 4 4 5 6]
}
