package gathergonnx

import (
	"slices"

	"github.com/advancedclimatesystems/gonnx"
	"github.com/advancedclimatesystems/gonnx/ops"
	"github.com/pkg/errors"
)

// The opsets of ONNX that are known here.
const (
	firstOpset  = 1
	newestOpset = 28
)

// A Layer puts operators for models of an opset above those of base, which may be
// nil: an operator that the layer does not have is that of base. [Operators] is
// one.
type Layer func(base gonnx.OpGetter, opset int) gonnx.OpGetter

// Operators gives Gather, GatherElements, GatherND, Scatter, ScatterElements,
// ScatterND and TensorScatter with the meaning they have in the opset, Shape, Size,
// ConstantOfShape, Range, Constant of every type, and all other operators as base has them. base may be nil, which has
// no operators. It is for the field GetOperator of gonnx's Model:
//
//	model.GetOperator = gathergonnx.Operators(opset13.GetOperator, 17)
//
// [Load] does so for models of any opset.
//
// Operators of base that are gonnx's own compute what opset 13 says, some of it wrongly:
// those that package onnx/builders has, too, are computed by that, and others are an error
// in an opset in which they mean something else. A panic of any operator becomes an error that names
// the node.
//
// For an operator that neither has, and in an opset below 1 or above 28, the getter
// returns an error.
//
// Sources: the operator documents of ONNX 1.23 (opset 28); gonnx v1.1.0.
//
// A getter keeps the graphs that its nodes were computed with, so make one for each
// model.
func Operators(base gonnx.OpGetter, opset int) gonnx.OpGetter {
	return operators(base, opset, nil, newKept())
}

// operators is [Operators] for a model whose Constants are known.
func operators(base gonnx.OpGetter, opset int, known constants, k *kept) gonnx.OpGetter {
	return func(opType string) (ops.Operator, error) {
		if err := checkOpset(opset); err != nil {
			return nil, errors.WithMessagef(err, "gonnx: operator %q", opType)
		}
		if slices.Contains(onnxOperators, opType) {
			return guard(builtIn(opType, opset, k), opType), nil
		}
		if opType == "Constant" {
			return guard(&constant{known: known}, opType), nil
		}
		if base == nil {
			return nil, errors.Wrapf(ops.ErrUnsupportedOperator, "gonnx: operator %q is no gather or scatter, and there are no others: base is nil", opType)
		}
		inner, err := base(opType)
		switch {
		case err != nil:
			return nil, errors.Wrapf(err, "gonnx: operator %q", opType)
		case inner == nil:
			return nil, errors.Wrapf(ops.ErrUnsupportedOperator, "gonnx: operator %q: base gave nil", opType)
		}
		if isOpset13(inner) {
			inner = preferred(inner, opType, opset, k)
		}
		return guard(inner, opType), nil
	}
}

func checkOpset(opset int) error {
	if opset < firstOpset || opset > newestOpset {
		return errors.Wrapf(ops.ErrUnsupportedOpsetVersion, "opset %d is not in [%d, %d]", opset, firstOpset, newestOpset)
	}
	return nil
}
