package gathergonnx

import (
	pb "github.com/advancedclimatesystems/gonnx/onnx"
	"github.com/pkg/errors"
	"gorgonia.org/gather/dense"
	"gorgonia.org/gather/gonnx/internal/node"
	"gorgonia.org/gather/onnx"
	"gorgonia.org/tensor"
)

// gathers are the operators of package onnx.
var gathers = []string{"Gather", "GatherElements", "GatherND", "Scatter", "ScatterElements", "ScatterND", "TensorScatter"}

// An evaluated operator is one of package onnx or onnx/builders as gonnx calls it.
// What its version allows, and what it computes, is theirs to say.
type evaluated struct {
	call    onnx.Node
	outputs int // how many a node must have, 0 if that is open
	eval    func(n onnx.Node, inputs []tensor.Tensor) ([]*tensor.Dense, error)
}

// gather is one of the operators of package onnx.
func gather(opType string, opset int, l *limit) *evaluated {
	return &evaluated{call: onnx.Node{OpType: opType, Opset: opset}, outputs: 1, eval: func(n onnx.Node, inputs []tensor.Tensor) ([]*tensor.Dense, error) {
		out, err := l.evalGather(n, inputs)
		return []*tensor.Dense{out}, err
	}}
}

// String is the operator's name.
func (op *evaluated) String() string { return op.call.OpType }

// Init takes the node's attributes and outputs.
func (op *evaluated) Init(n *pb.NodeProto) error {
	if !node.IsONNX(n.GetDomain()) {
		return errors.Errorf("%s: the operator is ONNX's own, the node's is of domain %q", op.call.OpType, n.GetDomain())
	}
	if given := len(n.GetOutput()); op.outputs != 0 && given != op.outputs {
		return errors.Wrapf(dense.ErrShape, "%s: %d outputs, it has one", op.call.OpType, given)
	}
	attributes, err := node.Attributes(n)
	if err != nil {
		return errors.WithMessage(err, op.call.OpType)
	}
	for name, value := range attributes {
		if t, ok := value.(*pb.TensorProto); ok {
			if attributes[name], err = readTensor(t); err != nil {
				return errors.WithMessagef(err, "%s: attribute %q", op.call.OpType, name)
			}
		}
	}
	op.call.Attributes, op.call.Inputs, op.call.Outputs = attributes, n.GetInput(), n.GetOutput()
	return nil
}

// Apply computes the operator.
func (op *evaluated) Apply(inputs []tensor.Tensor) ([]tensor.Tensor, error) {
	out, err := op.eval(op.call, inputs)
	if err != nil {
		return nil, err
	}
	list := make([]tensor.Tensor, len(out))
	for i, d := range out {
		if d != nil {
			list[i] = d
		}
	}
	return list, nil
}

// ValidateInputs leaves everything to what computes the operator, whose errors say
// which version would allow it.
func (op *evaluated) ValidateInputs(in []tensor.Tensor) ([]tensor.Tensor, error) { return in, nil }

// GetMinInputs is 0: they are counted where the operator is computed.
func (op *evaluated) GetMinInputs() int { return 0 }

// GetMaxInputs is more than any node has.
func (op *evaluated) GetMaxInputs() int { return 1 << 30 }

// GetInputTypeConstraints is nil: dtypes are checked there, too.
func (op *evaluated) GetInputTypeConstraints() [][]tensor.Dtype { return nil }
