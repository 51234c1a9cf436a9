package embedding_test

import (
	"fmt"
	"log"
	"os"

	"gorgonia.org/gather/embedding"
	"gorgonia.org/tensor"
)

// Tables, what the optimiser remembers of them, and the number of steps are saved
// at one moment, and taken up by a process that begins anew.
func ExampleSave() {
	dir, err := os.MkdirTemp("", "checkpoint")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)

	// begin makes what a process has before it has learnt anything.
	begin := func() (map[string]*embedding.Table, []float64, embedding.Optimizer) {
		users, err := embedding.Make(tensor.Float32, 1000, 2, embedding.Zeros())
		if err != nil {
			log.Fatal(err)
		}
		steps := []float64{0}
		progress, err := embedding.New(tensor.New(tensor.WithShape(1), tensor.WithBacking(steps)))
		if err != nil {
			log.Fatal(err)
		}
		adam, err := embedding.NewAdam(embedding.WithLearnRate(0.1))
		if err != nil {
			log.Fatal(err)
		}
		return map[string]*embedding.Table{"users": users, "progress": progress}, steps, adam
	}

	tables, steps, adam := begin()
	ids := tensor.New(tensor.WithShape(1), tensor.WithBacking([]int{7}))
	for range 3 {
		grads := tensor.New(tensor.WithShape(1, 2), tensor.WithBacking([]float32{3, -4}))
		if err := adam.Update(tables["users"], ids, grads); err != nil {
			log.Fatal(err)
		}
		steps[0]++
	}
	if err := embedding.Save(dir, tables, adam); err != nil {
		log.Fatal(err)
	}

	tables, steps, adam = begin()
	if err := embedding.Load(dir, tables, adam); err != nil {
		log.Fatal(err)
	}
	weights, err := tables["users"].Weights()
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("after %g steps: %.3f\n", steps[0], weights.Float32s()[14:16])
	// Output: after 3 steps: [-0.300 0.300]
}
