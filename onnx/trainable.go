package onnx

import (
	"gorgonia.org/gather/internal/opset"
	"gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

// Trainable are the nodes of the initializers to train, in the model's order, for
// gorgonia.Grad and a solver; [Model.Write] writes their new values.
//
// PyTorch's exporter writes which initializers were parameters, and from which others are
// computed. Trained is what was a parameter, or is one with its axes or its rows in another
// order: a transposed weight named val_0, and the weights of LSTM, GRU and RNN. A buffer is
// not. [Graph.Untrained] lists the parameters for which training differs from PyTorch's.
//
// For a file without these notes it is every initializer of at least one axis, and constants
// may be among them, such as masks, tables of positions and pixel means: choose by name, with
// [Graph.Constant].
//
// All of them are float or double, and have a gradient.
func (b *Graph) Trainable() gorgonia.Nodes {
	if b == nil || b.training == nil {
		return nil
	}
	reached := b.reached()
	var nodes gorgonia.Nodes
	for _, p := range b.Constants {
		if b.weights[p.Name] == p.Node && reached[p.Node] && b.training.chosen(p.Name, p.Shape) {
			nodes = append(nodes, p.Node)
		}
	}
	return nodes
}

// reached are the floats that outputs depend on smoothly.
func (b *Graph) reached() map[*gorgonia.Node]bool {
	reached := map[*gorgonia.Node]bool{}
	for _, p := range b.Outputs {
		reach(p.Node, reached)
	}
	return reached
}

// reach notes the floats that a node depends on smoothly, itself included.
func reach(n *gorgonia.Node, reached map[*gorgonia.Node]bool) {
	d, err := opset.DescribeNode(n)
	if err != nil || reached[n] || d.Dtype != tensor.Float32 && d.Dtype != tensor.Float64 {
		return
	}
	reached[n] = true
	op, ok := n.Op().(gorgonia.SDOp)
	if !ok {
		return
	}
	children := n.Graph().From(n.ID())
	smooth := op.DiffWRT(children.Len())
	for i := 0; children.Next(); i++ {
		if child, ok := children.Node().(*gorgonia.Node); ok && i < len(smooth) && smooth[i] {
			reach(child, reached)
		}
	}
}
