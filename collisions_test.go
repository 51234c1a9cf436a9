package gather_test

import (
	"encoding/binary"
	"fmt"
	"hash/fnv"
	"math/rand"
	"slices"
	"strconv"
	"strings"
	"testing"

	"gorgonia.org/gather"
	plain "gorgonia.org/gather/dense"
	"gorgonia.org/gather/diff"
	"gorgonia.org/gather/internal/gradtest"
	"gorgonia.org/gather/internal/race"
	"gorgonia.org/gather/internal/turns"
	G "gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

// distinctHashes fails the test if two nodes of a graph have one hash.
func distinctHashes(t *testing.T, g *G.ExprGraph) {
	t.Helper()
	seen := map[uint32]*G.Node{}
	for _, n := range g.AllNodes() {
		if other := seen[n.Hashcode()]; other != nil {
			t.Errorf("%v and %v have one hash", other, n)
		}
		seen[n.Hashcode()] = n
	}
}

// TestCollidingNodes makes two nodes whose hashes would be equal.
func TestCollidingNodes(t *testing.T) {
	all := makers(t)
	for i, second := range all[1:] {
		for _, first := range all[:i+2] {
			t.Run(first.name+" and "+second.name, func(t *testing.T) {
				a, b := colliding(1, first.hash, second.hash)
				onMachines(t, func(t *testing.T, m gradtest.Machine) {
					g := G.NewGraph()
					x, y := []float64{1, 2, 3}, []float64{4, 5, 6}
					n, o := first.make(t, g, a, x), second.make(t, g, b, y)
					if n.Hashcode() != first.hash(a) || n.Hashcode() != second.hash(b) {
						t.Fatal("the nodes do not collide")
					}
					if again := second.make(t, g, b, y); again != o {
						t.Error("two equal nodes are not one")
					}
					distinctHashes(t, g)
					ok(t, runForward(m, g))
					same(t, first.name, n.Value().Data().([]float64), first.want(x))
					same(t, second.name, o.Value().Data().([]float64), second.want(y))
				})
			})
		}
	}
}

// TestCollidingGradients differentiates two nodes whose hashes would be equal, on both
// machines.
func TestCollidingGradients(t *testing.T) {
	m := makers(t)[1]
	a, b := colliding(1, m.hash, m.hash)
	x, y := []float64{1, 2, 3}, []float64{4, 5, 6}
	build := func() (cost, n, o *G.Node) {
		g := G.NewGraph()
		n, o = m.make(t, g, a, x), m.make(t, g, b, y)
		cost = G.Must(G.Sum(G.Must(G.Sub(n, G.Must(G.Square(o))))))
		return cost, g.ByName(a)[0], g.ByName(b)[0]
	}
	check := func(n, o *G.Node) {
		for i, node := range []*G.Node{n, o} {
			got, err := node.Grad()
			ok(t, err)
			want := [][]float64{added([]float64{1, 1, 1}), added([]float64{-2 * y[2], -2 * y[0], -2 * y[0]})}[i]
			same(t, "gradient", got.Data().([]float64), want)
		}
	}
	cost, n, o := build()
	_, err := G.Grad(cost, n, o)
	ok(t, err)
	vm := G.NewTapeMachine(cost.Graph(), G.BindDualValues(n, o))
	defer vm.Close()
	ok(t, vm.RunAll())
	check(n, o)
	cost, n, o = build()
	lisp := G.NewLispMachine(cost.Graph())
	defer lisp.Close()
	ok(t, lisp.RunAll())
	check(n, o)
}

// TestCollidingSecondOrder has the gradient of a gradient collide, whose operator is in
// the graph already: that of the forward node.
func TestCollidingSecondOrder(t *testing.T) {
	m := makers(t)[1]
	a, b := colliding(1, m.hash, m.hash)
	onMachines(t, func(t *testing.T, machine gradtest.Machine) {
		g := G.NewGraph()
		x, y := []float64{1, 2, 3}, []float64{4, 5, 6}
		forward := m.make(t, g, a, x)
		order := orderInput(g)
		updates := vectorInput(g, "updates", x)
		adjoint, err := diff.ScatterAdd(forward.Op(), updates, order, three)
		ok(t, err)
		hash, names := forward.Op().Hashcode(), fmt.Sprint(forward.Op())
		nodes, err := adjoint.Op().(G.SDOp).SymDiff(G.Nodes{updates, order}, adjoint, vectorInput(g, b, y))
		ok(t, err)
		if got := forward.Op().Hashcode(); got != hash || names != fmt.Sprint(forward.Op()) {
			t.Error("the operator of a node has changed")
		}
		if nodes[0] == forward {
			t.Fatal("the gradient is the forward node")
		}
		distinctHashes(t, g)
		ok(t, runForward(machine, g))
		same(t, "forward", forward.Value().Data().([]float64), gathered(x))
		same(t, "second order", nodes[0].Value().Data().([]float64), gathered(y))
	})
}

// TestCollidingOperands refuses nodes that Gorgonia would take for others, and names both.
func TestCollidingOperands(t *testing.T) {
	all := makers(t)
	a, b := colliding(1, inputHash, inputHash)
	node, late := colliding(1, all[1].hash, inputHash)
	long := "an input that is made of it"
	for _, c := range []struct {
		name  string
		first maker
		names [2]string
		want  string
	}{
		{"two inputs", all[0], [2]string{a, b}, fmt.Sprintf("Gather(axis=0): data: nodes %s and %s have one hash", b, a)},
		{"an operator, and an input that comes later", all[1], [2]string{node, late}, fmt.Sprintf("Gather(axis=0): data: nodes %s and ", late)},
	} {
		t.Run(c.name, func(t *testing.T) {
			g := G.NewGraph()
			c.first.make(t, g, c.names[0], []float64{1, 2, 3})
			x := vectorInput(g, c.names[1], []float64{1, 2, 3})
			before := len(g.AllNodes())
			_, err := gather.Gather(x, G.NewConstant(dense(order, 3)), 0)
			if err == nil || !strings.HasPrefix(err.Error(), c.want) {
				t.Errorf("got %v, want %s", err, c.want)
			}
			if len(g.AllNodes()) != before {
				t.Error("after the error the graph has another node")
			}
			if _, err := gather.Gather(vectorInput(g, long, []float64{1, 2, 3}), orderInput(g), 0); err != nil {
				t.Errorf("other nodes of the graph: %v", err)
			}
		})
	}
	t.Run("indices", func(t *testing.T) {
		g := G.NewGraph()
		x, y := vectorInput(g, a, []float64{1, 2, 3}), vectorInput(g, b, []float64{1, 2, 3})
		_, err := gather.ScatterElements(vectorInput(g, "data", []float64{1, 2, 3}), orderInput(g), x, 0)
		if want := fmt.Sprintf("updates: nodes %s and %s have", x.Name(), y.Name()); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %s", err, want)
		}
	})
}

