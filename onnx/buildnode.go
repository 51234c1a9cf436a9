package onnx

import (
	"github.com/pkg/errors"
	"gorgonia.org/gather/dense"
	"gorgonia.org/gather/internal/fault"
	"gorgonia.org/gather/internal/graph"
	"gorgonia.org/gather/internal/opset"
	"gorgonia.org/gorgonia"
)

// node adds what one node of the model computes. Errors of a run have its place.
func (b *builder) node(n *modelNode, place func(error) error) error {
	if n.domain == "" && b.model.opset == 0 {
		return errors.New("the model imports no version of ONNX's operator set")
	}
	if err := b.takeNames(n); err != nil {
		return err
	}
	inputs, err := b.inputs(n)
	if err != nil {
		return err
	}
	if _, given := b.settings.operators[n.operator()]; !given {
		switch {
		case n.opType == "Constant":
			return b.constantNode(n)
		case n.opType == "Identity":
			return b.identity(n, inputs)
		case knownOperators[n.opType] != nil:
			return b.knownNode(n, inputs)
		}
	}
	if done, err := b.fold(n, inputs); done || err != nil {
		return err
	}
	nodes, err := b.nodesOf(inputs)
	if err != nil {
		return err
	}
	out, fourBits, err := b.call(n, nodes, packedOf(inputs))
	if err != nil {
		return err
	}
	for i, name := range n.outputs {
		if i >= len(out) || out[i] == nil || name == "" {
			continue
		}
		if err := b.take(out[i], name, place); err != nil {
			return err
		}
		b.values[name] = &binding{name: name, node: out[i], packed: fourBits}
	}
	return nil
}

// onlyOutput is the one output that an operator of this package has.
func (b *builder) onlyOutput(n *modelNode) (string, error) {
	if len(n.outputs) != 1 || n.outputs[0] == "" {
		return "", fault.Errorf(dense.ErrShape, "%d outputs, the operator has one", len(n.outputs))
	}
	return n.outputs[0], nil
}

// constantNode binds the value of a Constant.
func (b *builder) constantNode(n *modelNode) error {
	out, err := b.onlyOutput(n)
	if err != nil {
		return err
	}
	d, err := constant(n, b.model.opset, b.settings.budget)
	if err != nil {
		return err
	}
	b.constant(out, d)
	return nil
}

// call adds the operator of a node to the graph of its inputs, of which some may
// be of 4 bits. fourBits says that the outputs are.
func (b *builder) call(n *modelNode, inputs []*gorgonia.Node, packed []*packedInts) (out []*gorgonia.Node, fourBits *packedInts, err error) {
	node, err := n.node(b.opsets, b.settings.budget)
	if err != nil {
		return nil, nil, err
	}
	if build, given := b.settings.operators[n.operator()]; given {
		if fourBits, err = quantized(node, packed); err == nil {
			out, err = b.custom(build, node, inputs)
		}
		return out, fourBits, err
	}
	if _, err := b.onlyOutput(n); err != nil {
		return nil, nil, err
	}
	add := Apply
	if packed != nil {
		add = func(node Node, inputs ...*gorgonia.Node) (*gorgonia.Node, error) {
			return applyPacked(node, inputs, packed)
		}
	}
	y, err := add(node, inputs...)
	return []*gorgonia.Node{y}, nil, err
}

// take counts the memory of a node that is new, and gives it the name of the
// model's value: errors of a run name the operands of an operator, and Gorgonia's
// own names are numbers.
func (b *builder) take(n *gorgonia.Node, name string, place func(error) error) error {
	if b.counted[n] {
		return nil
	}
	if err := b.count(n, place); err != nil {
		return err
	}
	gorgonia.WithName(b.unique(name))(n)
	return nil
}

// count takes the memory of a node from the budget, and that of nodes below it
// that are as new: a TensorScatter makes two. Nothing has been allocated for them
// yet. A run would, and its errors get the place.
func (b *builder) count(n *gorgonia.Node, place func(error) error) error {
	b.counted[n] = true
	children := b.graph.From(n.ID())
	if err := b.takeNode(children.Len()); err != nil {
		return err
	}
	graph.Place(n, place)
	if err := checkRank(n.Shape()); err != nil {
		return err
	}
	if err := takeTensor(b.settings.budget, n.Dtype(), n.Shape()); err != nil {
		return err
	}
	for children.Next() {
		if child, ok := children.Node().(*gorgonia.Node); ok && !b.counted[child] {
			if err := b.count(child, place); err != nil {
				return err
			}
		}
	}
	return nil
}

// identity lets a name stand for what another one stands for.
func (b *builder) identity(n *modelNode, inputs []*binding) error {
	out, err := b.onlyOutput(n)
	if err != nil {
		return err
	}
	c, err := specification.Call("Identity", b.model.opset)
	if err != nil {
		return err
	}
	if len(inputs) != 1 || inputs[0] == nil {
		return fault.Errorf(dense.ErrShape, "%s: one input is allowed", c.Name())
	}
	if len(n.attributes) != 0 {
		return fault.Errorf(dense.ErrOption, "%s: no attribute is allowed", c.Name())
	}
	b.values[out] = inputs[0]
	return c.CheckDtype(opset.Parameter{Name: "input"}, inputs[0].dtype())
}
