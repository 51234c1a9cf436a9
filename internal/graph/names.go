package graph

import (
	"slices"
	"strings"

	"github.com/pkg/errors"
	"gorgonia.org/gather/internal/core"
	"gorgonia.org/gather/internal/fault"
	G "gorgonia.org/gorgonia"
)

// Place has the errors of a node's runs put into those that place makes, which
// say where in a model the node is. Of a node that has a place it changes nothing.
func Place(n *G.Node, place func(error) error) {
	if op, ok := n.Op().(operator); ok && op.common().place == nil {
		op.common().place = place
	}
}

// DataName is the name of an operator's first operand.
func DataName(op G.Op) string {
	if op, ok := op.(operator); ok && len(op.common().names) > 0 {
		return op.common().names[0]
	}
	return "data"
}

// Explain puts the names of an operator's operands into the error of a run, and its
// place in front:
//
//	Gather(items, "item ids"): indices[1]: 3 out of range [-3, 3) for data axis 0
func Explain(op G.Op, err error) error {
	if err == nil {
		return nil
	}
	err = explain(op, err)
	if op, ok := op.(operator); ok && op.common().place != nil {
		return op.common().place(err)
	}
	return err
}

func explain(op G.Op, err error) error {
	named, ok := op.(operator)
	if !ok || len(named.common().names) == 0 {
		return err
	}
	names := named.common().names
	var bad *core.IndexError
	if errors.As(err, &bad) {
		bad.Operands = slices.Clone(names) // bad is of this call alone
		return err
	}
	name, rest, ok := strings.Cut(err.Error(), ": ")
	if !ok || strings.ContainsFunc(name, func(r rune) bool { return !('a' <= r && r <= 'z' || 'A' <= r && r <= 'Z') }) {
		return err
	}
	return fault.Reword(err, fault.Call(name, names)+": "+rest)
}