// TestCollidingChain swaps the numbers of a vector often: among chains of a few thousand
// names there is one of which two nodes would have one hash, with the numbers in
// different orders.
func TestCollidingChain(t *testing.T) {
	const most = 2000
	g := G.NewGraph()
	swap := []int64{2, 1, 0}
	indices := input(g, "swap", dense(swap, 3))
	op := G.Must(gather.Gather(vectorInput(g, "x", []float64{1, 2, 3}), indices, 0)).Op()
	prefix := operatorPrefix(op)
	var name string
	var length int
	type step struct {
		hash     uint32
		chain, k int
	}
	seen := make([]step, 1<<13) // by some bits of the hash; the last one of them
	// With the hashes as they are now, it is soon found from there.
	for chain := 24_800; length == 0; chain++ {
		name = nameOf(chain)
		hash := inputHash(name)
		for k := 0; k < most && length == 0; k++ {
			s := &seen[hash%uint32(len(seen))]
			if s.hash == hash && s.chain == chain && (k-s.k)%2 == 1 {
				length = k
			}
			*s = step{hash, chain, k}
			hash = prefix.operands(hash, indices.Hashcode())
		}
	}
	t.Logf("%d Gathers of %s", length, name)
	onMachines(t, func(t *testing.T, m gradtest.Machine) {
		g := G.NewGraph()
		n, indices := vectorInput(g, name, []float64{1, 2, 3}), input(g, "swap", dense(swap, 3))
		for range length {
			n = G.Must(gather.Gather(n, indices, 0))
		}
		distinctHashes(t, g)
		ok(t, runForward(m, g))
		want := []float64{1, 2, 3}
		if length%2 == 1 {
			slices.Reverse(want)
		}
		same(t, "the last node", n.Value().Data().([]float64), want)
	})
}

