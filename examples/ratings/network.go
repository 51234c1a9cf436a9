package main

import (
	"math"
	"slices"

	"github.com/pkg/errors"
	G "gorgonia.org/gorgonia"
	"gorgonia.org/tensor"

	"gorgonia.org/gather/embedding"
	"gorgonia.org/gather/internal/examples/ratings"
)

// A network predicts the ratings of a batch:
//
//	x = user ⊙ item
//	rating - mean = x·shares + tanh(x·w + c)·v + bias of the user + bias of the item
//
// where user and item are rows of tables. Training and judging have a network each,
// with the same weights.
type network struct {
	batch            int
	lookups          []*embedding.Lookup // users, items and their biases
	users, items     *tensor.Dense       // ids, (batch)
	targets          *tensor.Dense       // (batch, 1), less the mean
	targetNode       *G.Node
	said, loss       G.Value
	dense            []*embedding.Lookup // all rows of shares, w, c and v
	machine          G.VM
	idsUser, idsItem []int32
	targetValues     []float32
}

func newNetwork(w *weights, batch int, learns bool) (*network, error) {
	n := &network{batch: batch, idsUser: make([]int32, batch), idsItem: make([]int32, batch), targetValues: make([]float32, batch)}
	n.users = tensor.New(tensor.WithShape(batch), tensor.WithBacking(n.idsUser))
	n.items = tensor.New(tensor.WithShape(batch), tensor.WithBacking(n.idsItem))
	n.targets = tensor.New(tensor.WithShape(batch, 1), tensor.WithBacking(n.targetValues))

	g := G.NewGraph()
	rows := make(G.Nodes, 4)
	for i, t := range []struct {
		table *embedding.Table
		name  string
	}{{w.users, "users"}, {w.items, "items"}, {w.userBiases, "user biases"}, {w.itemBiases, "item biases"}} {
		l, err := t.table.Lookup(g, t.name, batch)
		if err != nil {
			return nil, err
		}
		n.lookups, rows[i] = append(n.lookups, l), l.Node()
	}
	dense := make(G.Nodes, 4)
	for i, t := range []struct {
		table *embedding.Table
		name  string
	}{{w.shares, "shares"}, {w.w, "w"}, {w.c, "c"}, {w.v, "v"}} {
		l, err := t.table.Whole(g, t.name)
		if err != nil {
			return nil, err
		}
		n.dense, dense[i] = append(n.dense, l), l.Node()
	}
	n.targetNode = G.NewMatrix(g, tensor.Float32, G.WithShape(batch, 1), G.WithName("targets"), G.WithValue(n.targets))

	said, loss, err := predict(rows, dense, n.targetNode)
	if err != nil {
		return nil, errors.Wrap(err, "building the graph")
	}
	G.Read(said, &n.said)
	G.Read(loss, &n.loss)
	if !learns {
		n.machine = G.NewTapeMachine(g)
		return n, nil
	}
	if _, err := G.Grad(loss, append(rows, dense...)...); err != nil {
		return nil, errors.Wrap(err, "building the gradients")
	}
	n.machine = G.NewTapeMachine(g)
	return n, nil
}

// predict adds the formula to the graph. A panic of Must is an error.
func predict(rows, dense G.Nodes, targets *G.Node) (said, loss *G.Node, err error) {
	defer func() {
		if cause := recover(); cause != nil {
			err = errors.Errorf("%v", cause)
		}
	}()
	x := G.Must(G.HadamardProd(rows[0], rows[1]))
	hidden := G.Must(G.Tanh(G.Must(G.BroadcastAdd(G.Must(G.Mul(x, dense[1])), dense[2], nil, []byte{0}))))
	said = G.Must(G.Add(G.Must(G.Mul(x, dense[0])), G.Must(G.Mul(hidden, dense[3]))))
	said = G.Must(G.Add(G.Must(G.Add(said, rows[2])), rows[3]))
	loss = G.Must(G.Mean(G.Must(G.Square(G.Must(G.Sub(said, targets))))))
	return said, loss, nil
}

// run runs the network on some ratings, as many as a batch has or fewer, and fills
// the batch with the first one.
func (n *network) run(d *ratings.Data, of []int32) error {
	for i := range n.batch {
		k := of[0]
		if i < len(of) {
			k = of[i]
		}
		n.idsUser[i], n.idsItem[i], n.targetValues[i] = d.User[k], d.Item[k], d.Value[k]-d.Mean
	}
	for i, l := range n.lookups {
		ids := n.users
		if i%2 == 1 {
			ids = n.items
		}
		if err := l.Set(ids); err != nil {
			return err
		}
	}
	for _, l := range n.dense {
		if err := l.Set(nil); err != nil {
			return err
		}
	}
	n.machine.Reset()
	return errors.Wrap(n.machine.RunAll(), "running the graph")
}

// meanLoss is the mean squared error of the last run.
func (n *network) meanLoss() float64 {
	loss, scalar := n.loss.(*G.F32)
	if !scalar {
		return math.NaN()
	}
	return float64(*loss)
}

// error is the RMSE on some ratings.
func (n *network) error(d *ratings.Data, of []int32) (float64, error) {
	sum := 0.0
	for part := range slices.Chunk(of, n.batch) {
		if err := n.run(d, part); err != nil {
			return 0, err
		}
		said := n.said.(*tensor.Dense).Float32s()
		for i, k := range part {
			diff := float64(d.Clip(d.Mean+said[i]) - d.Value[k])
			sum += diff * diff
		}
	}
	return math.Sqrt(sum / float64(max(len(of), 1))), nil
}
