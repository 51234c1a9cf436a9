package diff_test

import (
	"fmt"
	"log"

	"gorgonia.org/gather"
	"gorgonia.org/gather/diff"
	G "gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

// product is a scatter that multiplies, with a gradient of its result, and
// complex numbers, with which gorgonia.Grad cannot start.
func product() (y, grad, data, indices, updates *G.Node) {
	g := G.NewGraph()
	data = G.NodeFromAny(g, tensor.New(tensor.WithShape(2), tensor.WithBacking([]complex128{2, 3})), G.WithName("data"))
	indices = G.NodeFromAny(g, tensor.New(tensor.WithShape(2), tensor.WithBacking([]int64{0, 0})), G.WithName("indices"))
	updates = G.NodeFromAny(g, tensor.New(tensor.WithShape(2), tensor.WithBacking([]complex128{0, 7i})), G.WithName("updates"))
	grad = G.NodeFromAny(g, tensor.New(tensor.WithShape(2), tensor.WithBacking([]complex128{1, 2})), G.WithName("grad"))
	return G.Must(gather.ScatterElements(data, indices, updates, 0, gather.WithReduction(gather.Mul))), grad, data, indices, updates
}

func show(n *G.Node) {
	machine := G.NewTapeMachine(n.Graph())
	defer machine.Close()
	if err := machine.RunAll(); err != nil {
		log.Fatal(err)
	}
	fmt.Println(n.Value().(*tensor.Dense).Complex128s())
}

func ExampleScatterGradData() {
	y, grad, data, indices, updates := product()
	show(G.Must(diff.ScatterGradData(y.Op(), grad, data, indices, updates)))
	// Output: [(0+0i) (2+0i)]
}

func ExampleScatterGradUpdates() {
	y, grad, data, indices, updates := product()
	// The first update is 0, the product of the others is not: 2 times the
	// conjugate of 7i.
	show(G.Must(diff.ScatterGradUpdates(y.Op(), grad, data, indices, updates)))
	// Output: [(0-14i) (0+0i)]
}
