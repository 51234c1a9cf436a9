package embedding_test

import (
	"fmt"

	"gorgonia.org/gather/dense"
	"gorgonia.org/gather/embedding"
	G "gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

// must ends a program that cannot go on.
func must[T any](x T, err error) T {
	check(err)
	return x
}

func check(err error) {
	if err != nil {
		panic(err)
	}
}

// Words learn vectors that are near to their targets.
func Example() {
	table := must(embedding.Make(tensor.Float64, 1000, 2, embedding.Zeros()))
	g := G.NewGraph()
	words := must(table.Lookup(g, "words", 3))
	targets := G.NewMatrix(g, tensor.Float64, G.WithShape(3, 2), G.WithName("targets"))
	loss := G.Must(G.Sum(G.Must(G.Square(G.Must(G.Sub(words.Node(), targets))))))
	must(G.Grad(loss, words.Node()))

	machine := G.NewTapeMachine(g)
	defer machine.Close()
	sgd := must(embedding.NewSGD(embedding.WithLearnRate(0.25)))
	for range 3 {
		// Word 900 comes twice: its row gets the sum of two gradients.
		check(words.Set(tensor.New(tensor.WithBacking([]int64{900, 0, 900}))))
		check(G.Let(targets, tensor.New(tensor.WithShape(3, 2), tensor.WithBacking([]float64{5, 6, 1, 2, 5, 6}))))
		check(machine.RunAll())
		check(sgd.Step(words))
		fmt.Println("loss", loss.Value())
		machine.Reset()
	}
	rows := must(table.Weights()).Float64s()
	fmt.Println(rows[0:2], rows[1800:1802])
	// Output:
	// loss 127
	// loss 1.25
	// loss 0.3125
	// [0.875 1.75] [5 6]
}

func ExampleNew() {
	weights := tensor.New(tensor.WithShape(3, 2), tensor.WithBacking([]float32{1, 2, 3, 4, 5, 6}))
	table := must(embedding.New(weights))
	fmt.Println(table.Shape(), table.Dtype())
	// Output: (3, 2) float32
}

// A table that has been trained serves without a graph.
func ExampleTable_Rows() {
	table := must(embedding.New(tensor.New(tensor.WithShape(3, 2), tensor.WithBacking([]float32{1, 2, 3, 4, 5, 6}))))
	ids := tensor.New(tensor.WithBacking([]int32{2, 0, -1}))
	rows := must(table.Rows(ids))
	fmt.Println(rows.Shape(), rows.Float32s())
	ids.Set(0, int32(1)) // the next lookup writes to the same memory
	fmt.Println(must(table.Rows(ids, dense.WithReuse(rows))).Float32s())
	// Output:
	// (3, 2) [5 6 1 2 5 6]
	// [3 4 1 2 5 6]
}

// A row of 64 numbers takes 256 bytes of float32, and 36 of Int4.
func ExampleTable_Quantize() {
	table := must(embedding.New(tensor.New(tensor.WithShape(2, 4), tensor.WithBacking([]float32{0, 1, 2, 3, -1, 0, 0.5, 1}))))
	small := must(table.Quantize(embedding.Int4))
	fmt.Println(small.Storage(), small.Dtype())
	fmt.Printf("%.3f\n", must(small.Rows(tensor.New(tensor.WithBacking([]int{0, 1})))).Float32s())
	// Output:
	// Int4 float32
	// [0.000 1.000 2.000 2.999 -1.000 0.066 0.466 1.000]
}

// Two sentences of words, three and none, as the sums of their rows.
func ExampleTable_Bags() {
	table := must(embedding.New(tensor.New(tensor.WithShape(3, 2), tensor.WithBacking([]float32{1, 2, 3, 4, 5, 6}))))
	ids := tensor.New(tensor.WithBacking([]int32{2, 0, 2}))
	offsets := tensor.New(tensor.WithBacking([]int32{0, 3}))
	bags := must(table.Bags(ids, offsets, nil, embedding.Sum))
	fmt.Println(bags.Shape(), bags.Float32s())
	// Output: (2, 2) [11 14 0 0]
}

func ExampleMake() {
	zeros := must(embedding.Make(tensor.Float32, 1_000_000, 64, embedding.Zeros()))
	ones := must(embedding.Make(tensor.Float64, 2, 3, embedding.FromRows(func(row int, weights []float64) {
		weights[row] = 1
	})))
	fmt.Println(zeros.Shape(), must(ones.Weights()).Float64s())
	// Output: (1000000, 64) [1 0 0 0 1 0]
}

func ExampleTable_Lookup() {
	table := must(embedding.New(tensor.New(tensor.WithShape(3, 2), tensor.WithBacking([]float64{0, 1, 10, 11, 20, 21}))))
	g := G.NewGraph()
	words := must(table.Lookup(g, "words", 2, 2))
	check(words.Set(tensor.New(tensor.WithShape(2, 2), tensor.WithBacking([]uint16{2, 0, 1, 2}))))
	fmt.Println(words.Node().Shape(), words.Node().Value().(*tensor.Dense).Float64s())
	// Output: (2, 2, 2) [20 21 0 1 10 11 20 21]
}

// Two bags of two and one words; the padding is no word.
func ExampleTable_Bag() {
	weights := tensor.New(tensor.WithShape(3, 2), tensor.WithBacking([]float64{0, 1, 10, 11, 20, 21}))
	table := must(embedding.New(weights, embedding.WithPadding(-1)))
	g := G.NewGraph()
	texts := must(table.Bag(g, "texts", 2, embedding.Mean))
	check(texts.Set(tensor.New(tensor.WithShape(2, 2), tensor.WithBacking([]int{0, 2, 1, -1}))))
	fmt.Println(texts.Node().Value().(*tensor.Dense).Float64s())
	// Output: [10 11 10 11]
}

// TorchRec's lengths and TensorFlow's combiner sqrtn: a bag of two ids, whose sum is divided
// by √2, and one of one id.
func ExampleTable_Bags_lengths() {
	table := must(embedding.New(tensor.New(tensor.WithShape(3, 2), tensor.WithBacking([]float64{0, 1, 10, 11, 20, 21}))))
	ids := tensor.New(tensor.WithBacking([]int64{0, 1, 2}))
	lengths := tensor.New(tensor.WithBacking([]int64{2, 1}))
	bags := must(table.Bags(ids, lengths, nil, embedding.SqrtN, dense.WithLengths()))
	fmt.Printf("%.3f\n", bags.Float64s())
	// Output: [7.071 8.485 20.000 21.000]
}

// Ragged bags: the positions 0 and 1, none, and 2 and 3.
func ExampleLookup_SetBags() {
	table := must(embedding.New(tensor.New(tensor.WithShape(3, 2), tensor.WithBacking([]float64{0, 1, 10, 11, 20, 21}))))
	texts := must(table.Bag(G.NewGraph(), "texts", 3, embedding.Sum))
	ids := tensor.New(tensor.WithBacking([]int64{0, 1, 2, 2}))
	offsets := tensor.New(tensor.WithBacking([]int64{0, 2, 2}))
	weights := tensor.New(tensor.WithBacking([]float64{1, 0.5, 1, 2}))
	check(texts.SetBags(ids, offsets, weights))
	fmt.Println(texts.Node().Value().(*tensor.Dense).Float64s())
	// Output: [5 6.5 0 0 60 63]
}

// The weights of two bags come from elsewhere, an attention say, which their gradients
// train.
func ExampleLookup_WeightGradients() {
	table := must(embedding.New(tensor.New(tensor.WithShape(3, 2), tensor.WithBacking([]float64{1, 2, 3, 4, 5, 6}))))
	g := G.NewGraph()
	texts := must(table.Bag(g, "texts", 2, embedding.Sum))
	must(G.Grad(G.Must(G.Sum(texts.Node())), texts.Node()))
	machine := G.NewTapeMachine(g)
	defer machine.Close()

	ids := tensor.New(tensor.WithShape(2, 2), tensor.WithBacking([]int{0, 1, 2, 0}))
	weights := tensor.New(tensor.WithShape(2, 2), tensor.WithBacking([]float64{0.5, 0.5, 1, 0}))
	check(texts.SetBags(ids, nil, weights))
	check(machine.RunAll())
	fmt.Println(must(texts.WeightGradients()).Float64s())
	// Output: [3 7 11 3]
}

// A step without a graph: two gradients of row 2, and one of row 0.
func ExampleOptimizer() {
	weights := tensor.New(tensor.WithShape(3, 2), tensor.WithBacking([]float64{1, 1, 1, 1, 1, 1}))
	table := must(embedding.New(weights))
	adagrad := must(embedding.NewAdagrad(embedding.WithLearnRate(0.5), embedding.WithEps(0)))
	ids := tensor.New(tensor.WithBacking([]int64{2, 0, 2}))
	grads := tensor.New(tensor.WithShape(3, 2), tensor.WithBacking([]float64{1, 2, 3, 4, 5, 6}))
	check(adagrad.Update(table, ids, grads))
	fmt.Println(weights.Float64s())
	fmt.Println(adagrad.State(table)["s"].Float64s())
	// Output:
	// [0.5 0.5 1 1 0.5 0.5]
	// [9 16 0 0 36 64]
}
