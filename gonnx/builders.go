package gathergonnx

import (
	"github.com/advancedclimatesystems/gonnx"
	pb "github.com/advancedclimatesystems/gonnx/onnx"
	"github.com/advancedclimatesystems/gonnx/ops"
	"github.com/pkg/errors"
	"gorgonia.org/gather/dense"
	"gorgonia.org/gather/onnx"
	"gorgonia.org/gather/onnx/builders"
	"gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

// Builders is a [Layer] with the operators of package onnx/builders, by the rules of
// the model's opset. They are for operators that base does not have, and replace gonnx's
// own MatMul, which takes twice as long, and Cast, which lacks bool. [Load] puts it
// above the layers that it is given.
//
// float16 and bfloat16 are widened to float where a builder does not take them, and
// the results rounded once. Sequences are left out. What the version of an operator
// does not allow is found when the model runs.
func Builders(base gonnx.OpGetter, opset int) gonnx.OpGetter {
	return withBuilders(base, opset, newLimit())
}

func withBuilders(base gonnx.OpGetter, opset int, l *limit) gonnx.OpGetter {
	return func(opType string) (ops.Operator, error) {
		if base != nil {
			op, err := base(opType)
			own := err == nil && op != nil && isOpset13(op)
			if !errors.Is(err, ops.ErrUnsupportedOperator) && !(own && (opType == "MatMul" || opType == "Cast")) {
				return op, err
			}
		}
		if op := built(opType, opset, l); op != nil {
			return op, nil
		}
		return nil, errors.Wrapf(ops.ErrUnsupportedOperator, "operator %q is neither in base nor in package onnx/builders", opType)
	}
}

// built is the operator of package onnx/builders of that name, nil if there is none.
func built(opType string, opset int, l *limit) ops.Operator {
	build, ok := builders.Named(opType)
	switch {
	case opType == "Identity":
		build = handedThrough
	case !ok, opType == "SplitToSequence", opType == "SequenceAt":
		return nil
	}
	return &evaluated{call: onnx.Node{OpType: opType, Opset: opset}, eval: func(n onnx.Node, inputs []tensor.Tensor) ([]*tensor.Dense, error) {
		return evalWidened(build, n, inputs, l)
	}}
}

// handedThrough is Identity, whose result EvalWith copies.
func handedThrough(n onnx.Node, inputs ...*gorgonia.Node) ([]*gorgonia.Node, error) {
	if len(inputs) != 1 || inputs[0] == nil || len(n.Attributes) > 0 {
		return nil, errors.Wrap(dense.ErrShape, "Identity takes one input and no attribute")
	}
	return inputs, nil
}

// evalWidened computes a node, in float where the builder does not take 16-bit
// floats.
func evalWidened(build onnx.Builder, n onnx.Node, inputs []tensor.Tensor, l *limit) ([]*tensor.Dense, error) {
	out, err := l.eval(build, n, inputs)
	var version *onnx.VersionError
	if !errors.Is(err, dense.ErrDtype) || errors.As(err, &version) {
		return out, err
	}
	half := halves(inputs)
	if half == (tensor.Dtype{}) {
		return nil, err
	}
	return widened(build, n, inputs, half, l)
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

// widened computes a node in float.
func widened(build onnx.Builder, n onnx.Node, inputs []tensor.Tensor, half tensor.Dtype, l *limit) ([]*tensor.Dense, error) {
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
	out, err := l.eval(build, n, wide)
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
