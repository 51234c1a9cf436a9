package main

import (
	"math"
	"math/rand/v2"

	"github.com/pkg/errors"
	G "gorgonia.org/gorgonia"
	"gorgonia.org/tensor"

	"gorgonia.org/gather"
)

// messages are the edges of the graph, in both directions for each friendship, and one from
// each member to himself, so that a layer keeps his own row.
type messages struct {
	from, to []int64   // numbers of members from 0
	weight   []float64 // 1/√(degree of the source · degree of the target)
}

func newMessages(club []friendship) *messages {
	m := &messages{}
	add := func(from, to int) {
		m.from = append(m.from, int64(from-1))
		m.to = append(m.to, int64(to-1))
	}
	for member := 1; member <= members; member++ {
		add(member, member)
	}
	for _, f := range club {
		add(f.a, f.b)
		add(f.b, f.a)
	}
	degree := make([]float64, members)
	for _, to := range m.to {
		degree[to]++
	}
	// Without the weights members with many friends would have larger rows.
	for i := range m.to {
		m.weight = append(m.weight, 1/math.Sqrt(degree[m.from[i]]*degree[m.to[i]]))
	}
	return m
}

// network is a graph convolutional network of two layers, in the form of
// T. N. Kipf and M. Welling, "Semi-Supervised Classification with Graph
// Convolutional Networks", 2017, with the machine that runs it.
type network struct {
	logP G.Value // (members, factions), after a run
	loss G.Value // scalar, after a run

	graph   *G.ExprGraph
	learnt  G.Nodes
	machine G.VM
}

// newNetwork builds the graph
//
//	layer = tanh(pass(self))                     (members, hidden)
//	logP  = logSoftMax(pass(layer · out))        (members, factions)
//	loss  = -mean(logP of what is known)
//
// and the gradient of the loss. What is learnt is self, the numbers with which
// a member describes himself, and out, what they say about his faction. Only the
// factions of known are shown; nothing else tells the members apart but who is
// friends with whom. pass is the layer of passing or, with attention, that of
// attending, which learns its weights, too.
//
// G.Must panics only if these lines contradict one another, which no flag can
// bring about.
func newNetwork(rng *rand.Rand, m *messages, known []int, side []int, hidden int, attention bool) (*network, error) {
	n := &network{graph: G.NewGraph()}
	layerOf := n.passing
	if attention {
		layerOf = n.attending
	}
	pass := layerOf(m, rng)
	self := n.weight("self", rng, members, hidden)
	out := n.weight("out", rng, hidden, factions)

	layer := G.Must(G.Tanh(pass(self)))
	logP := G.Must(G.LogSoftMax(pass(G.Must(G.Mul(layer, out))), 1))

	who, which := make([]int64, len(known)), make([]int64, len(known))
	for i, member := range known {
		who[i], which[i] = int64(member-1), int64(side[member-1])
	}
	rows := G.Must(gather.Gather(logP, n.input("who", who, len(who)), 0))
	picked := G.Must(gather.GatherElements(rows, n.input("which", which, len(which), 1), 1))
	loss := G.Must(G.Neg(G.Must(G.Mean(picked))))

	// The machine reuses memory, so what an inner node holds after a run may be
	// something else's; Read keeps a copy.
	G.Read(logP, &n.logP)
	G.Read(loss, &n.loss)
	if _, err := G.Grad(loss, n.learnt...); err != nil {
		return nil, errors.Wrap(err, "differentiating the loss")
	}
	n.machine = G.NewTapeMachine(n.graph, G.BindDualValues(n.learnt...))
	return n, nil
}

// passing returns a layer of message passing: each member's row becomes the
// weighted sum of the rows of his friends and his own,
//
//	out[to[e]] += weight[e] · rows[from[e]]    for each message e
//
// Gather reads the rows of the sources, the scatter-add sums them at the targets.
func (n *network) passing(m *messages, _ *rand.Rand) func(rows *G.Node) *G.Node {
	from := n.input("from", m.from, len(m.from))
	to := n.input("to", m.to, len(m.to), 1)
	weight := n.input("weight", m.weight, len(m.weight), 1)
	return func(rows *G.Node) *G.Node {
		sent := G.Must(gather.Gather(rows, from, 0))
		sent = G.Must(G.BroadcastHadamardProd(sent, weight, nil, []byte{1}))
		zeros := n.input("zeros for "+rows.Name(), make([]float64, rows.Shape().TotalSize()), rows.Shape()...)
		return G.Must(gather.ScatterND(zeros, to, sent, gather.WithReduction(gather.Add)))
	}
}

// input makes an input of values. It needs a name of its own: Gorgonia takes
// unnamed inputs of one type and shape for the same input.
func (n *network) input(name string, values any, shape ...int) *G.Node {
	value := tensor.New(tensor.WithShape(shape...), tensor.WithBacking(values))
	return G.NewTensor(n.graph, value.Dtype(), len(shape), G.WithName(name), G.WithValue(value))
}

// weight makes an input that training changes, at first random.
func (n *network) weight(name string, rng *rand.Rand, rows, columns int) *G.Node {
	values := make([]float64, rows*columns)
	for i := range values {
		values[i] = 0.5 * rng.NormFloat64()
	}
	node := n.input(name, values, rows, columns)
	n.learnt = append(n.learnt, node)
	return node
}

// run computes the loss and its gradient.
func (n *network) run() error {
	n.machine.Reset() // a machine that has run would otherwise do nothing
	return errors.Wrap(n.machine.RunAll(), "running the network")
}

// guess returns the more probable faction of each member.
func (n *network) guess() []int {
	logP := n.logP.(*tensor.Dense).Float64s()
	list := make([]int, members)
	for m := range list {
		if logP[m*factions+withPresident] > logP[m*factions+withInstructor] {
			list[m] = withPresident
		}
	}
	return list
}
