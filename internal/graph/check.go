package graph

import (
	"github.com/pkg/errors"
	"gorgonia.org/gather/internal/fault"
	G "gorgonia.org/gorgonia"
)

// Check refuses a graph that has two nodes of one hash, of which TapeMachine would run
// one alone.
func Check(g *G.ExprGraph) error {
	seen := make(map[uint32]*G.Node, len(g.AllNodes()))
	for _, n := range g.AllNodes() {
		if twin, ok := seen[n.Hashcode()]; ok {
			return errTwins(twin.Name(), n.Name())
		}
		seen[n.Hashcode()] = n
	}
	return nil
}

// distinct refuses operands whose hashes other nodes of their graph have, too.
func distinct(op G.Op, g *G.ExprGraph, operands []*G.Node) error {
	for i, n := range operands {
		if n.ID() < 0 {
			continue // a constant, which is in no graph yet
		}
		twin, found := find(g, n.Hashcode())
		if !found || twin == n {
			continue
		}
		for _, twin = range g.AllNodes() {
			if twin != n && twin.Hashcode() == n.Hashcode() {
				break
			}
		}
		return errors.WithMessagef(errTwins(n.Name(), twin.Name()), "%v: %s", fault.Operator(op), argument(op, i))
	}
	return nil
}

func errTwins(a, b string) error {
	return errors.Errorf("nodes %s and %s have one hash, so that Gorgonia would take one for the other: give one of them, or an input that it is made of, another name",
		fault.Name(a), fault.Name(b))
}
