package onnx

import (
	"slices"

	"github.com/pkg/errors"
	"gorgonia.org/gather/dense"
	"gorgonia.org/gather/internal/fault"
	"gorgonia.org/gather/internal/opset"
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
	Constants []Port // the initializers and Constants that operators use, with their values bound

	// The indices of Inputs, Outputs and Constants by name: a search through a list of
	// thousands for each value that is bound would take long.
	inputs, outputs, constants map[string]int

	fixed    map[string]bool            // the constants whose values went into shapes
	weights  map[string]*gorgonia.Node  // the initializers among the constants
	training *training                  // what the file says about them, nil in a Graph that a user has made
	reads    map[string]*gorgonia.Value // where runs put the outputs that operators give
}

// A Port is an input, an output or a constant of a model with its node.
type Port struct {
	Value
	Node *gorgonia.Node
}

// Input returns the node of that input, nil if there is none.
func (b *Graph) Input(name string) *gorgonia.Node {
	if b == nil {
		return nil
	}
	return find(b.Inputs, b.inputs, name)
}

// Output returns the node of that output, nil if there is none.
func (b *Graph) Output(name string) *gorgonia.Node {
	if b == nil {
		return nil
	}
	return find(b.Outputs, b.outputs, name)
}

// Constant returns the node of that initializer or of the Constant with that
// output, nil if there is none: an embedding table to train, say.
func (b *Graph) Constant(name string) *gorgonia.Node {
	if b == nil {
		return nil
	}
	return find(b.Constants, b.constants, name)
}

// places are those of the ports by name.
func places(ports []Port) map[string]int {
	m := make(map[string]int, len(ports))
	for i, p := range ports {
		m[p.Name] = i
	}
	return m
}

// find returns the node of the port of that name, whose place Build has noted. A
// Graph that a user has made or changed has no such note, or a wrong one.
func find(ports []Port, places map[string]int, name string) *gorgonia.Node {
	i, ok := places[name]
	switch {
	case ok && i < len(ports) && ports[i].Name == name:
		return ports[i].Node
	case !ok && len(places) == len(ports):
		return nil
	}
	for _, p := range ports {
		if p.Name == name {
			return p.Node
		}
	}
	return nil
}

// Let binds a value to an input, or another value to a constant. Its dtype and
// shape must be those of the node.
func (b *Graph) Let(name string, value *tensor.Dense) error {
	if b == nil {
		return errors.New("onnx: Let of a nil Graph")
	}
	n := b.Input(name)
	if n == nil {
		n = b.Constant(name)
	}
	if b.fixed[name] {
		return errors.Errorf("onnx: constant %q: its value has been used when the graph was built, and cannot be changed", fault.Cut(name))
	}
	if n == nil {
		return errors.Errorf("onnx: the model has no input %q, its inputs are %s", fault.Cut(name), portNames(b.Inputs))
	}
	return errors.WithMessagef(let(n, value), "onnx: input %q", fault.Cut(name))
}

func let(n *gorgonia.Node, value *tensor.Dense) error {
	want, err := opset.DescribeNode(n)
	if err != nil {
		return err
	}
	if err := sameKind(value, want.Dtype, want.Shape); err != nil {
		return err
	}
	return errors.WithStack(gorgonia.Let(n, value))
}

// sameKind demands a value of a dtype and shape.
func sameKind(value *tensor.Dense, dt tensor.Dtype, shape tensor.Shape) error {
	got, err := opset.DescribeTensor(value)
	switch {
	case err != nil:
		return errors.WithMessage(err, "the value")
	case !got.Given:
		return errors.New("the value is nil")
	case got.Dtype != dt:
		return fault.Errorf(dense.ErrDtype, "it is of type %s, the value of type %s", dtypeName(dt), dtypeName(got.Dtype))
	// Gorgonia's own check takes a column (3, 1) for a vector (3).
	case !slices.Equal(got.Shape, shape):
		return fault.Errorf(dense.ErrShape, "it has shape %s, the value %s%s",
			fault.Shape(shape), fault.Shape(got.Shape), fault.ScalarHint(got.Shape, shape))
	}
	return nil
}

// Value returns an output of the model after a run. Build adds a gorgonia.Read for it, so
// that it is right even if an operator of Gorgonia that is applied to the output
// overwrites it, as Sub of a constant does. The tensor belongs to the graph, and the next
// run writes to it; if the output is an input or a constant, it is that tensor.
func (b *Graph) Value(output string) (*tensor.Dense, error) {
	if b == nil {
		return nil, errors.New("onnx: Value of a nil Graph")
	}
	n := b.Output(output)
	if n == nil {
		return nil, errors.Errorf("onnx: the model has no output %q, its outputs are %s", fault.Cut(output), portNames(b.Outputs))
	}
	value := n.Value()
	if held := b.reads[output]; held != nil {
		value = *held
	}
	if value == nil {
		return nil, errors.Errorf("onnx: output %q has no value, no machine has run", fault.Cut(output))
	}
	d, err := opset.AsDense(value)
	return d, errors.WithMessagef(err, "onnx: output %q", fault.Cut(output))
}

// portNames lists the ports for an error.
func portNames(ports []Port) string {
	var list []string
	for _, p := range ports[:min(opset.Shown+1, len(ports))] {
		list = append(list, p.Name)
	}
	return "[" + opset.List(list) + "]"
}
