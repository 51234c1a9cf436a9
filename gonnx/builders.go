package gathergonnx

import (
	"github.com/advancedclimatesystems/gonnx"
	pb "github.com/advancedclimatesystems/gonnx/onnx"
	"github.com/advancedclimatesystems/gonnx/ops"
	"github.com/pkg/errors"
	"gorgonia.org/gather/dense"
	"gorgonia.org/gather/onnx"
	"gorgonia.org/gather/onnx/builders"
	"gorgonia.org/tensor"
)

// Builders is a [Layer] with the operators of package onnx/builders, by the rules of
// the model's opset. They are for operators that base does not have, and come before
// gonnx's own. [Load] puts it above the layers that it is given.
//
// float16 and bfloat16 are widened to float where a builder does not take them, and
// the results rounded once. Sequences are left out. What the version of an operator
// does not allow is found when the model runs.
//
// A getter keeps the graphs that its nodes were computed with, so make one for each
// model.
func Builders(base gonnx.OpGetter, opset int) gonnx.OpGetter {
	return withBuilders(base, opset, newKept())
}

func withBuilders(base gonnx.OpGetter, opset int, k *kept) gonnx.OpGetter {
	return func(opType string) (ops.Operator, error) {
		if base != nil {
			op, err := base(opType)
			if err == nil && op != nil && isOpset13(op) {
				return preferred(op, opType, opset, k), nil
			}
			if !errors.Is(err, ops.ErrUnsupportedOperator) {
				return op, err
			}
		}
		if op := builtIn(opType, opset, k); op != nil && op.build != nil {
			return op, nil
		}
		return nil, errors.Wrapf(ops.ErrUnsupportedOperator, "operator %q is neither in base nor in package onnx/builders", opType)
	}
}

// preferred is the operator of package onnx or onnx/builders instead of gonnx's own, which
// is for dtypes that it does not take; or gonnx's own if there is no other.
func preferred(own ops.Operator, opType string, opset int, k *kept) ops.Operator {
	op := builtIn(opType, opset, k)
	if _, known := meanings[opType]; !known && op != nil {
		return op
	}
	rest := &carried{Operator: own, opType: opType, opset: opset, kept: k}
	if op == nil {
		return rest
	}
	op.own = rest
	return op
}

// quick is a getter for a model without layers: where gonnx's own operator is not used, it
// is not made.
func quick(get gonnx.OpGetter, opset int, k *kept) gonnx.OpGetter {
	return func(opType string) (ops.Operator, error) {
		if _, known := meanings[opType]; !known {
			if op := builtIn(opType, opset, k); op != nil {
				return guard(op, opType), nil
			}
		}
		return get(opType)
	}
}

// widened computes a node, in float where the builder does not take 16-bit floats.
func widened(e *onnx.Evaluator, inputs []tensor.Tensor) ([]*tensor.Dense, error) {
	out, err := e.Eval(inputs...)
	half := halves(inputs)
	if !refused(err) || half == (tensor.Dtype{}) {
		return out, err
	}
	wide := make([]tensor.Tensor, len(inputs))
	for i, t := range inputs {
		wide[i] = t
		if d, _ := t.(*tensor.Dense); d != nil && d.Dtype() == half {
			if wide[i], err = cast(d, typeFloat); err != nil {
				return nil, err
			}
		}
	}
	if out, err = e.Eval(wide...); err != nil {
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
