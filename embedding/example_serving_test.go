//go:build linux || darwin

package embedding_test

import (
	"fmt"
	"os"
	"path/filepath"
	"sync"

	"gorgonia.org/gather/dense"
	"gorgonia.org/gather/embedding"
	"gorgonia.org/tensor"
)

// A trained table is stored in a quarter of the bytes, and another process answers requests
// from it, in several goroutines and without a graph.
func Example_serving() {
	folder := must(os.MkdirTemp("", "serving"))
	defer os.RemoveAll(folder)
	path := filepath.Join(folder, "words.safetensors")
	words := must(embedding.Make(tensor.Float32, 1000, 64, embedding.FromRows(func(row int, weights []float64) {
		for c := range weights {
			weights[c] = float64(row + c)
		}
	})))

	small := must(words.Quantize(embedding.Int8))
	check(small.WriteFile(path))

	served := must(embedding.Open(path, embedding.WithTensor("weight")))
	defer served.Close()
	requests := [][]int32{{7, 5, 6}, {900, -1, -1}, {0, 0, 2}} // -1 is the last row
	answers := make([]string, len(requests))
	var wait sync.WaitGroup
	wait.Add(len(requests))
	for i, request := range requests {
		go func() {
			defer wait.Done()
			ids := tensor.New(tensor.WithBacking(request))
			rows := must(served.Rows(ids))                       // (3, 64) of float32
			rows = must(served.Rows(ids, dense.WithReuse(rows))) // allocates nothing

			offsets := tensor.New(tensor.WithBacking([]int32{0, 1})) // the first id, and the others
			means := must(served.Bags(ids, offsets, nil, embedding.Mean))
			answers[i] = fmt.Sprintf("%.1f %.1f %.1f", rows.Float32s()[0], rows.Float32s()[64], means.Float32s()[127])
		}()
	}
	wait.Wait()
	for _, answer := range answers {
		fmt.Println(answer)
	}
	_, err := served.Weights()
	fmt.Println(err)
	// Output:
	// 7.0 5.0 68.5
	// 900.0 999.0 1062.0
	// 0.0 0.0 64.0
	// Weights: the table's storage is Int8; Rows looks rows up as float32 or float64
}
