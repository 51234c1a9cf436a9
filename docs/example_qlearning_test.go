package docs_test

import (
	"fmt"
	"log"
	"math/rand/v2"

	"gorgonia.org/gather"
	"gorgonia.org/gather/nn"
	G "gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

// Q-learning: an agent in a row of six places goes left or right, and the game ends with a
// reward at the right end. The value of the action taken is picked by GatherElements.
func Example_qLearning() {
	const batch, places, actions, discount = 32, 6, 2, 0.9
	g := G.NewGraph()
	states := G.NewVector(g, tensor.Int64, G.WithShape(batch), G.WithName("states"))
	taken := G.NewMatrix(g, tensor.Int64, G.WithShape(batch, 1), G.WithName("actions")) // GatherElements wants the rank of q
	wanted := G.NewMatrix(g, tensor.Float64, G.WithShape(batch, 1), G.WithName("wanted"))
	table := G.NodeFromAny(g, random(places, 8), G.WithName("table"))
	weight := G.NodeFromAny(g, random(actions, 8), G.WithName("weight"))
	weights := G.Nodes{table, weight}

	q := G.Must(nn.Linear(G.Must(nn.Tanh(G.Must(gather.Gather(table, states, 0)))), weight, nil)) // (batch, actions)
	loss := G.Must(nn.Huber(G.Must(gather.GatherElements(q, taken, 1)), wanted, 1))
	if _, err := G.Grad(loss, weights...); err != nil {
		log.Fatal(err)
	}
	all := G.Must(nn.Linear(G.Must(nn.Tanh(table)), weight, nil)) // (places, actions): what the next state is worth
	var values G.Value
	G.Read(all, &values)

	machine := G.NewTapeMachine(g, G.BindDualValues(weights...))
	defer machine.Close()
	solver, rng := G.NewAdamSolver(G.WithLearnRate(0.02)), rand.New(rand.NewPCG(1, 2))
	s, a, w := make([]int64, batch), make([]int64, batch), make([]float64, batch)
	for step := range 400 {
		for i := range batch {
			s[i], a[i] = rng.Int64N(places-1), rng.Int64N(actions) // the last place ends the game
			next := max(0, s[i]+2*a[i]-1)
			if w[i] = 0; next == places-1 {
				w[i] = 1
			} else if step > 0 {
				known := values.(*tensor.Dense).Float64s()
				w[i] = discount * max(known[2*next], known[2*next+1])
			}
		}
		check(G.Let(states, tensor.New(tensor.WithBacking(s))))
		check(G.Let(taken, tensor.New(tensor.WithShape(batch, 1), tensor.WithBacking(a))))
		check(G.Let(wanted, tensor.New(tensor.WithShape(batch, 1), tensor.WithBacking(w))), machine.RunAll())
		check(solver.Step(G.NodesToValueGrads(weights)))
		machine.Reset()
	}
	for place := range places - 1 {
		known := values.(*tensor.Dense).Float64s()
		fmt.Print(map[bool]string{true: "right ", false: "left "}[known[2*place+1] > known[2*place]])
	}
	// Output:
	// right right right right right
}
