package graph

import (
	"fmt"

	"github.com/chewxy/hm"
	"gorgonia.org/gather/internal/elem"
	G "gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

// Operand is what an operator knows of an input, or of its result, when it is built.
type Operand struct {
	Rank  int
	Dtype tensor.Dtype
}

// OperandOf describes a node.
func OperandOf(n *G.Node) Operand { return Operand{n.Dims(), n.Dtype()} }

// OperandsOf describes nodes.
func OperandsOf(nodes ...*G.Node) []Operand {
	operands := make([]Operand, len(nodes))
	for i, n := range nodes {
		operands[i] = OperandOf(n)
	}
	return operands
}

// Type is the type of such a node: a tensor's, or the bare element type of a
// scalar.
func (o Operand) Type() hm.Type {
	if o.Rank == 0 {
		return o.Dtype
	}
	return G.TensorType{Dims: o.Rank, Of: o.Dtype}
}

// String is the dtype and the rank.
func (o Operand) String() string { return fmt.Sprintf("%v/%d", o.Dtype, o.Rank) }

// Differentiable tells whether an operator's operand is of a dtype that has
// gradients, which integers and strings have not.
func Differentiable(op operator, operand int) bool {
	return elem.IsDifferentiable(op.common().description.Operands[operand].Dtype)
}
