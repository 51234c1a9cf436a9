package diff

import (
	"gorgonia.org/gather/internal/graph"
	G "gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

// do runs an operator on tensors, into prealloc if there is one.
func do(op G.Op, prealloc G.Value, inputs []G.Value, run func(dst *tensor.Dense, in []tensor.Tensor) (*tensor.Dense, error)) (G.Value, error) {
	var in graph.Inputs
	defer in.Release()
	t, err := in.Read(op, inputs)
	if err != nil {
		return nil, err
	}
	if prealloc == nil {
		made, err := run(nil, t)
		if err != nil {
			return nil, err
		}
		return graph.Value(made), nil
	}
	var out graph.Output
	dst, err := out.Take(op, prealloc)
	if err != nil {
		return nil, err
	}
	_, err = run(dst, t)
	return out.Give(err)
}

// withGradient runs the backward pass of an operator on LispMachine, with the
// gradient that the output holds and the values of the inputs.
func withGradient(op G.Op, inputs G.Nodes, output *G.Node, run func(grad *tensor.Dense, in []tensor.Tensor) error) error {
	grad, release, err := graph.Gradient(output, output.Value().Shape())
	if err != nil {
		return err
	}
	defer release()
	var in graph.Inputs
	defer in.Release()
	t, err := in.Read(op, graph.Values(inputs))
	if err != nil {
		return err
	}
	return run(grad, t)
}

// accumulate adds to the gradients of the inputs, where there is something to
// add.
func accumulate(inputs G.Nodes, gradients []*tensor.Dense) error {
	for i, d := range gradients {
		if d == nil {
			continue
		}
		if err := graph.Accumulate(inputs[i], graph.Value(d)); err != nil {
			return err
		}
	}
	return nil
}
