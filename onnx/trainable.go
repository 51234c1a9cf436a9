package onnx

import (
	"gorgonia.org/gather/dense"
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
// They are the weights that any output of the model depends on or, if costs are given, any of
// these: Grad refuses a weight that its cost does not depend on. All of them are float or double,
// and have a gradient: nothing of 16 bits is between, as it is in w.half().float().
func (b *Graph) Trainable(costs ...*gorgonia.Node) gorgonia.Nodes {
	if b == nil || b.training == nil {
		return nil
	}
	reached := reach(costs...)
	if len(costs) == 0 {
		reached = b.reached()
	}
	var nodes gorgonia.Nodes
	for _, p := range b.Constants {
		if b.weights[p.Name] == p.Node && reached.trains(p.Node) && b.training.chosen(p.Name, p.Shape) {
			nodes = append(nodes, p.Node)
		}
	}
	return nodes
}

// reaching are the floats that outputs depend on smoothly: by way of floats of 32 and 64 bits
// alone, and by way of narrow ones, which have no gradients here. A node may be among both.
type reaching struct {
	wide   map[*gorgonia.Node]bool
	narrow map[*gorgonia.Node]string // by the name of the narrow type
}

// reached are the floats that outputs of the model depend on.
func (b *Graph) reached() reaching {
	outputs := make(gorgonia.Nodes, len(b.Outputs))
	for i, p := range b.Outputs {
		outputs[i] = p.Node
	}
	return reach(outputs...)
}

func reach(nodes ...*gorgonia.Node) reaching {
	r := reaching{map[*gorgonia.Node]bool{}, map[*gorgonia.Node]string{}}
	for _, n := range nodes {
		r.reach(n, "")
	}
	return r
}

// trains tells whether all ways to a node are gradients'.
func (r reaching) trains(n *gorgonia.Node) bool { return r.wide[n] && r.narrow[n] == "" }

// reach notes the floats that a node depends on smoothly, itself included. narrow is the type
// of a float of 16 bits on the way to it.
func (r reaching) reach(n *gorgonia.Node, narrow string) {
	d, err := opset.DescribeNode(n)
	if err != nil {
		return
	}
	switch d.Dtype {
	case dense.Float16, dense.BFloat16:
		narrow = dtypeName(d.Dtype)
	case tensor.Float32, tensor.Float64:
	default:
		return
	}
	switch {
	case narrow == "" && r.wide[n], narrow != "" && r.narrow[n] != "":
		return
	case narrow == "":
		r.wide[n] = true
	default:
		r.narrow[n] = narrow
	}
	op, ok := n.Op().(gorgonia.SDOp)
	if !ok || !inGraph(n) {
		return
	}
	operands := children(n)
	smooth := op.DiffWRT(len(operands))
	for i, operand := range operands {
		if i < len(smooth) && smooth[i] {
			r.reach(operand, narrow)
		}
	}
}
