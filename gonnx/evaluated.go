package gathergonnx

import (
	"slices"

	pb "github.com/advancedclimatesystems/gonnx/onnx"
	"github.com/advancedclimatesystems/gonnx/ops"
	"github.com/pkg/errors"
	"gorgonia.org/gather/dense"
	"gorgonia.org/gather/gonnx/internal/node"
	"gorgonia.org/gather/onnx"
	"gorgonia.org/gather/onnx/builders"
	"gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

// onnxOperators are the operators of package onnx.
var onnxOperators = []string{
	"Gather", "GatherElements", "GatherND", "Scatter", "ScatterElements", "ScatterND", "TensorScatter",
	"Shape", "Size", "ConstantOfShape", "Range",
}

// An evaluated operator is one of package onnx or onnx/builders as gonnx calls it.
// What its version allows, and what it computes, is theirs to say.
type evaluated struct {
	opType string
	opset  int
	build  onnx.Builder // nil for one of package onnx
	kept   *kept
	own    *carried // gonnx's own, for dtypes that the builder does not take; may be nil

	node      *pb.NodeProto
	evaluator *onnx.Evaluator
}

// builtIn is the operator of package onnx or onnx/builders of that name, nil if there is
// none.
func builtIn(opType string, opset int, k *kept) *evaluated {
	op := &evaluated{opType: opType, opset: opset, kept: k}
	if slices.Contains(onnxOperators, opType) {
		return op
	}
	if op.build = builderOf(opType); op.build == nil {
		return nil
	}
	return op
}

// builderOf is the builder of an operator, nil if there is none. Sequences are left out.
func builderOf(opType string) onnx.Builder {
	build, _ := builders.Named(opType)
	switch opType {
	case "Identity":
		return handedThrough
	case "SplitToSequence", "SequenceAt":
		return nil
	}
	return build
}

// handedThrough is Identity, whose result EvalWith copies.
func handedThrough(n onnx.Node, inputs ...*gorgonia.Node) ([]*gorgonia.Node, error) {
	if len(inputs) != 1 || inputs[0] == nil || len(n.Attributes) > 0 {
		return nil, errors.Wrap(dense.ErrShape, "Identity takes one input and no attribute")
	}
	return inputs, nil
}

// String is the operator's name.
func (op *evaluated) String() string { return op.opType }

// Init takes the node's attributes and outputs, or what is known of them.
func (op *evaluated) Init(n *pb.NodeProto) (err error) {
	op.node = n
	op.evaluator, err = op.kept.of(n, op.read)
	return err
}

// read makes what is kept of the node.
func (op *evaluated) read(limit onnx.MaxBytes) (*onnx.Evaluator, error) {
	n := op.node
	if !node.IsONNX(n.GetDomain()) {
		return nil, errors.Errorf("%s: the operator is ONNX's own, the node's is of domain %q", op.opType, n.GetDomain())
	}
	if given := len(n.GetOutput()); op.build == nil && given != 1 {
		return nil, errors.Wrapf(dense.ErrShape, "%s: %d outputs, it has one", op.opType, given)
	}
	attributes, err := node.Attributes(n)
	if err != nil {
		return nil, errors.WithMessage(err, op.opType)
	}
	for name, value := range attributes {
		if t, ok := value.(*pb.TensorProto); ok {
			if attributes[name], err = readTensor(t); err != nil {
				return nil, errors.WithMessagef(err, "%s: attribute %q", op.opType, name)
			}
		}
	}
	call := onnx.Node{OpType: op.opType, Opset: op.opset, Attributes: attributes, Inputs: n.GetInput(), Outputs: n.GetOutput()}
	return onnx.NewEvaluator(op.build, call, limit, op.kept.constantInputs(n))
}

// Apply computes the operator.
func (op *evaluated) Apply(inputs []tensor.Tensor) ([]tensor.Tensor, error) {
	out, err := widened(op.evaluator, inputs)
	if refused(err) && op.own != nil {
		if list, ok := op.own.computed(op.node, inputs); ok {
			return list, nil
		}
	}
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

// refused tells an error about a dtype that the operator's version allows.
func refused(err error) bool {
	if err == nil {
		return false
	}
	var version *onnx.VersionError
	return errors.Is(err, dense.ErrDtype) && !errors.As(err, &version)
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

var _ ops.Operator = (*evaluated)(nil)