// TestRandomGraphs gives what the same calls of package dense give, at every node of
// graphs that begin with colliding ones.
func TestRandomGraphs(t *testing.T) {
	graphs, most := 100, 2000
	if testing.Short() || race.Enabled {
		graphs, most = 20, 300
	}
	var names [][2]string
	m := makers(t)[1]
	for i := range 5 {
		a, b := colliding(1+i*100_000_000, m.hash, m.hash)
		names = append(names, [2]string{a, b})
	}
	onMachines(t, func(t *testing.T, m gradtest.Machine) {
		for seed := range graphs {
			rng := newRand(int64(seed))
			g := G.NewGraph()
			size := 1 + rng.Intn(most)
			if !turns.Of(8, 0, seed) {
				size = 1 + size/8 // to compile a large graph takes long
			}
			nodes, want := randomGraph(t, g, rng, names[seed%len(names)], size)
			distinctHashes(t, g)
			ok(t, runForward(m, g))
			for i, n := range nodes {
				if got := n.Value().Data().([]float64); !slices.Equal(got, want[i].Float64s()) {
					t.Fatalf("seed %d, node %d of %d, %v: got %v, want %v", seed, i, len(nodes), n, got, want[i].Float64s())
				}
			}
		}
	})
}

// randomGraph has as many nodes of operators, and what the calls of package dense give.
func randomGraph(t *testing.T, g *G.ExprGraph, rng *rand.Rand, names [2]string, size int) (nodes []*G.Node, want []*tensor.Dense) {
	t.Helper()
	var indices []*G.Node
	var orders []*tensor.Dense
	for i := range 4 {
		values := slices.Clone(order)
		if i > 0 {
			for j := range values {
				values[j] = int64(rng.Intn(6) - 3)
			}
		}
		orders = append(orders, dense(values, 3))
		indices = append(indices, input(g, []string{"order", "second", "third", "fourth"}[i], orders[i]))
	}
	for _, name := range names {
		want = append(want, dense([]float64{rng.NormFloat64(), rng.NormFloat64(), rng.NormFloat64()}, 3))
		nodes = append(nodes, input(g, name, want[len(want)-1]))
	}
	for i := range size {
		from, order := rng.Intn(len(nodes)), rng.Intn(len(indices))
		if i < 2 {
			from, order = i, 0 // the two that would be one
		}
		updates := rng.Intn(len(nodes))
		var n *G.Node
		var d *tensor.Dense
		var err, derr error
		switch op := rng.Intn(3); {
		case i < 2 || op == 0:
			n, err = gather.Gather(nodes[from], indices[order], 0)
			d, derr = plain.Gather(want[from], orders[order], 0)
		case op == 1:
			n, err = gather.GatherElements(nodes[from], indices[order], 0)
			d, derr = plain.GatherElements(want[from], orders[order], 0)
		default:
			with := gather.WithReduction([]gather.Reduction{gather.None, gather.Max, gather.Min}[rng.Intn(3)])
			n, err = gather.ScatterElements(nodes[from], indices[order], nodes[updates], 0, with)
			d, derr = plain.ScatterElements(want[from], orders[order], want[updates], 0, with)
		}
		ok(t, err)
		ok(t, derr)
		nodes, want = append(nodes, n), append(want, d)
	}
	return nodes, want
}

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
