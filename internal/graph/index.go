package graph

import (
	"encoding/binary"
	"fmt"
	"reflect"
	"runtime"
	"slices"
	"sync"
	"weak"

	"github.com/chewxy/hm"
	G "gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

// An index finds the nodes of a graph by their hashes, which Gorgonia takes for
// identity: TapeMachine runs one of the nodes that have one hash, and a graph does not
// add a node whose hash, operator, type and shape another one has, whatever their
// operands. It holds positions in AllNodes, as pointers would keep the nodes in memory.
type index struct {
	positions map[uint32]int // several where it is not one node
	read      int            // how many nodes it knows, and the last one's ID
	last      int64
}

const several = -1

// indexes has the index of each graph of more than a few nodes, as long as the
// graph lives.
var indexes sync.Map // of *index by weak.Pointer[G.ExprGraph]

// find is the node of a graph that has a hash. It is nil if none is found, or several are.
func find(g *G.ExprGraph, hash uint32) (n *G.Node, found bool) {
	nodes := g.AllNodes()
	if len(nodes) > fewNodes {
		key := weak.Make(g)
		ix, ok := indexes.Load(key)
		if !ok {
			ix = &index{positions: map[uint32]int{}}
			indexes.Store(key, ix)
			runtime.AddCleanup(g, func(key weak.Pointer[G.ExprGraph]) { indexes.Delete(key) }, key)
		}
		return ix.(*index).find(nodes, hash)
	}
	for _, other := range nodes {
		if other.Hashcode() != hash {
			continue
		}
		if found {
			return nil, true
		}
		n, found = other, true
	}
	return n, found
}

// fewNodes is how many are searched without an index, which takes as long to make as the
// node of an operator.
const fewNodes = 32

func (ix *index) find(nodes G.Nodes, hash uint32) (n *G.Node, found bool) {
	// IDs grow from node to node: if one was removed, another one stands here.
	if ix.read > len(nodes) || ix.read > 0 && nodes[ix.read-1].ID() != ix.last {
		*ix = index{positions: map[uint32]int{}}
	}
	for ; ix.read < len(nodes); ix.read++ {
		n := nodes[ix.read]
		if _, ok := ix.positions[n.Hashcode()]; ok {
			ix.positions[n.Hashcode()] = several
		} else {
			ix.positions[n.Hashcode()] = ix.read
		}
		ix.last = n.ID()
	}
	position, found := ix.positions[hash]
	if !found || position == several {
		return nil, found
	}
	return nodes[position], true
}

// Taken reports whether an input node of that type, shape and name would have the hash
// of a node that the graph has.
func Taken(g *G.ExprGraph, t hm.Type, shape tensor.Shape, name string) bool {
	hash := fnv1a(fnv1a(typed32a(t, shape), name), "\x00") // no operands
	_, taken := find(g, hash)
	return taken
}

// salted gives an operator the first salt with which its node is one that the graph has
// already, or has a hash that no node of the graph has. The operator is changed, or a
// copy of it where it may be in a graph. There are far fewer nodes than hashes.
func salted(op operator, inGraph bool, g *G.ExprGraph, shape tensor.Shape, nodes []*G.Node) operator {
	o := op.common()
	before := fnv1a(typed32a(o.description.Result.Type(), shape), o.text)
	operands := []byte{byte(len(nodes))}
	for _, n := range nodes {
		operands = binary.LittleEndian.AppendUint32(operands, n.Hashcode())
	}
	for {
		n, found := find(g, fnv1a(fnv1a(before, o.suffix()), operands))
		if !found || n != nil && o.makes(n, shape, nodes) {
			return op
		}
		if inGraph {
			v := reflect.ValueOf(op).Elem()
			fresh := reflect.New(v.Type())
			fresh.Elem().Set(v)
			op, inGraph = fresh.Interface().(operator), false
			o = op.common()
		}
		o.salt++
	}
}

// suffix is what the salt adds to the text that an operator is hashed by.
func (op *Operator) suffix() string {
	if op.salt == 0 {
		return ""
	}
	return fmt.Sprint(" ", op.salt)
}

// makes reports whether a node is what the operator makes of the operands.
func (op *Operator) makes(n *G.Node, shape tensor.Shape, operands []*G.Node) bool {
	other, ok := n.Op().(operator)
	if !ok || other.common().text != op.text || other.common().salt != op.salt || !slices.Equal(n.Shape(), shape) {
		return false
	}
	var have []*G.Node
	for children := n.Graph().From(n.ID()); children.Next(); {
		have = append(have, children.Node().(*G.Node))
	}
	return slices.Equal(have, operands)
}

// typed32a is the state of the hash of a node of a type and shape, which begins with
// them: FNV-1a with 32 bits.
func typed32a(t hm.Type, shape tensor.Shape) uint32 {
	return fnv1a(2166136261, fmt.Sprintf("%v%v", t, shape))
}

// fnv1a goes on with a hash. The standard library's begins anew each time.
func fnv1a[T string | []byte](hash uint32, more T) uint32 {
	for i := range len(more) {
		hash = (hash ^ uint32(more[i])) * 16777619
	}
	return hash
}
