package builders

import (
	"github.com/pkg/errors"
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

// An evaluation works terms out, as nodes of a graph or on tensors. It keeps what
// it has worked out, for one term may be part of several: the operands of an LSTM
// have their gradients from one pass backwards.
type evaluation[T any] struct {
	inputs       []T
	output, grad T
	call         func(function, []T) (T, error)
	done         map[*term]T
}

func (e *evaluation[T]) of(t *term) (T, error) {
	var none T
	if t.function == nil {
		switch t.leaf {
		case gradient:
			return e.grad, nil
		case result:
			return e.output, nil
		case refused:
			return none, errors.New(t.refusal)
		}
		return e.inputs[t.leaf], nil
	}
	if v, ok := e.done[t]; ok {
		return v, nil
	}
	args := make([]T, len(t.args))
	for i, a := range t.args {
		var err error
		if args[i], err = e.of(a); err != nil {
			return none, err
		}
	}
	v, err := e.call(t.function, args)
	if err != nil {
		return none, err
	}
	e.done[t] = v
	return v, nil
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
