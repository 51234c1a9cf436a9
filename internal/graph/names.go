package graph

import (
	"slices"
	"strings"

	"github.com/pkg/errors"
	"gorgonia.org/gather/internal/core"
	"gorgonia.org/gather/internal/fault"
	G "gorgonia.org/gorgonia"
)

// Names is embedded by operators. It holds the names of the nodes an operator was
// applied to, for the errors of its runs: a graph may have many operators of one
// kind. Names are in no hash and in no String. Where Gorgonia makes one node of two
// equal operators it keeps the first one's, and their operands are the same nodes.
type Names struct {
	operands []string
	place    func(error) error // nil outside of a model
}

// Operands are the names of the operands.
func (n *Names) Operands() []string { return n.operands }

// setOperands is called by Apply.
func (n *Names) setOperands(nodes []*G.Node) {
	n.operands = make([]string, len(nodes))
	for i, node := range nodes {
		n.operands[i] = node.Name()
	}
}

// Place has the errors of a node's runs put into those that place makes, which
// say where in a model the node is. Of a node that has a place it changes nothing.
func Place(n *G.Node, place func(error) error) {
	if op, ok := n.Op().(interface{ setPlace(func(error) error) }); ok {
		op.setPlace(place)
	}
}

func (n *Names) setPlace(place func(error) error) {
	if n.place == nil {
		n.place = place
	}
}

func (n *Names) placed(err error) error {
	if n.place == nil {
		return err
	}
	return n.place(err)
}

// DataName is the name of an operator's first operand.
func DataName(op G.Op) string {
	if op, ok := op.(interface{ Operands() []string }); ok {
		if names := op.Operands(); len(names) > 0 {
			return names[0]
		}
	}
	return "data"
}

// Explain puts the names of an operator's operands into the error of a run, and its
// place in front:
//
//	Gather(items, "item ids"): indices[1]: 3 out of range [-3, 3) for data axis 0
func Explain(op G.Op, err error) error {
	err = explain(op, err)
	if op, ok := op.(interface{ placed(error) error }); ok && err != nil {
		return op.placed(err)
	}
	return err
}

func explain(op G.Op, err error) error {
	named, ok := op.(interface{ Operands() []string })
	if err == nil || !ok || len(named.Operands()) == 0 {
		return err
	}
	var bad *core.IndexError
	if errors.As(err, &bad) {
		bad.Operands = slices.Clone(named.Operands()) // bad is of this call alone
		return err
	}
	name, rest, ok := strings.Cut(err.Error(), ": ")
	if !ok || strings.ContainsFunc(name, func(r rune) bool { return !('a' <= r && r <= 'z' || 'A' <= r && r <= 'Z') }) {
		return err
	}
	return fault.Reword(err, fault.Call(name, named.Operands())+": "+rest)
}
