package dense_test

import (
	"fmt"
	"log"

	"gorgonia.org/gather/dense"
	"gorgonia.org/tensor"
)

func exampleTable() *tensor.Dense {
	return tensor.New(tensor.WithShape(3, 2), tensor.WithBacking([]float64{0, 1, 10, 11, 20, 21}))
}

func ExampleEmbeddingBagOffsets() {
	ids := tensor.New(tensor.WithBacking([]int64{2, 0, 1}))
	offsets := tensor.New(tensor.WithBacking([]int64{0, 2, 2})) // the second bag is empty
	bags, err := dense.EmbeddingBagOffsets(exampleTable(), ids, offsets, nil, dense.WithDefaultIndex(1))
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(bags.Shape(), bags.Float64s())
	// Output: (3, 2) [20 22 10 11 10 11]
}

func ExampleEmbeddingBagPacked() {
	ids := tensor.New(tensor.WithShape(2, 2), tensor.WithBacking([]int64{0, 1, 2, 2}))
	means, err := dense.EmbeddingBagPacked(exampleTable(), ids, nil, dense.WithReduction(dense.Mean))
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(means.Shape(), means.Float64s())
	// Output: (2, 2) [5 6 20 21]
}

func ExampleEmbeddingSegments() {
	ids := tensor.New(tensor.WithBacking([]int64{2, 0, 1}))
	bags := tensor.New(tensor.WithBacking([]int64{0, 0, 2}))
	weights := tensor.New(tensor.WithBacking([]float64{0.5, 2, 1}))
	sums, err := dense.EmbeddingSegments(exampleTable(), ids, bags, weights, 3)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(sums.Shape(), sums.Float64s())
	// Output: (3, 2) [10 12.5 0 0 10 11]
}

func ExampleSegmentMax() {
	data := tensor.New(tensor.WithShape(3, 2), tensor.WithBacking([]float32{1, 9, 5, 2, 3, 4}))
	segments := tensor.New(tensor.WithBacking([]int64{0, 0, 2}))
	most, err := dense.SegmentMax(data, segments, 3)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(most.Shape(), most.Float32s())
	// Output: (3, 2) [5 9 0 0 3 4]
}

// A gradient by hand: what belongs to a bag goes to each of its rows.
func ExampleAddEmbeddingBagOffsets() {
	gradient := tensor.New(tensor.WithShape(3, 2), tensor.WithBacking(make([]float64, 6)))
	ofResult := tensor.New(tensor.WithShape(2, 2), tensor.WithBacking([]float64{1, 2, 30, 40}))
	ids := tensor.New(tensor.WithBacking([]int64{2, 0, 2}))
	offsets := tensor.New(tensor.WithBacking([]int64{0, 2}))
	if err := dense.AddEmbeddingBagOffsets(gradient, ofResult, nil, ids, offsets, nil); err != nil {
		log.Fatal(err)
	}
	fmt.Println(gradient.Float64s())
	// Output: [1 2 0 0 31 42]
}

// A node of a graph attends to its neighbours. Edges are in the order of the node that
// they lead to; the last one is padding.
func ExampleSegmentSoftmax() {
	to := tensor.New(tensor.WithBacking([]int64{0, 0, 1, 3}))
	scores := tensor.New(tensor.WithShape(4), tensor.WithBacking([]float64{1, 1, 5, 0}))
	weights, err := dense.SegmentSoftmax(scores, to, 3, dense.WithOutOfRange(dense.Skip))
	if err != nil {
		log.Fatal(err)
	}
	sums, err := dense.SegmentSum(weights, to, 3, dense.WithOutOfRange(dense.Skip), dense.WithEmptySegment(-1))
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(weights.Float64s(), sums.Float64s())
	// Output: [0.5 0.5 1 0] [1 1 -1]
}

// Rows 0 and 1 are segment 0, row 2 is segment 2; segment 1 has no rows.
func ExampleSegmentSum() {
	data := tensor.New(tensor.WithShape(3, 2), tensor.WithBacking([]float64{1, 9, 5, 2, 3, 4}))
	segments := tensor.New(tensor.WithBacking([]int64{0, 0, 2}))
	sums, err := dense.SegmentSum(data, segments, 3)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(sums.Shape(), sums.Float64s())
	// Output: (3, 2) [6 11 0 0 3 4]
}

// TorchRec's lengths: two ids, none, and one.
func ExampleWithLengths() {
	ids := tensor.New(tensor.WithBacking([]int64{2, 0, 1}))
	lengths := tensor.New(tensor.WithBacking([]int32{2, 0, 1}))
	bags, err := dense.EmbeddingBagOffsets(exampleTable(), ids, lengths, nil, dense.WithLengths())
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(bags.Shape(), bags.Float64s())
	// Output: (3, 2) [20 22 0 0 10 11]
}

// PyTorch's include_last_offset: three offsets for two bags, of the ids 0 and 1, and 2.
func ExampleWithLastOffset() {
	ids := tensor.New(tensor.WithBacking([]int64{2, 0, 1}))
	offsets := tensor.New(tensor.WithBacking([]int64{0, 2, 3}))
	bags, err := dense.EmbeddingBagOffsets(exampleTable(), ids, offsets, nil, dense.WithLastOffset())
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(bags.Shape(), bags.Float64s())
	// Output: (2, 2) [20 22 10 11]
}

// TensorFlow's combiners of embedding_lookup_sparse: rows 0 and 2 with the weights 3 and 4.
func ExampleEmbeddingBagOffsets_combiners() {
	ids := tensor.New(tensor.WithBacking([]int64{0, 2}))
	offsets := tensor.New(tensor.WithShape(1), tensor.WithBacking([]int64{0}))
	weights := tensor.New(tensor.WithBacking([]float64{3, 4}))
	for _, combiner := range []dense.Reduction{dense.Add, dense.Mean, dense.SqrtN} {
		bag, err := dense.EmbeddingBagOffsets(exampleTable(), ids, offsets, weights, dense.WithReduction(combiner))
		if err != nil {
			log.Fatal(err)
		}
		fmt.Printf("%-5v %.2f\n", combiner, bag.Float64s())
	}
	// Output:
	// add   [80.00 87.00]
	// mean  [11.43 12.43]
	// sqrtn [16.00 17.40]
}
