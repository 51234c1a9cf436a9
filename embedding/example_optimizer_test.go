package embedding_test

import (
	"fmt"

	"gorgonia.org/gather/embedding"
	"gorgonia.org/tensor"
)

// onePoint is a table with the row (1, 1), and a gradient of this row.
func onePoint(grad ...float64) (weights *tensor.Dense, table *embedding.Table, ids, grads *tensor.Dense) {
	weights = tensor.New(tensor.WithShape(1, 2), tensor.WithBacking([]float64{1, 1}))
	ids = tensor.New(tensor.WithShape(1), tensor.WithBacking([]int64{0}))
	grads = tensor.New(tensor.WithShape(1, 2), tensor.WithBacking(grad))
	return weights, must(embedding.New(weights)), ids, grads
}

func ExampleNewSGD() {
	weights, table, ids, grads := onePoint(2, 4)
	sgd := must(embedding.NewSGD(embedding.WithLearnRate(0.125)))
	check(sgd.Update(table, ids, grads))
	fmt.Println(weights.Float64s())
	// Output: [0.75 0.5]
}

// The mean of the squares of a row's gradient, (3² + 4²)/2, is 12.5. It is added to the
// row's only sum.
func ExampleNewRowWiseAdagrad() {
	weights, table, ids, grads := onePoint(3, 4)
	adagrad := must(embedding.NewRowWiseAdagrad(embedding.WithLearnRate(0.5), embedding.WithInitialAccumulator(12.5)))
	check(adagrad.Update(table, ids, grads))
	fmt.Println(adagrad.State(table)["s"].Float64s())
	fmt.Printf("%.3f\n", weights.Float64s())
	// Output:
	// [25]
	// [0.700 0.600]
}

// The first step of Adam moves each number by the learning rate, whatever the size of
// its gradient.
func ExampleNewAdam() {
	weights, table, ids, grads := onePoint(100, -0.5)
	adam := must(embedding.NewAdam(embedding.WithLearnRate(0.25)))
	check(adam.Update(table, ids, grads))
	fmt.Printf("%.3f\n", weights.Float64s())
	// Output: [0.750 1.250]
}

// The gradient (3, 4) has the norm 5. It is scaled to the norm 1.25.
func ExampleWithClipNorm() {
	weights, table, ids, grads := onePoint(3, 4)
	sgd := must(embedding.NewSGD(embedding.WithLearnRate(1), embedding.WithClipNorm(1.25)))
	check(sgd.Update(table, ids, grads))
	fmt.Println(weights.Float64s())
	// Output: [0.25 0]
}

// Half of the row is added to its gradient.
func ExampleWithL2Reg() {
	weights, table, ids, grads := onePoint(0, 1)
	sgd := must(embedding.NewSGD(embedding.WithLearnRate(0.5), embedding.WithL2Reg(0.5)))
	check(sgd.Update(table, ids, grads))
	fmt.Println(weights.Float64s())
	// Output: [0.75 0.25]
}
