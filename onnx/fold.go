package onnx

import (
	"slices"

	"github.com/pkg/errors"
	"gorgonia.org/gather/internal/opset"
	"gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

// Exporters leave the arithmetic on shapes in their models, as nodes: the batch
// size of an input goes by way of Shape, Gather, Unsqueeze and Concat into the
// shape of a Reshape. Graphs of Gorgonia have fixed shapes, so that all of it is
// known when the graph is built, and must be.

// foldedOperators are ONNX's operators that are computed when the graph is built,
// if all their inputs are known integers or bools. Others have no part in the
// arithmetic of shapes: an operator that draws random numbers, say, must not be
// run once and for all.
var foldedOperators = map[string]bool{
	"Gather": true, "Slice": true, "Unsqueeze": true, "Squeeze": true, "Concat": true, "Split": true, "Cast": true,
	"Reshape": true, "Flatten": true, "Transpose": true, "Expand": true,
	"Add": true, "Sub": true, "Mul": true, "Div": true, "Neg": true, "Abs": true, "Pow": true, "Mod": true, "Min": true, "Max": true,
	"ReduceSum": true, "ReduceProd": true, "ReduceMin": true, "ReduceMax": true,
	"Equal": true, "Less": true, "Greater": true, "LessOrEqual": true, "GreaterOrEqual": true,
	"Not": true, "And": true, "Or": true, "Xor": true, "Where": true, "Trilu": true, "CumSum": true, "Clip": true,
}

// maxFolded bounds the number of elements of a value that is folded: shapes are small,
// and ranges of positions not very large. Larger values are computed by the run.
const maxFolded = 1 << 16

// foldable tells whether a value may go into the arithmetic of shapes.
func (v *binding) foldable() bool {
	if v == nil {
		return true
	}
	if v.known == nil || v.known.Shape().TotalSize() > maxFolded {
		return false
	}
	switch v.known.Dtype() {
	case tensor.Bool, tensor.Int32, tensor.Int64:
		return true
	}
	return false
}

// fold computes a node whose inputs are known. Otherwise done is false, and the node is
// computed by the run.
func (b *builder) fold(n *modelNode, inputs []*binding) (done bool, err error) {
	if n.domain != "" || len(inputs) == 0 || !foldedOperators[n.opType] ||
		slices.ContainsFunc(inputs, func(v *binding) bool { return !v.foldable() }) {
		return false, nil
	}
	g := gorgonia.NewGraph()
	nodes := make([]*gorgonia.Node, len(inputs))
	for i, v := range inputs {
		if v == nil {
			continue
		}
		// A builder reads what it is given, and nothing writes to it.
		nodes[i] = inputNode(g, v.name, v.known.Dtype(), v.known.Shape())
		if err := gorgonia.Let(nodes[i], v.known); err != nil {
			return false, errors.WithStack(err)
		}
	}
	out, _, err := b.call(n, nodes, nil)
	if err != nil {
		return false, err
	}
	results, values := make([]*tensor.Dense, len(out)), computed{}
	for i, node := range out {
		if i >= len(n.outputs) || n.outputs[i] == "" || node == nil {
			continue
		}
		if node.Shape().TotalSize() > maxFolded {
			return false, nil
		}
		if err := checkRank(node.Shape()); err != nil {
			return false, err
		}
		if err := takeTensor(b.settings.budget, node.Dtype(), node.Shape()); err != nil {
			return false, err
		}
		v, err := values.of(node)
		if err != nil {
			return false, err
		}
		if results[i], err = opset.AsDense(v); err != nil {
			return false, err
		}
	}
	for _, v := range inputs {
		if v != nil {
			v.folded = true
		}
	}
	for i, d := range results {
		if d != nil {
			b.constant(n.outputs[i], d)
		}
	}
	return true, nil
}
