package dense_test

import (
	"errors"
	"fmt"
	"log"

	"gorgonia.org/gather/dense"
	"gorgonia.org/tensor"
)

// One value of each row: the score of the class that is right.
func ExampleGatherElements() {
	scores := tensor.New(tensor.WithShape(3, 4), tensor.WithBacking([]float32{
		.1, .7, .1, .1,
		.3, .3, .2, .2,
		.0, .1, .1, .8,
	}))
	classes := tensor.New(tensor.WithShape(3, 1), tensor.WithBacking([]int32{1, 0, -1}))
	right, err := dense.GatherElements(scores, classes, 1)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(right.Shape(), right.Float32s())
	// Output: (3, 1) [0.7 0.3 0.8]
}

// The last dim of the indices is a tuple: here row and column of a matrix.
func ExampleGatherND() {
	board := tensor.New(tensor.WithShape(3, 3), tensor.WithBacking([]string{
		"a1", "b1", "c1",
		"a2", "b2", "c2",
		"a3", "b3", "c3",
	}))
	fields := tensor.New(tensor.WithShape(3, 2), tensor.WithBacking([]int{0, 0, 1, 1, -1, -1}))
	diagonal, err := dense.GatherND(board, fields)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(diagonal.Strings())
	// A tuple shorter than the rank of data picks a slice.
	rows := tensor.New(tensor.WithShape(1, 1), tensor.WithBacking([]int{2}))
	third, err := dense.GatherND(board, rows)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(third.Shape(), third.Strings())
	// Output:
	// [a1 b2 c3]
	// (1, 3) [a3 b3 c3]
}

// Two batches of three steps with two features each. One step is picked in
// every batch.
func ExampleWithBatchDims() {
	data := tensor.New(tensor.WithShape(2, 3, 2), tensor.WithBacking([]int{
		0, 1, 10, 11, 20, 21,
		100, 101, 110, 111, 120, 121,
	}))
	steps := tensor.New(tensor.WithShape(2, 1), tensor.WithBacking([]int{2, 0}))
	picked, err := dense.GatherND(data, steps, dense.WithBatchDims(1))
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(picked.Shape(), picked.Ints())
	// Output: (2, 2) [20 21 100 101]
}

// Index 3 is a word that the table does not have.
func ExampleWithOutOfRange() {
	table := tensor.New(tensor.WithShape(3, 2), tensor.WithBacking([]float64{0, 1, 10, 11, 20, 21}))
	words := tensor.New(tensor.WithBacking([]uint8{1, 3, 2}))
	picked, err := dense.Gather(table, words, 0, dense.WithOutOfRange(dense.ZeroFill))
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(picked.Float64s())
	// Output: [10 11 0 0 20 21]
}

// Sentences of different lengths are padded with -1. A lookup gives zeros there, and a
// scatter leaves it out.
func ExampleWithPadding() {
	sentences := tensor.New(tensor.WithShape(2, 3), tensor.WithBacking([]int64{0, 2, -1, 1, -1, -1}))
	table := tensor.New(tensor.WithShape(3), tensor.WithBacking([]float64{10, 20, 30}))
	padding := dense.WithPadding(-1) // else -1 is the last word

	words, err := dense.Gather(table, sentences, 0, padding)
	if err != nil {
		log.Fatal(err)
	}
	counts := tensor.New(tensor.WithShape(3), tensor.WithBacking(make([]float64, 3)))
	ones := tensor.New(tensor.WithShape(2, 3), tensor.WithBacking([]float64{1, 1, 1, 1, 1, 1}))
	_, err = dense.ScatterUpdate(counts, sentences, ones, 0, dense.WithReduction(dense.Add), padding, dense.WithReuse(counts))
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(words.Float64s(), counts.Float64s())
	// Output: [10 30 0 20 0 0] [1 1 1]
}

// Older OpenVINO operators have no negative indices.
func ExampleWithNonNegativeIndices() {
	data := tensor.New(tensor.WithBacking([]float64{0, 1, 2}))
	indices := tensor.New(tensor.WithBacking([]int64{2, -1}))
	_, err := dense.Gather(data, indices, 0, dense.WithNonNegativeIndices())
	fmt.Println(err)
	// Output: Gather: indices[1]: -1 out of range [0, 3) for data axis 0; see WithOutOfRange
}

// An error says which index is wrong; it is found with errors.As.
func ExampleIndexError() {
	data := tensor.New(tensor.WithShape(4, 3), tensor.WithBacking(make([]float32, 12)))
	indices := tensor.New(tensor.WithShape(3, 2), tensor.WithBacking([]int64{0, 1, 3, 2, 1, 7}))
	_, err := dense.GatherND(data, indices)
	fmt.Println(err)
	var bad *dense.IndexError
	if errors.As(err, &bad) {
		fmt.Println(bad.Position, bad.Index, "for an axis of size", bad.Size)
	}
	// Output:
	// GatherND: indices[2 1]: 7 out of range [-3, 3) for data axis 1; see WithOutOfRange
	// [2 1] 7 for an axis of size 3
}
