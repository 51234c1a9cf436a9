package graph

import (
	"github.com/pkg/errors"
	"gorgonia.org/gather/internal/fault"
	G "gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

// CheckSymDiff refuses inputs and a gradient that SymDiff cannot work on.
func CheckSymDiff(op G.Op, inputs G.Nodes, grad *G.Node) error {
	if err := checkInputs(op, inputs); err != nil {
		return err
	}
	arguments := []string{"the gradient"}
	for i := range inputs {
		arguments = append(arguments, argument(op, i))
	}
	if err := Nodes(op.String(), arguments, append(G.Nodes{grad}, inputs...)...); err != nil {
		return err
	}
	_, err := fits(op, inputs)
	return err
}

// checkDoDiff refuses inputs and an output that DoDiff cannot work on.
func checkDoDiff(op G.Op, inputs G.Nodes, output *G.Node) error {
	if output == nil || output.Value() == nil {
		return errors.Errorf("%v: the output has no value", fault.Operator(op))
	}
	return checkInputs(op, inputs)
}

func checkInputs(op G.Op, inputs G.Nodes) error {
	if len(inputs) != op.Arity() {
		return errors.Errorf("%v: %d inputs, %d are needed", fault.Operator(op), len(inputs), op.Arity())
	}
	for i, n := range inputs {
		if n == nil {
			return errors.Errorf("%v: %s is nil", fault.Operator(op), argument(op, i))
		}
	}
	return nil
}

// Backward runs the backward pass of an operator on LispMachine, with the
// gradient that the output holds and the values of the inputs.
func Backward(op G.Op, inputs G.Nodes, output *G.Node, run func(grad *tensor.Dense, in []tensor.Tensor) error) error {
	if err := checkDoDiff(op, inputs, output); err != nil {
		return err
	}
	grad, release, err := Gradient(output, output.Value().Shape())
	if err != nil {
		return err
	}
	defer release()
	var in Inputs
	defer in.Release()
	t, err := in.Read(op, Values(inputs))
	if err != nil {
		return err
	}
	return Explain(op, run(grad, t))
}

// AccumulateAll adds to the gradients of the inputs, where there is something to
// add.
func AccumulateAll(inputs G.Nodes, gradients []tensor.Tensor) error {
	for i, d := range gradients {
		if d == nil {
			continue
		}
		if err := Accumulate(inputs[i], Value(d.(*tensor.Dense))); err != nil {
			return err
		}
	}
	return nil
}
