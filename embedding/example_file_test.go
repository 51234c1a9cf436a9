//go:build linux || darwin

package embedding_test

import (
	"fmt"
	"log"
	"os"
	"path/filepath"

	"gorgonia.org/gather/embedding"
	"gorgonia.org/tensor"
)

// A table in a file is there again, with the states of its optimiser, when
// another process opens it.
func ExampleCreate() {
	folder, err := os.MkdirTemp("", "tables")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(folder)
	path := filepath.Join(folder, "items.npy") // numpy.load(path, mmap_mode="r")

	for day := range 2 {
		items, err := embedding.Open(path)
		if day == 0 {
			items, err = embedding.Create(path, tensor.Float32, 1000, 2, embedding.Zeros())
		}
		if err != nil {
			log.Fatal(err)
		}
		adagrad, err := embedding.NewAdagrad(embedding.WithLearnRate(1))
		if err != nil {
			log.Fatal(err)
		}
		ids := tensor.New(tensor.WithShape(1), tensor.WithBacking([]int{7}))
		grads := tensor.New(tensor.WithShape(1, 2), tensor.WithBacking([]float32{3, -4}))
		if err := adagrad.Update(items, ids, grads); err != nil {
			log.Fatal(err)
		}
		weights, err := items.Weights()
		if err != nil {
			log.Fatal(err)
		}
		fmt.Printf("%.4f %.1f\n", weights.Float32s()[14:16], adagrad.State(items)["s"].Float32s()[14:16])
		if err := items.Close(); err != nil {
			log.Fatal(err)
		}
	}
	// Output:
	// [-1.0000 1.0000] [9.0 16.0]
	// [-1.7071 1.7071] [18.0 32.0]
}

// The tables of a model go into one file, and are opened by their names.
func ExampleWriteTables() {
	folder := must(os.MkdirTemp("", "model"))
	defer os.RemoveAll(folder)
	path := filepath.Join(folder, "model.safetensors")
	users := must(embedding.Make(tensor.Float32, 1000, 16, embedding.Zeros()))
	words := must(embedding.Make(tensor.Float32, 5000, 64, embedding.Normal(1, 0, 0.1)))
	small := must(words.Quantize(embedding.Int8))
	check(embedding.WriteTables(path, map[string]*embedding.Table{"users": users, "words": small}))

	opened := must(embedding.Open(path, embedding.WithTensor("words")))
	defer opened.Close()
	fmt.Println(opened.Storage(), opened.Shape())
	// Output: Int8 (5000, 64)
}

// A table is made small and written for others, Python's safetensors too.
func ExampleTable_WriteFile() {
	folder, err := os.MkdirTemp("", "words")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(folder)
	words, err := embedding.Make(tensor.Float32, 1000, 64, embedding.Normal(1, 0, 0.1))
	if err != nil {
		log.Fatal(err)
	}
	small, err := words.Quantize(embedding.Int8)
	if err != nil {
		log.Fatal(err)
	}
	path := filepath.Join(folder, "words.safetensors")
	if err := small.WriteFile(path); err != nil {
		log.Fatal(err)
	}
	opened, err := embedding.Open(path, embedding.WithTensor("weight"))
	if err != nil {
		log.Fatal(err)
	}
	defer opened.Close()
	fmt.Println(opened.Storage(), opened.Shape())
	// Output: Int8 (1000, 64)
}
