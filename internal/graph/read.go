package graph

import (
	"fmt"
	"hash/fnv"

	G "gorgonia.org/gorgonia"
)

// Read is gorgonia.Read of a node into a place of its own, which it returns. The hash of the
// node that reads has the place's address in it, so another node has the same one by chance:
// then there is another place.
func Read(n *G.Node) (into *G.Value, read *G.Node) {
	into = place(n, func() *G.Value { return new(G.Value) })
	return into, G.Read(n, into)
}

// place is the first of 100 places to read a node into whose hash is free, or the last one.
func place(n *G.Node, next func() *G.Value) (into *G.Value) {
	for range 100 {
		into = next()
		if _, taken := find(n.Graph(), readHash(n, into)); !taken {
			break
		}
	}
	return into
}

// readHash is the hash of the node that gorgonia.Read will make: of no type and shape, its
// operator, and one operand.
func readHash(n *G.Node, into *G.Value) uint32 {
	h := fnv.New32a()
	hash := n.Hashcode()
	fmt.Fprintf(h, "<nil>()print %p", into)
	h.Write([]byte{1, byte(hash), byte(hash >> 8), byte(hash >> 16), byte(hash >> 24)})
	return h.Sum32()
}
