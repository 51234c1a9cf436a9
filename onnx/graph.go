package onnx

import (
	"github.com/pkg/errors"
	"gorgonia.org/gather/dense"
	"gorgonia.org/gather/shapes"
	"gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

// A Graph is a model built into a graph: which nodes are its inputs, its
// constants and its outputs. To run it, bind a value to every input, run a
// machine made for the graph, and read the outputs:
//
//	built, err := model.Build(g)
//	err = built.Let("x", x)
//	machine := gorgonia.NewTapeMachine(g)
//	err = machine.RunAll()
//	y, err := built.Value("y")
//
// Between runs other values may be bound, and machine.Reset must be called.
type Graph struct {
	Inputs    []Port // in the model's order
	Outputs   []Port // in the model's order
	Constants []Port // initializers and Constants, with their values bound
}

// A Port is an input, an output or a constant of a model with its node.
type Port struct {
	Value
	Node *gorgonia.Node
}

// Input returns the node of that input, nil if there is none.
func (b *Graph) Input(name string) *gorgonia.Node { return find(b.Inputs, name) }

// Output returns the node of that output, nil if there is none.
func (b *Graph) Output(name string) *gorgonia.Node { return find(b.Outputs, name) }

func find(ports []Port, name string) *gorgonia.Node {
	for _, p := range ports {
		if p.Name == name {
			return p.Node
		}
	}
	return nil
}

// Constant returns the node of that initializer or of the Constant with that
// output, nil if there is none: an embedding table to train, say.
func (b *Graph) Constant(name string) *gorgonia.Node { return find(b.Constants, name) }

// Let binds a value to an input, or another value to a constant. Its dtype and
// shape must be those of the node.
func (b *Graph) Let(name string, value *tensor.Dense) error {
	n := b.Input(name)
	if n == nil {
		n = b.Constant(name)
	}
	if n == nil {
		return errors.Errorf("onnx: the model has no input %q, its inputs are %v", name, portNames(b.Inputs))
	}
	if value == nil {
		return errors.Errorf("onnx: input %q: the value is nil", name)
	}
	if value.Dtype() != n.Dtype() {
		return errors.Wrapf(dense.ErrDtype, "onnx: input %q is of type %s, the value of type %s",
			name, dtypeName(n.Dtype()), dtypeName(value.Dtype()))
	}
	// Gorgonia's own check takes a column (3, 1) for a vector (3).
	if !shapes.Equal(value.Shape(), n.Shape()) {
		return errors.Wrapf(dense.ErrShape, "onnx: input %q has shape %v, the value %v", name, n.Shape(), value.Shape())
	}
	return errors.Wrapf(gorgonia.Let(n, value), "onnx: input %q", name)
}

// Value returns what an output holds after a run. It is the machine's own
// tensor and not a copy; where the output is an input or a constant handed
// through, it is that one's.
func (b *Graph) Value(output string) (*tensor.Dense, error) {
	n := b.Output(output)
	if n == nil {
		return nil, errors.Errorf("onnx: the model has no output %q, its outputs are %v", output, portNames(b.Outputs))
	}
	if n.Value() == nil {
		return nil, errors.Errorf("onnx: output %q has no value, no machine has run", output)
	}
	d, err := asDense(n.Value())
	return d, errors.WithMessagef(err, "onnx: output %q", output)
}

// asDense is a graph's value as a tensor. Gorgonia has types of its own for
// scalars of the dtypes it computes with.
func asDense(v gorgonia.Value) (*tensor.Dense, error) {
	switch v := v.(type) {
	case *tensor.Dense:
		return v, nil
	case gorgonia.Scalar:
		return tensor.New(tensor.FromScalar(v.Data())), nil
	}
	return nil, errors.Errorf("a %T is no tensor", v)
}

func portNames(ports []Port) []string {
	list := make([]string, len(ports))
	for i, p := range ports {
		list[i] = p.Name
	}
	return list
}
