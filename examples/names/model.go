package main

import (
	"math"
	"math/rand/v2"

	"github.com/pkg/errors"
	G "gorgonia.org/gorgonia"
	"gorgonia.org/tensor"

	"gorgonia.org/gather"
)

// Chosen by trying a few on the held-out names: a slight favour to the model, as
// the choice of k is one to the baseline.
const (
	window = 6   // how many characters a guess is made from
	hidden = 192 // the width of the hidden layer
)

// weights is what training changes. Several networks may share one weights:
// the one that trains, and those that measure and invent with what it has
// learnt so far.
type weights struct {
	embedding           *tensor.Dense // (symbols, size): a place in space for each character
	hiddenW, hiddenBias *tensor.Dense // (window*size, hidden), (1, hidden)
	outW, outBias       *tensor.Dense // (hidden, symbols), (1, symbols)
}

func newWeights(rng *rand.Rand, symbols, size int) *weights {
	return &weights{
		embedding:  random(rng, 0.5, symbols, size),
		hiddenW:    random(rng, 1/math.Sqrt(float64(window*size)), window*size, hidden),
		hiddenBias: random(rng, 0, 1, hidden),
		// Small, so that an untrained network finds all characters about as likely.
		outW:    random(rng, 0.1/math.Sqrt(hidden), hidden, symbols),
		outBias: random(rng, 0, 1, symbols),
	}
}

// random is normally distributed around 0.
func random(rng *rand.Rand, deviation float64, rows, columns int) *tensor.Dense {
	values := make([]float32, rows*columns)
	for i := range values {
		values[i] = float32(rng.NormFloat64() * deviation)
	}
	return tensor.New(tensor.WithShape(rows, columns), tensor.WithBacking(values))
}

// network is the model as a Gorgonia graph that answers batch questions at a
// time, with the machine that runs it.
type network struct {
	batch          int
	contexts, next []int64 // (batch, window) and (batch, 1): fill these, then run

	logP   G.Value // (batch, symbols), after a run: the log-probability of each character
	picked G.Value // (batch, 1), after a run: that of the true next one

	graph   *G.ExprGraph
	learnt  G.Nodes
	machine G.VM
}

// newNetwork builds the graph
//
//	lookedUp = Gather(embedding, contexts, axis 0)   (batch, window, size)
//	layer    = tanh(lookedUp · hiddenW + hiddenBias) (batch, hidden)
//	logP     = logSoftMax(layer · outW + outBias)    (batch, symbols)
//	picked   = GatherElements(logP, next, axis 1)    (batch, 1)
//	loss     = -mean(picked)
//
// and, for training, the gradients of the loss. G.Must panics only if these
// lines contradict one another, which no flag and no data can bring about.
func newNetwork(w *weights, batch int, training bool) (*network, error) {
	n := &network{
		batch:    batch,
		contexts: make([]int64, batch*window),
		next:     make([]int64, batch),
		graph:    G.NewGraph(),
	}
	contexts := n.indices("contexts", n.contexts, batch, window)
	next := n.indices("next", n.next, batch, 1)

	lookedUp := G.Must(gather.Gather(n.weight("embedding", w.embedding), contexts, 0))
	flat := G.Must(G.Reshape(lookedUp, tensor.Shape{batch, window * w.embedding.Shape()[1]}))
	layer := G.Must(G.Tanh(n.affine(flat, "hidden", w.hiddenW, w.hiddenBias)))
	logP := G.Must(G.LogSoftMax(n.affine(layer, "out", w.outW, w.outBias), 1))
	picked := G.Must(gather.GatherElements(logP, next, 1))

	// The machine reuses memory, so what an inner node holds after a run may be
	// something else's; Read keeps a copy.
	G.Read(logP, &n.logP)
	G.Read(picked, &n.picked)
	if !training {
		n.machine = G.NewTapeMachine(n.graph)
		return n, nil
	}
	loss := G.Must(G.Neg(G.Must(G.Mean(picked))))
	if _, err := G.Grad(loss, n.learnt...); err != nil {
		return nil, errors.Wrap(err, "differentiating the loss")
	}
	n.machine = G.NewTapeMachine(n.graph, G.BindDualValues(n.learnt...))
	return n, nil
}

// indices makes an input of whatever values holds when the machine runs. It
// needs a name of its own: Gorgonia takes unnamed inputs of one type and shape
// for the same input.
func (n *network) indices(name string, values []int64, shape ...int) *G.Node {
	value := tensor.New(tensor.WithShape(shape...), tensor.WithBacking(values))
	return G.NewTensor(n.graph, tensor.Int64, len(shape), G.WithName(name), G.WithValue(value))
}

// weight makes an input that training changes.
func (n *network) weight(name string, value *tensor.Dense) *G.Node {
	node := G.NewMatrix(n.graph, tensor.Float32, G.WithName(name), G.WithValue(value))
	n.learnt = append(n.learnt, node)
	return node
}

// affine is x · w + bias, with the bias added to each row.
func (n *network) affine(x *G.Node, name string, w, bias *tensor.Dense) *G.Node {
	product := G.Must(G.Mul(x, n.weight(name+"W", w)))
	return G.Must(G.BroadcastAdd(product, n.weight(name+"Bias", bias), nil, []byte{0}))
}

// run answers the questions in contexts.
func (n *network) run() error {
	n.machine.Reset() // a machine that has run would otherwise do nothing
	return errors.Wrap(n.machine.RunAll(), "running the network")
}

// bits is the mean of -log2 P(true next character) over the first rows
// questions of the last run.
func (n *network) bits(rows int) float64 {
	var total float64
	for _, logP := range n.picked.(*tensor.Dense).Float32s()[:rows] {
		total -= float64(logP)
	}
	return total / float64(rows) / math.Ln2
}
