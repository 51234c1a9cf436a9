package gather_test

import (
	"encoding/binary"
	"fmt"
	"hash/fnv"
	"strconv"
	"testing"

	"gorgonia.org/gather"
	"gorgonia.org/gather/diff"
	G "gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

// Gorgonia tells nodes by 32 bits, so that names whose nodes have one hash are found
// within some 100 000. The tests look for them, and so do not depend on what an operator
// writes into its hash.

// vector is the type of the nodes whose hashes are computed, and three is their shape.
var vector, three = G.TensorType{Dims: 1, Of: tensor.Float64}, tensor.Shape{3}

// A prefix is the state of a node's hash, FNV-1a, before what differs.
type prefix uint32

func (p prefix) with(more []byte) prefix {
	for _, b := range more {
		p = (p ^ prefix(b)) * 16777619
	}
	return p
}

// operands ends the hash of an operator's node.
func (p prefix) operands(hashes ...uint32) uint32 {
	text := [...]byte{0: byte(len(hashes)), 12: 0}
	for i, o := range hashes {
		binary.LittleEndian.PutUint32(text[1+4*i:], o)
	}
	return uint32(p.with(text[:1+4*len(hashes)]))
}

var inputPrefix = prefix(2166136261).with(fmt.Appendf(nil, "%v%v", vector, three))

// operatorPrefix is what the hashes of an operator's nodes begin as.
func operatorPrefix(op G.Op) prefix {
	h := fnv.New32a()
	fmt.Fprintf(h, "%v%v", vector, three)
	op.WriteHash(h)
	return prefix(h.Sum32())
}

// inputHash is what Gorgonia makes the hash of an input node.
func inputHash(name string) uint32 { return inputPrefix.with([]byte(name)).operands() }

// nameOf is one of many names.
func nameOf(i int) string { return strconv.FormatUint(uint64(i)*0x9E3779B97F4A7C15, 36) }

// colliding finds two names, of which the first one's hash is the second one's other
// hash. If they are not the hashes of inputs, those of inputs of these names differ.
func colliding(begin int, hash, other func(name string) uint32) (string, string) {
	seen := map[uint32]string{}
	for i := begin; ; i++ {
		name := nameOf(i)
		h := other(name)
		if first, ok := seen[h]; ok && (h == inputHash(name) || inputHash(first) != inputHash(name)) {
			return first, name
		}
		seen[hash(name)] = name
	}
}

// A maker makes a node of an input that has a name and a value, and knows the hash that
// the node has in a graph of nothing else.
type maker struct {
	name string
	make func(t *testing.T, g *G.ExprGraph, name string, value []float64) *G.Node
	want func(value []float64) []float64
	hash func(name string) uint32
}

// order is the value of all indices.
var order = []int64{2, 0, 0}

func vectorInput(g *G.ExprGraph, name string, value []float64) *G.Node {
	return input(g, name, dense(value, 3))
}

func orderInput(g *G.ExprGraph) *G.Node { return input(g, "order", dense(order, 3)) }

func gathered(v []float64) []float64 { return []float64{v[order[0]], v[order[1]], v[order[2]]} }

func added(v []float64) []float64 {
	sum := make([]float64, 3)
	for i, at := range order {
		sum[at] += v[i]
	}
	return sum
}

// makers has an input, two operators, and a gradient.
func makers(t *testing.T) []maker {
	all := []maker{
		{name: "an input", want: func(v []float64) []float64 { return v }, hash: inputHash,
			make: func(t *testing.T, g *G.ExprGraph, name string, value []float64) *G.Node {
				return vectorInput(g, name, value)
			}},
		{name: "Gather", want: gathered,
			make: func(t *testing.T, g *G.ExprGraph, name string, value []float64) *G.Node {
				n, err := gather.Gather(vectorInput(g, name, value), orderInput(g), 0)
				ok(t, err)
				return n
			}},
		{name: "ScatterElements", want: func(v []float64) []float64 { return []float64{9, v[1], 7} },
			make: func(t *testing.T, g *G.ExprGraph, name string, value []float64) *G.Node {
				n, err := gather.ScatterElements(vectorInput(g, name, value), orderInput(g), input(g, "updates", dense([]float64{7, 8, 9}, 3)), 0)
				ok(t, err)
				return n
			}},
		{name: "the gradient of a Gather", want: added,
			make: func(t *testing.T, g *G.ExprGraph, name string, value []float64) *G.Node {
				forward, err := gather.Gather(vectorInput(g, "data", value), orderInput(g), 0)
				ok(t, err)
				n, err := diff.ScatterAdd(forward.Op(), vectorInput(g, name, value), orderInput(g), three)
				ok(t, err)
				return n
			}},
	}
	for i := range all[1:] {
		m := &all[i+1]
		n := m.make(t, G.NewGraph(), "x", []float64{1, 2, 3})
		prefix, operands := operatorPrefix(n.Op()), []uint32(nil)
		for children := n.Graph().From(n.ID()); children.Next(); {
			operands = append(operands, children.Node().(*G.Node).Hashcode())
		}
		m.hash = func(name string) uint32 {
			operands[0] = inputHash(name)
			return prefix.operands(operands...)
		}
		if m.hash("x") != n.Hashcode() {
			t.Fatalf("%s: the hash is not computed as Gorgonia does", m.name)
		}
	}
	return all
}
