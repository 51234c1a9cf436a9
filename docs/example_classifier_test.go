package docs_test

import (
	"fmt"
	"log"
	"math"
	"math/rand/v2"

	"gorgonia.org/gather/nn"
	G "gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

// A classifier of points in two spirals: model, loss and training step, and a graph of its own
// that validates.
func Example_classifier() {
	const batch, hidden = 64, 32
	params := []*tensor.Dense{random(hidden, 2), random(hidden), random(2, hidden), random(2)}
	// Both graphs have the same tensors as weights.
	build := func(n int) (g *G.ExprGraph, points, classes, scores *G.Node, weights G.Nodes) {
		g = G.NewGraph()
		for i, p := range params {
			weights = append(weights, G.NodeFromAny(g, p, G.WithName(fmt.Sprint("weight", i))))
		}
		points = G.NewMatrix(g, tensor.Float64, G.WithShape(n, 2), G.WithName("points"))
		classes = G.NewVector(g, tensor.Int64, G.WithShape(n), G.WithName("classes"))
		layer := G.Must(nn.Tanh(G.Must(nn.Linear(points, weights[0], weights[1]))))
		return g, points, classes, G.Must(nn.Linear(layer, weights[2], weights[3])), weights
	}
	g, points, classes, scores, weights := build(batch)
	loss := G.Must(nn.CrossEntropy(scores, classes))
	if _, err := G.Grad(loss, weights...); err != nil {
		log.Fatal(err)
	}
	judgeGraph, heldPoints, heldClasses, heldScores, _ := build(200)
	var right G.Value
	G.Read(G.Must(nn.Accuracy(heldScores, heldClasses)), &right)

	// Make all machines before the first one runs: making one writes to the weights.
	machine, judge := G.NewTapeMachine(g, G.BindDualValues(weights...)), G.NewTapeMachine(judgeGraph)
	defer machine.Close()
	defer judge.Close()
	solver, rng := G.NewAdamSolver(G.WithLearnRate(0.02)), rand.New(rand.NewPCG(1, 1))
	for range 600 {
		x, y := spirals(rng, batch)
		check(G.Let(points, x), G.Let(classes, y), machine.RunAll())
		check(solver.Step(G.NodesToValueGrads(weights)))
		machine.Reset()
	}
	x, y := spirals(rng, 200)
	check(G.Let(heldPoints, x), G.Let(heldClasses, y), judge.RunAll())
	fmt.Println("more than 95 % are right:", float64(*right.(*G.F64)) > 0.95)
	// Output:
	// more than 95 % are right: true
}

// random is a tensor of numbers from -1/2 to 1/2, the same ones in each run.
func random(shape ...int) *tensor.Dense {
	rng := rand.New(rand.NewPCG(uint64(tensor.Shape(shape).TotalSize()), 7))
	values := make([]float64, tensor.Shape(shape).TotalSize())
	for i := range values {
		values[i] = rng.Float64() - 0.5
	}
	return tensor.New(tensor.WithShape(shape...), tensor.WithBacking(values))
}

// spirals draws points of two spirals, and says which one each is of.
func spirals(rng *rand.Rand, n int) (points, classes *tensor.Dense) {
	x, y := make([]float64, 2*n), make([]int64, n)
	for i := range y {
		turn := 4 * rng.Float64()
		y[i] = rng.Int64N(2)
		angle := turn + math.Pi*float64(y[i])
		x[2*i], x[2*i+1] = turn*math.Cos(angle)/2, turn*math.Sin(angle)/2
	}
	return tensor.New(tensor.WithShape(n, 2), tensor.WithBacking(x)), tensor.New(tensor.WithBacking(y))
}

func check(errs ...error) {
	for _, err := range errs {
		if err != nil {
			log.Fatal(err)
		}
	}
}
