package gathergonnx

import (
	"github.com/advancedclimatesystems/gonnx"
	pb "github.com/advancedclimatesystems/gonnx/onnx"
	"github.com/advancedclimatesystems/gonnx/ops"
	"github.com/pkg/errors"
	"gorgonia.org/gather/dense"
	"gorgonia.org/gather/gonnx/internal/node"
	"gorgonia.org/gather/onnx"
	"gorgonia.org/gather/onnx/builders"
	"gorgonia.org/tensor"
)

// Builders is a [Layer] with the operators of package onnx/builders, by the rules of
// the model's opset, for what base does not have:
//
//	model, err := gathergonnx.LoadFile("model.onnx", transformer.Operators, gathergonnx.Builders)
//
// float16 and bfloat16 are widened to float where a builder does not take them, and
// the results rounded. Sequences are left out. What the version of an operator does
// not allow is found when the model runs.
func Builders(base gonnx.OpGetter, opset int) gonnx.OpGetter {
	return func(opType string) (ops.Operator, error) {
		if base != nil {
			op, err := base(opType)
			if !errors.Is(err, ops.ErrUnsupportedOperator) {
				return op, err
			}
		}
		build, ok := builders.Named(opType)
		if !ok || opType == "SplitToSequence" || opType == "SequenceAt" {
			return nil, errors.Wrapf(ops.ErrUnsupportedOperator, "operator %q is neither in base nor in package onnx/builders", opType)
		}
		return &built{build: build, call: onnx.Node{OpType: opType, Opset: opset}}, nil
	}
}

// A built operator is one of package onnx/builders as gonnx calls it. What its
// version allows, and what it computes, is the builder's to say.
type built struct {
	build onnx.Builder
	call  onnx.Node
}

// String is the operator's name.
func (op *built) String() string { return op.call.OpType }

// Init takes the node's attributes and outputs.
func (op *built) Init(n *pb.NodeProto) error {
	if !node.IsONNX(n.GetDomain()) {
		return errors.Errorf("%s: the operator is ONNX's own, the node's is of domain %q", op.call.OpType, n.GetDomain())
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
func (op *built) Apply(inputs []tensor.Tensor) ([]tensor.Tensor, error) {
	out, err := onnx.EvalWith(op.build, op.call, inputs...)
	var version *onnx.VersionError
	if errors.Is(err, dense.ErrDtype) && !errors.As(err, &version) {
		if half := halves(inputs); half != (tensor.Dtype{}) {
			out, err = op.widened(inputs, half)
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

// halves is the dtype of the 16-bit floats among the inputs, the zero Dtype if there
// are none.
func halves(inputs []tensor.Tensor) tensor.Dtype {
	for _, t := range inputs {
		if d, _ := t.(*tensor.Dense); d != nil && (d.Dtype() == dense.Float16 || d.Dtype() == dense.BFloat16) {
			return d.Dtype()
		}
	}
	return tensor.Dtype{}
}

// widened computes the operator in float.
func (op *built) widened(inputs []tensor.Tensor, half tensor.Dtype) ([]*tensor.Dense, error) {
	wide := make([]tensor.Tensor, len(inputs))
	for i, t := range inputs {
		wide[i] = t
		if d, _ := t.(*tensor.Dense); d != nil && d.Dtype() == half {
			var err error
			if wide[i], err = cast(d, typeFloat); err != nil {
				return nil, err
			}
		}
	}
	out, err := onnx.EvalWith(op.build, op.call, wide...)
	if err != nil {
		return nil, err
	}
	to := map[tensor.Dtype]int64{dense.Float16: typeFloat16, dense.BFloat16: typeBFloat16}[half]
	for i, d := range out {
		if d != nil && d.Dtype() == tensor.Float32 {
			if out[i], err = cast(d, to); err != nil {
				return nil, err
			}
		}
	}
	return out, nil
}

// Numbers in TensorProto.DataType.
const (
	typeFloat    = int64(pb.TensorProto_FLOAT)
	typeFloat16  = int64(pb.TensorProto_FLOAT16)
	typeBFloat16 = int64(pb.TensorProto_BFLOAT16)
)

func cast(d *tensor.Dense, to int64) (*tensor.Dense, error) {
	out, err := onnx.EvalWith(builders.Cast, onnx.Node{OpType: "Cast", Opset: 13, Attributes: map[string]any{"to": to}}, d)
	if err != nil {
		return nil, err
	}
	return out[0], nil
}

// ValidateInputs leaves everything to the builder, whose errors say which version
// would allow it.
func (op *built) ValidateInputs(in []tensor.Tensor) ([]tensor.Tensor, error) { return in, nil }

// GetMinInputs is 0: the builder counts them.
func (op *built) GetMinInputs() int { return 0 }

// GetMaxInputs is more than any node has.
func (op *built) GetMaxInputs() int { return 1 << 30 }

// GetInputTypeConstraints is nil: the builder checks them.
func (op *built) GetInputTypeConstraints() [][]tensor.Dtype { return nil }
