package graph

import (
	"fmt"
	"strconv"

	"github.com/chewxy/hm"
	"gorgonia.org/gather/internal/elem"
	G "gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

// Operand is what an operator knows of an input, or of its result, when it is built.
type Operand struct {
	Argument string // what errors call it; of a result, and of some inputs, empty
	Rank     int
	Dtype    tensor.Dtype
}

// OperandOf describes a node.
func OperandOf(n *G.Node) Operand { return Operand{Rank: n.Dims(), Dtype: n.Dtype()} }

// OperandsOf describes nodes, given as the arguments of these names.
func OperandsOf(arguments []string, nodes ...*G.Node) []Operand {
	operands := make([]Operand, len(nodes))
	for i, n := range nodes {
		operands[i] = OperandOf(n)
		operands[i].Argument = arguments[i]
	}
	return operands
}

// Operands describes the arguments of an API function, which it checks as Nodes does.
func Operands(op string, arguments []string, nodes ...*G.Node) ([]Operand, error) {
	if err := Nodes(op, arguments, nodes...); err != nil {
		return nil, err
	}
	return OperandsOf(arguments, nodes...), nil
}

// argument is what errors call an operand of an operator.
func argument(op G.Op, i int) string {
	if op, ok := op.(operator); ok {
		if operands := op.common().description.Operands; i < len(operands) && operands[i].Argument != "" {
			return operands[i].Argument
		}
	}
	return fmt.Sprint("input ", i)
}

// Type is the type of such a node: a tensor's, or the bare element type of a
// scalar.
func (o Operand) Type() hm.Type {
	if o.Rank == 0 {
		return o.Dtype
	}
	return G.TensorType{Dims: o.Rank, Of: o.Dtype}
}

// String is the dtype and the rank. Operators hash by it: the name of the argument
// serves errors alone.
func (o Operand) String() string { return o.Dtype.Name() + "/" + strconv.Itoa(o.Rank) }

// Differentiable tells whether an operator's operand is of a dtype that has
// gradients, which integers and strings have not.
func Differentiable(op operator, operand int) bool {
	return elem.IsDifferentiable(op.common().description.Operands[operand].Dtype)
}
