package onnx

import (
	"fmt"

	"github.com/pkg/errors"
	"gorgonia.org/gather/dense"
	"gorgonia.org/gather/internal/fault"
)

// What a build keeps beside the elements of its values, in bytes, each somewhat
// more than was measured. A file of a few megabytes can have some hundred thousand
// values of one element each, which would take a hundred times what their elements
// do.
const (
	nameBytes    = 64   // each name in the lists of a node
	valueBytes   = 768  // each name that has a value: the tables it stands in, the header of a tensor
	nodeBytes    = 2560 // a node of the graph, its operator and what describes it
	operandBytes = 640  // each operand of an operator
)

// takeNames counts the names of a node, before lists are made of them and before a
// builder makes a graph's nodes of its inputs.
func (b *builder) takeNames(n *modelNode) error {
	if len(n.inputs) > maxNodes {
		return errors.Errorf("%d inputs, more than the %d nodes that a graph may get", len(n.inputs), maxNodes)
	}
	names := len(n.inputs) + len(n.outputs)
	err := b.settings.budget.Take(nameBytes*uint64(names), func() string { return fmt.Sprintf("a node of %d names", names) })
	if err != nil {
		return err
	}
	return b.takeValues(len(n.outputs))
}

// takeValues counts so many values without their elements.
func (b *builder) takeValues(n int) error {
	return b.settings.budget.Take(valueBytes*uint64(n), func() string { return "what is kept of a value" })
}

// takeNode counts a node of the graph without the elements of its value.
func (b *builder) takeNode(operands int) error {
	if b.nodes--; b.nodes < 0 {
		return errors.Errorf("more nodes than the %d that a graph may get", maxNodes)
	}
	return b.settings.budget.Take(nodeBytes+operandBytes*uint64(operands), func() string { return "a node of the graph" })
}

// checkRank refuses a result of many axes. A Gather adds the axes of its indices to
// those of data: a thousand in a row would make shapes of 63 thousand axes.
func checkRank(shape []int) error {
	if len(shape) > maxRank {
		return fault.Errorf(dense.ErrShape, "a result of %d axes, at most %d are allowed", len(shape), maxRank)
	}
	return nil
}
