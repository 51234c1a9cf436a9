package main

import (
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/pkg/errors"
	G "gorgonia.org/gorgonia"
	"gorgonia.org/tensor"

	"gorgonia.org/gather"
)

// weights is what training changes: for each layer a matrix and, as one row,
// the bias. Several networks may share one weights.
type weights []*tensor.Dense

// newWeights has two hidden layers, so six tensors.
func newWeights(rng *rand.Rand, hidden int) weights {
	var w weights
	widths := []int{inputs, hidden, hidden, actions}
	for i, in := range widths[:len(widths)-1] {
		out := widths[i+1]
		w = append(w, random(rng, 1/math.Sqrt(float64(in)), in, out), random(rng, 0, 1, out))
	}
	return w
}

// random is normally distributed around 0.
func random(rng *rand.Rand, deviation float64, rows, columns int) *tensor.Dense {
	values := make([]float64, rows*columns)
	for i := range values {
		values[i] = rng.NormFloat64() * deviation
	}
	return matrix(values, rows, columns)
}

// matrix is a tensor that keeps its values where they are: who changes them
// changes the tensor.
func matrix(values any, rows, columns int) *tensor.Dense {
	return tensor.New(tensor.WithShape(rows, columns), tensor.WithBacking(values))
}

// moveTo goes a part of the way to other: all of it when part is 1.
func (w weights) moveTo(other weights, part float64) {
	for i := range w {
		here, there := w[i].Float64s(), other[i].Float64s()
		for j := range here {
			here[j] += part * (there[j] - here[j])
		}
	}
}

// network is Q(s,a), what action a is worth in state s, as a Gorgonia graph for
// batch states at a time, with the machine that runs it.
type network struct {
	states  []float64 // (batch, inputs); fill these three, then run
	actions []int64   // (batch, 1), an action for each state
	targets []float64 // (batch, 1), what it should be worth; only for training

	q      G.Value // (batch, actions), after a run: Q(s,a) of both actions
	chosen G.Value // (batch, 1), after a run: Q(s,a) of the action given
	loss   G.Value // a scalar, after a run for training

	learnt  G.Nodes
	machine G.VM
}

// newNetwork builds the graph
//
//	layer1 = tanh(states · W1 + bias1)          (batch, hidden)
//	layer2 = tanh(layer1 · W2 + bias2)          (batch, hidden)
//	q      = layer2 · W3 + bias3                (batch, actions)
//	chosen = GatherElements(q, actions, axis 1) (batch, 1)
//	loss   = mean((chosen - targets)²)
//
// the last line and its gradients only for training. Of an action that was not
// taken nobody knows what it would have led to: the gradient of GatherElements
// is zero there, and so the loss teaches nothing about it.
//
// G.Must panics only if these lines contradict one another, which no flag can
// bring about.
func newNetwork(w weights, batch int, training bool) (*network, error) {
	n := &network{
		states:  make([]float64, batch*inputs),
		actions: make([]int64, batch),
		targets: make([]float64, batch),
	}
	g := G.NewGraph()
	layer := input(g, "states", matrix(n.states, batch, inputs))
	for i := 0; i < len(w); i += 2 {
		w, bias := input(g, fmt.Sprint("W", i/2+1), w[i]), input(g, fmt.Sprint("bias", i/2+1), w[i+1])
		n.learnt = append(n.learnt, w, bias)
		if i > 0 {
			layer = G.Must(G.Tanh(layer))
		}
		layer = G.Must(G.BroadcastAdd(G.Must(G.Mul(layer, w)), bias, nil, []byte{0}))
	}
	chosen := G.Must(gather.GatherElements(layer, input(g, "actions", matrix(n.actions, batch, 1)), 1))

	// The machine reuses memory, so what an inner node holds after a run may be
	// something else's; Read keeps a copy.
	G.Read(layer, &n.q)
	G.Read(chosen, &n.chosen)
	if !training {
		n.machine = G.NewTapeMachine(g)
		return n, nil
	}
	miss := G.Must(G.Sub(chosen, input(g, "targets", matrix(n.targets, batch, 1))))
	loss := G.Must(G.Mean(G.Must(G.Square(miss))))
	G.Read(loss, &n.loss)
	if _, err := G.Grad(loss, n.learnt...); err != nil {
		return nil, errors.Wrap(err, "differentiating the loss")
	}
	n.machine = G.NewTapeMachine(g, G.BindDualValues(n.learnt...))
	return n, nil
}

// input makes a node of a value that may change from run to run. It needs a
// name of its own: Gorgonia takes unnamed inputs of one type and shape for the
// same input.
func input(g *G.ExprGraph, name string, value *tensor.Dense) *G.Node {
	return G.NewMatrix(g, value.Dtype(), G.WithName(name), G.WithValue(value))
}

// see puts a state into the given row.
func (n *network) see(row int, s state) {
	f := s.features()
	copy(n.states[row*inputs:], f[:])
}

// run computes q, chosen and, for training, the loss and its gradients.
func (n *network) run() error {
	n.machine.Reset() // a machine that has run would otherwise do nothing
	return errors.Wrap(n.machine.RunAll(), "running the network")
}

// best is the action that is worth most in the state of the given row.
func (n *network) best(row int) int {
	q := n.q.(*tensor.Dense).Float64s()[row*actions : (row+1)*actions]
	best := 0
	for a := range q {
		if q[a] > q[best] {
			best = a
		}
	}
	return best
}
