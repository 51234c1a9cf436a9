package dense_test

import (
	"fmt"
	"log"

	"gorgonia.org/gather/dense"
	"gorgonia.org/tensor"
)

func ExampleGather() {
	table := tensor.New(tensor.WithShape(3, 2), tensor.WithBacking([]float64{0, 1, 10, 11, 20, 21}))
	rows := tensor.New(tensor.WithBacking([]int64{2, 0, -1}))
	picked, err := dense.Gather(table, rows, 0)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(picked.Shape(), picked.Float64s())
	// Output: (3, 2) [20 21 0 1 20 21]
}

// A loop that allocates nothing: the result is written to the same tensor each
// time.
func ExampleWithReuse() {
	table := tensor.New(tensor.WithShape(3, 2), tensor.WithBacking([]float32{0, 1, 10, 11, 20, 21}))
	picked := tensor.New(tensor.Of(tensor.Float32), tensor.WithShape(2, 2))
	for _, pair := range [][]int32{{2, 0}, {1, 1}} {
		rows := tensor.New(tensor.WithBacking(pair))
		if _, err := dense.Gather(table, rows, 0, dense.WithReuse(picked)); err != nil {
			log.Fatal(err)
		}
		fmt.Println(picked.Float32s())
	}
	// Output:
	// [20 21 0 1]
	// [10 11 10 11]
}

// A table is changed in place: its destination is the table itself. An error,
// such as a bad index, would leave it as it is.
func ExampleWithReuse_inPlace() {
	table := tensor.New(tensor.WithShape(3, 2), tensor.WithBacking([]float64{1, 1, 2, 2, 3, 3}))
	rows := tensor.New(tensor.WithShape(2, 1), tensor.WithBacking([]int64{2, 2}))
	updates := tensor.New(tensor.WithShape(2, 2), tensor.WithBacking([]float64{10, 20, 100, 200}))
	if _, err := dense.ScatterND(table, rows, updates, dense.WithReduction(dense.Add), dense.WithReuse(table)); err != nil {
		log.Fatal(err)
	}
	fmt.Println(table.Float64s())
	// Output: [1 1 2 2 113 223]
}

// The gradient of a gather without a graph: what is known of the gradient of
// the result is added to that of the table. Row 2 was read twice.
func ExampleAddGather() {
	rows := tensor.New(tensor.WithBacking([]int64{2, 0, 2}))
	ofResult := tensor.New(tensor.WithShape(3, 2), tensor.WithBacking([]float64{1, 2, 3, 4, 10, 20}))
	ofTable := tensor.New(tensor.Of(tensor.Float64), tensor.WithShape(3, 2))
	if err := dense.AddGather(ofTable, ofResult, rows, 0); err != nil {
		log.Fatal(err)
	}
	fmt.Println(ofTable.Float64s())
	// Output: [3 4 0 0 11 22]
}
