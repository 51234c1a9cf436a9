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

// A second derivative is Grad of a first one that package diff makes: Grad called twice for one input is wrong. Here
// the sum of y³, where y are rows of x, has the gradient 3y² by y.
func Example_secondDerivative() {
	g := G.NewGraph()
	x := G.NewVector(g, tensor.Float64, G.WithName("x"), G.WithValue(tensor.New(tensor.WithBacking([]float64{2, 3, 5}))))
	rows := G.NewVector(g, tensor.Int64, G.WithName("rows"), G.WithValue(tensor.New(tensor.WithBacking([]int64{1, 2, 1}))))
	y := G.Must(gather.Gather(x, rows, 0))
	byY := G.Must(G.Mul(G.NewConstant(3.0), G.Must(G.Square(y))))
	first, err := diff.ScatterAdd(y.Op(), byY, rows, x.Shape())
	if err != nil {
		fmt.Println(err)
		return
	}
	second, err := G.Grad(G.Must(G.Sum(first)), x)
	if err != nil {
		fmt.Println(err)
		return
	}
	var values [2]G.Value
	G.Read(first, &values[0])
	G.Read(second[0], &values[1])
	m := G.NewTapeMachine(g)
	defer m.Close()
	if err := m.RunAll(); err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(values[0].(*tensor.Dense).Float64s(), values[1].(*tensor.Dense).Float64s())
	// Output: [0 54 75] [0 36 30]
}
