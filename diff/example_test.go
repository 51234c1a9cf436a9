package diff_test

import (
	"fmt"

	"gorgonia.org/gather"
	"gorgonia.org/gather/diff"
	G "gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

// Gorgonia's Grad starts from float32 and float64 only. The gradient of a
// gather of complex numbers is a node all the same.
func ExampleScatterAdd() {
	g := G.NewGraph()
	data := G.NewVector(g, tensor.Complex128, G.WithName("data"), G.WithShape(3))
	indices := G.NodeFromAny(g, tensor.New(tensor.WithBacking([]int64{2, 0, 2})), G.WithName("indices"))
	picked, err := gather.Gather(data, indices, 0)
	if err != nil {
		fmt.Println(err)
		return
	}

	// What is known of the gradient of picked becomes that of data.
	grad := G.NodeFromAny(g, tensor.New(tensor.WithBacking([]complex128{1, 2i, 30})), G.WithName("gradient of picked"))
	sum, err := diff.ScatterAdd(picked.Op(), grad, indices, data.Shape())
	if err != nil {
		fmt.Println(err)
		return
	}
	if err := G.Let(data, tensor.New(tensor.WithBacking([]complex128{0, 0, 0}))); err != nil {
		fmt.Println(err)
		return
	}
	machine := G.NewTapeMachine(g)
	defer machine.Close()
	if err := machine.RunAll(); err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(sum.Value().(*tensor.Dense).Complex128s())
	// Output: [(0+2i) (0+0i) (31+0i)]
}
