package nn_test

import (
	"fmt"
	"log"

	"gorgonia.org/gather/nn"
	G "gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

// input is a node that holds numbers.
func input[T any](g *G.ExprGraph, name string, shape []int, list ...T) *G.Node {
	return G.NodeFromAny(g, tensor.New(tensor.WithShape(shape...), tensor.WithBacking(list)), G.WithName(name))
}

// show runs the graph, and prints the values of nodes.
func show(nodes ...*G.Node) {
	values := make([]G.Value, len(nodes))
	for i, n := range nodes {
		G.Read(n, &values[i])
	}
	machine := G.NewTapeMachine(nodes[0].Graph())
	defer machine.Close()
	if err := machine.RunAll(); err != nil {
		log.Fatal(err)
	}
	for _, v := range values {
		if v, ok := v.(*tensor.Dense); ok {
			fmt.Printf("%v %.3f\n", v.Shape(), v.Float64s())
			continue
		}
		fmt.Printf("() %.3f\n", v)
	}
}

// Two layers, a loss, and the gradient of a weight.
func Example() {
	g := G.NewGraph()
	x, classes := input(g, "x", []int{2, 2}, 1., 2, 3, 4), input(g, "classes", []int{2}, int64(0), 2)
	w1, b1 := input(g, "w1", []int{2, 2}, 1., 0, 0, -1), input(g, "b1", []int{2}, 0., 3)
	w2 := input(g, "w2", []int{3, 2}, 1., 0, 0, 1, -1, -1)

	hidden := G.Must(nn.ReLU(G.Must(nn.Linear(x, w1, b1))))
	scores := G.Must(nn.Linear(hidden, w2, nil))
	loss := G.Must(nn.CrossEntropy(scores, classes))
	gradients, err := G.Grad(loss, w2)
	if err != nil {
		log.Fatal(err)
	}
	show(scores, loss, gradients[0])
	// Output:
	// (2, 3) [1.000 1.000 -2.000 3.000 0.000 -3.000]
	// () 3.384
	// (3, 2) [1.169 -0.256 0.315 0.244 -1.484 0.012]
}

// Classes are rare or not known: weights for the three that there are, and -1 for examples that do
// not count.
func ExampleCrossEntropy() {
	g := G.NewGraph()
	scores := input(g, "scores", []int{3, 3}, 2., 0, 0, 0, 1, 0, 9, 9, 9)
	classes := input(g, "classes", []int{3}, int32(0), 1, -1)
	weights := input(g, "weights", []int{3}, 1., 5, 1)
	show(
		G.Must(nn.CrossEntropy(scores, classes, nn.WithIgnored(-1))),
		G.Must(nn.CrossEntropy(scores, classes, nn.WithIgnored(-1), nn.WithClassWeights(weights), nn.WithSmoothing(0.1))),
	)
	// Output:
	// () 0.395
	// () 0.558
}

// A position attends to itself and those before it.
func ExampleAttention() {
	g := G.NewGraph()
	x := input(g, "x", []int{1, 3, 2}, 1., 0, 0, 1, 1, 1)
	mask := input(g, "mask", []int{3, 3}, true, false, false, true, true, false, true, true, true)
	show(G.Must(nn.Attention(x, x, x, mask)))
	// Output:
	// (1, 3, 2) [1.000 0.000 0.330 0.670 0.752 0.752]
}

// A layer for images of one channel, with a filter for edges, and what is greatest of four places.
func ExampleConv() {
	g := G.NewGraph()
	image := input(g, "image", []int{1, 1, 4, 4}, 0., 0, 5, 5, 0, 0, 5, 5, 0, 0, 5, 5, 0, 0, 5, 5)
	filter := input(g, "filter", []int{1, 1, 1, 3}, -1., 0, 1)
	edges := G.Must(nn.Conv(image, filter, nil, nn.Window{Padding: []int{0, 1}}))
	show(edges, G.Must(nn.MaxPool(edges, nn.Window{Kernel: []int{2}})))
	// Output:
	// (1, 1, 4, 4) [0.000 5.000 5.000 -5.000 0.000 5.000 5.000 -5.000 0.000 5.000 5.000 -5.000 0.000 5.000 5.000 -5.000]
	// (1, 1, 2, 2) [5.000 5.000 5.000 5.000]
}

// The mean of what is not padding, for each of two lists.
func ExampleWhere() {
	g := G.NewGraph()
	x, ids := input(g, "x", []int{2, 3}, 1., 2, 99, 4, 99, 99), input(g, "ids", []int{2, 3}, int64(7), 8, 0, 9, 0, 0)
	padding := G.Must(nn.Equal(ids, G.NewConstant(int64(0))))
	sums := G.Must(nn.Sum(G.Must(nn.Where(padding, G.NewConstant(0.), x)), 1))
	numbers := G.Must(nn.Sum(G.Must(nn.Cast(G.Must(nn.Not(padding)), tensor.Float64)), 1))
	show(G.Must(nn.Div(sums, numbers)))
	// Output:
	// (2) [1.500 4.000]
}

// The value that Q-learning wants of an action: the reward, and what the next state is worth, which
// is not to learn from it.
func ExampleDetach() {
	g := G.NewGraph()
	q, reward := input(g, "q of the next states", []int{2, 2}, 1., 3, 2, 0), input(g, "reward", []int{2}, 0., 1)
	best := G.Must(nn.Detach(G.Must(nn.Max(q, 1))))
	show(G.Must(nn.Add(reward, G.Must(nn.Mul(best, G.NewConstant(0.9))))))
	// Output:
	// (2) [2.700 2.800]
}

// The products of all queries and keys, of each head.
func ExampleEinsum() {
	g := G.NewGraph()
	q, k := input(g, "q", []int{1, 2, 2}, 1., 2, 3, 4), input(g, "k", []int{1, 3, 2}, 1., 0, 0, 1, 1, 1)
	show(G.Must(nn.Einsum("hqd,hkd->hqk", q, k)))
	// Output:
	// (1, 2, 3) [1.000 2.000 3.000 3.000 4.000 7.000]
}
