package onnx

import (
	"github.com/pkg/errors"
	"gorgonia.org/gather/internal/fault"
	"gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

// A binding is what a name of the model stands for in a build: a node, or a value
// that is known before the graph runs, for which a node is made when an operator
// needs one. A node that no operator uses would be a loose end, and LispMachine
// takes those for costs.
type binding struct {
	name   string
	node   *gorgonia.Node
	known  *tensor.Dense // nil where only a run tells
	folded bool          // the value went into others that are known
	weight bool          // it is an initializer
	packed *packedInts   // numbers of 4 bits, or nil

	unpacked *binding // the same as elements, where packed ones are needed so
}

func (v *binding) shape() tensor.Shape {
	if v.known != nil {
		return v.known.Shape()
	}
	return v.node.Shape()
}

func (v *binding) dtype() tensor.Dtype {
	if v.known != nil {
		return v.known.Dtype()
	}
	return v.node.Dtype()
}

// constant binds a name to a value, whose memory has been taken from the budget.
func (b *builder) constant(name string, d *tensor.Dense) *binding {
	v := &binding{name: name, known: d}
	b.values[name] = v
	b.constants = append(b.constants, v)
	return v
}

// nodeOf is the node of a binding.
func (b *builder) nodeOf(v *binding) (*gorgonia.Node, error) {
	if v.node == nil {
		n, err := b.newNode(v.name, v.known.Dtype(), v.known.Shape())
		if err != nil {
			return nil, err
		}
		if err := gorgonia.Let(n, trainable(v.known)); err != nil {
			return nil, errors.Wrapf(err, "value of %q", fault.Cut(v.name))
		}
		v.node = n
	}
	return v.node, nil
}

// trainable is the value of an initializer as solvers take it: those of Gorgonia panic
// where the gradient of a scalar is a Gorgonia scalar and its value a tensor.
func trainable(d *tensor.Dense) gorgonia.Value {
	if len(d.Shape()) > 0 {
		return d
	}
	switch d.Dtype() {
	case tensor.Float32:
		return gorgonia.NewF32(first[float32](d))
	case tensor.Float64:
		return gorgonia.NewF64(first[float64](d))
	}
	return d
}

// nodesOf are the nodes of a node's inputs, nil for those that are left out.
func (b *builder) nodesOf(inputs []*binding) ([]*gorgonia.Node, error) {
	nodes := make([]*gorgonia.Node, len(inputs))
	for i, v := range inputs {
		if v == nil {
			continue
		}
		var err error
		if nodes[i], err = b.nodeOf(v); err != nil {
			return nil, err
		}
	}
	return nodes, nil
}

// inputs finds what a node's inputs stand for. An empty name is an optional input
// that is left out.
func (b *builder) inputs(n *modelNode) ([]*binding, error) {
	inputs := make([]*binding, len(n.inputs))
	for i, name := range n.inputs {
		if name == "" {
			continue
		}
		v, ok := b.values[name]
		if !ok {
			return nil, errors.Errorf("input %q is given by no earlier node, input or initializer", fault.Cut(name))
		}
		if v.packed != nil {
			var err error
			if v, err = b.packed(n, i, v); err != nil {
				return nil, err
			}
		}
		inputs[i] = v
	}
	return inputs, nil
}

// ports lists the constants that the graph has, in the model's order, and those
// whose values cannot be changed any more.
func (b *builder) ports() {
	b.built.fixed, b.built.weights = map[string]bool{}, map[string]*gorgonia.Node{}
	for _, v := range b.constants {
		if v.folded {
			b.built.fixed[v.name] = true
		}
		if v.node != nil && v.weight {
			b.built.weights[v.name] = v.node
		}
		if v.node != nil {
			value := Value{Name: v.name, Dtype: v.known.Dtype(), Shape: v.known.Shape().Clone()}
			b.built.Constants = append(b.built.Constants, Port{Value: value, Node: v.node})
		}
	}
}
