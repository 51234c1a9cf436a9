package gathergonnx

import (
	pb "github.com/advancedclimatesystems/gonnx/onnx"
	"github.com/pkg/errors"
	"gorgonia.org/gather/dense"
	"gorgonia.org/gather/gonnx/internal/node"
	"gorgonia.org/gather/onnx"
	"gorgonia.org/tensor"
)

// inputs says how an operator is called: how many inputs it needs and takes at
// most, and which of them are its indices.
type inputs struct {
	least, most int
	indices     int
	int32       bool // indices may be int32, too
}

// family are the operators of package onnx.
var family = map[string]inputs{
	"Gather":          {least: 2, most: 2, indices: 1, int32: true},
	"GatherElements":  {least: 2, most: 2, indices: 1, int32: true},
	"GatherND":        {least: 2, most: 2, indices: 1},
	"Scatter":         {least: 3, most: 3, indices: 1, int32: true},
	"ScatterElements": {least: 3, most: 3, indices: 1, int32: true},
	"ScatterND":       {least: 3, most: 3, indices: 1},
	"TensorScatter":   {least: 2, most: 3, indices: 2},
}

// An operator is one of the family as gonnx calls it. What its version allows,
// and what it computes, is package onnx's to say.
type operator struct {
	opType string
	opset  int
	inputs
	call onnx.Node
}

// String is the operator's name.
func (op *operator) String() string { return op.opType }

// Init takes the node's attributes.
func (op *operator) Init(n *pb.NodeProto) error {
	if !node.IsONNX(n.GetDomain()) {
		return errors.Errorf("%s: the operator is ONNX's own, the node's is of domain %q", op.opType, n.GetDomain())
	}
	if len(n.GetOutput()) != 1 {
		return errors.Wrapf(dense.ErrShape, "%s: %d outputs, it has one", op.opType, len(n.GetOutput()))
	}
	attributes, err := node.Attributes(n)
	op.call = onnx.Node{OpType: op.opType, Opset: op.opset, Attributes: attributes}
	return errors.WithMessage(err, op.opType)
}

// Apply computes the operator.
func (op *operator) Apply(inputs []tensor.Tensor) ([]tensor.Tensor, error) {
	out, err := onnx.Eval(op.call, inputs...)
	if err != nil {
		return nil, err
	}
	return []tensor.Tensor{out}, nil
}

// ValidateInputs checks how many there are. Their types and shapes are checked by
// Apply, whose errors say which version would allow them.
func (op *operator) ValidateInputs(in []tensor.Tensor) ([]tensor.Tensor, error) {
	if len(in) < op.least || len(in) > op.most {
		return nil, errors.Wrapf(dense.ErrShape, "%s: %d inputs, it takes %s", op.opType, len(in), node.Span(op.least, op.most))
	}
	return in, nil
}

// GetMinInputs is the least number of inputs.
func (op *operator) GetMinInputs() int { return op.least }

// GetMaxInputs is the largest number of inputs.
func (op *operator) GetMaxInputs() int { return op.most }

// GetInputTypeConstraints lists the dtypes that some version of the operator
// takes, for each input.
func (op *operator) GetInputTypeConstraints() [][]tensor.Dtype {
	constraints := make([][]tensor.Dtype, op.most)
	for i := range constraints {
		switch {
		case i != op.indices:
			constraints[i] = node.Dtypes()
		case op.int32:
			constraints[i] = []tensor.Dtype{tensor.Int32, tensor.Int64}
		default:
			constraints[i] = []tensor.Dtype{tensor.Int64}
		}
	}
	return constraints
}
