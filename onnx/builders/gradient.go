package builders

import (
	"github.com/pkg/errors"
	G "gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

// A term is the gradient of an operand: a function of the result's gradient, the
// result and the operands. It is written once, and worked out as nodes of a graph
// for TapeMachine and on tensors for LispMachine.
type term struct {
	function function // nil for a leaf
	args     []*term
	leaf     leaf
	refusal  string
}

// A leaf is what a term starts from: an operand by its number, or one of these.
type leaf int

const (
	gradient leaf = -1 - iota
	result
	refused
)

// The leaves of terms.
func grad() *term           { return &term{leaf: gradient} }
func out() *term            { return &term{leaf: result} }
func input(i int) *term     { return &term{leaf: leaf(i)} }
func refuse(s string) *term { return &term{leaf: refused, refusal: s} }

// of is a function of terms.
func of(f function, args ...*term) *term { return &term{function: f, args: args} }

// node adds the term to a graph.
func (t *term) node(inputs G.Nodes, output, grad *G.Node) (*G.Node, error) {
	return evaluate(t, inputs, output, grad, func(f function, args []*G.Node) (*G.Node, error) {
		return apply(f, args...)
	})
}

// tensor computes the term.
func (t *term) tensor(inputs []*tensor.Dense, output, grad *tensor.Dense) (*tensor.Dense, error) {
	return evaluate(t, inputs, output, grad, compute)
}

// evaluate works a term out, with values of either kind.
func evaluate[T any](t *term, inputs []T, output, grad T, call func(function, []T) (T, error)) (T, error) {
	var none T
	if t.function == nil {
		switch t.leaf {
		case gradient:
			return grad, nil
		case result:
			return output, nil
		case refused:
			return none, errors.New(t.refusal)
		}
		return inputs[t.leaf], nil
	}
	args := make([]T, len(t.args))
	for i, a := range t.args {
		var err error
		if args[i], err = evaluate(a, inputs, output, grad, call); err != nil {
			return none, err
		}
	}
	return call(t.function, args)
}

// onlyOnce stands for the gradients of a function that is itself a part of a
// gradient: the second derivative is refused, where a nil would leave it out.
func onlyOnce(f function, operands int) []*term {
	terms := make([]*term, operands)
	for i := range terms {
		terms[i] = refuse("the second derivative is not supported: " + f.String() + " is part of a gradient")
	}
	return terms
}
