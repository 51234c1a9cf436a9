package shapes_test

import (
	"fmt"

	"gorgonia.org/gather/shapes"
	"gorgonia.org/tensor"
)

// Rows of a table of (1000, 64) for 8 sentences of 20 words.
func ExampleGather() {
	fmt.Println(shapes.Gather(tensor.Shape{1000, 64}, tensor.Shape{8, 20}, 0, 0))
	// Output: (8, 20, 64) <nil>
}

// Two pixels of an image of (2, 2, 3), and a tuple that is too long for it.
func ExampleGatherND() {
	fmt.Println(shapes.GatherND(tensor.Shape{2, 2, 3}, tensor.Shape{2, 2}, 0))
	_, err := shapes.GatherND(tensor.Shape{2, 2, 3}, tensor.Shape{2, 4}, 0)
	fmt.Println(err)
	// Output:
	// (2, 3) <nil>
	// GatherND: the last dim of indices (2, 4) is 4, allowed is 1 to 3 for data (2, 2, 3) and batch_dims 0; use (2, 4, 1) for single indices
}
