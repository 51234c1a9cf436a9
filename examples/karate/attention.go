package main

import (
	"cmp"
	"math/rand/v2"
	"slices"

	G "gorgonia.org/gorgonia"

	"gorgonia.org/gather"
)

// slope is that of a leaky ReLU below 0.
const slope = 0.2

// byReceiver are the senders and receivers of the messages in the order of the
// receivers: the messages to a member are a segment.
func (m *messages) byReceiver() (from, to []int64) {
	order := make([]int, len(m.to))
	for e := range order {
		order[e] = e
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(m.to[a], m.to[b]) })
	for _, e := range order {
		from, to = append(from, m.from[e]), append(to, m.to[e])
	}
	return from, to
}

// attending returns a layer of graph attention in the form of P. Veličković et
// al., "Graph Attention Networks", 2018: like passing, but the weights of the
// messages are learnt,
//
//	out[i] = Σ attention[e] · rows[from[e]]    over the messages e to i
//	attention = softmax(leakyReLU(rows[from]·source + rows[to]·target))
//
// where the softmax is over the messages to one member. Each call adds a source
// and a target to what is learnt.
func (n *network) attending(m *messages, rng *rand.Rand) func(rows *G.Node) *G.Node {
	senders, receivers := m.byReceiver()
	from := n.input("from", senders, len(senders))
	to := n.input("to", receivers, len(receivers))
	layer := ""
	return func(rows *G.Node) *G.Node {
		layer += "'"
		part := func(name string, of *G.Node) *G.Node {
			scores := G.Must(G.Mul(rows, n.weight(name+layer, rng, rows.Shape()[1], 1)))
			return G.Must(gather.Gather(scores, of, 0))
		}
		score := G.Must(G.LeakyRelu(G.Must(G.Add(part("source", from), part("target", to))), slope))
		attention := G.Must(gather.SegmentSoftmax(score, to, members))
		sent := G.Must(gather.Gather(rows, from, 0))
		sent = G.Must(G.BroadcastHadamardProd(sent, attention, nil, []byte{1}))
		return G.Must(gather.SegmentSum(sent, to, members))
	}
}
