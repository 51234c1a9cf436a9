package dense_test

import (
	"bytes"
	"fmt"
	"log"

	"gorgonia.org/gather/dense"
	"gorgonia.org/tensor"
)

// What is written here numpy.load reads, and the other way round.
func ExampleWriteNpy() {
	var file bytes.Buffer // or one that os.Create makes
	if err := dense.WriteNpy(&file, tensor.New(tensor.WithShape(2, 2), tensor.WithBacking([]int64{1, 2, 3, 4}))); err != nil {
		log.Fatal(err)
	}
	read, err := dense.ReadNpy(&file, dense.WithMaxBytes(1<<20))
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(read.Dtype(), read.Shape(), read.Int64s())
	// Output: int64 (2, 2) [1 2 3 4]
}

// Arrays can follow each other, as several calls of numpy.save write them.
func ExampleReadNpy() {
	var file bytes.Buffer
	for _, values := range [][]float32{{1, 2}, {3, 4, 5}} {
		if err := dense.WriteNpy(&file, tensor.New(tensor.WithBacking(values))); err != nil {
			log.Fatal(err)
		}
	}
	for range 2 {
		read, err := dense.ReadNpy(&file)
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(read)
	}
	// Output:
	// [1  2]
	// [3  4  5]
}
