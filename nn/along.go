package nn

import (
	"gorgonia.org/gather"
	"gorgonia.org/gather/internal/core"
	"gorgonia.org/gather/internal/graph"
	"gorgonia.org/gather/onnx"
	"gorgonia.org/gather/onnx/builders"
	G "gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

// Softmax is exp(x) divided by its sum along an axis, computed without overflow. A negative
// axis counts from the end, here and everywhere in this package.
//
// Gorgonia v0.9.18: SoftMax and LogSoftMax of one node are one node, so that the latter of
// [1 2 3] is [0.090 0.245 0.665]. Each alone is right.
func Softmax(x *G.Node, axis int) (*G.Node, error) {
	return call("Softmax", floats("x"), builders.Softmax, 13, attributes{"axis": axis}, x)
}

// LogSoftmax is the logarithm of [Softmax], which does not become -Inf where that is small.
// [CrossEntropy] needs neither.
func LogSoftmax(x *G.Node, axis int) (*G.Node, error) {
	return call("LogSoftmax", floats("x"), builders.LogSoftmax, 13, attributes{"axis": axis}, x)
}

// Sum is the sum over axes, which the result does not have; over all axes if none are given.
// [Unsqueeze] puts an axis back. float32 is summed in float64. The result is 0 over an empty
// axis.
//
// Gorgonia v0.9.18: Sum along axis 2 of a tensor of rank 4 is wrong, [12 16 28 32 …] for
// [12 16 44 48 …] of 0 to 47 as (3, 2, 4, 2). That of ranks 2 and 3 is right.
func Sum(x *G.Node, axes ...int) (*G.Node, error) {
	return reduce("Sum", numbers("x"), builders.ReduceSum, 11, x, axes)
}

// Mean is [Sum] divided by the number of terms, NaN for none of them.
//
// Gorgonia v0.9.18: as for [Sum].
func Mean(x *G.Node, axes ...int) (*G.Node, error) {
	return reduce("Mean", floats("x"), builders.ReduceMean, 13, x, axes)
}

// Max is the greatest element along axes: see [Sum]. Equal ones get equal shares of the
// gradient.
//
// [Maximum] is that of two operands.
//
// Gorgonia v0.9.18: the gradient of Max of [1 2 3] is [0 0 0] on LispMachine, for [0 0 1], and
// that of [2 2 1] is [1 1 0] on TapeMachine.
func Max(x *G.Node, axes ...int) (*G.Node, error) {
	return reduce("Max", numbers("x"), builders.ReduceMax, 12, x, axes)
}

// Min is the least element: see [Max].
func Min(x *G.Node, axes ...int) (*G.Node, error) {
	return reduce("Min", numbers("x"), builders.ReduceMin, 12, x, axes)
}

// LogSumExp is log Σ exp(x) over axes, computed without overflow: see [Sum].
//
// Gorgonia v0.9.18: LogSumExp of [1 2 1000] is 6.909, for 1000, and that of a matrix an error.
func LogSumExp(x *G.Node, axes ...int) (*G.Node, error) {
	return reduce("LogSumExp", floats("x"), builders.ReduceLogSumExp, 13, x, axes)
}

func reduce(name string, o operands, build onnx.Builder, opset int, x *G.Node, axes []int) (*G.Node, error) {
	a := attributes{"keepdims": 0}
	if len(axes) > 0 {
		a["axes"] = axes
	}
	return call(name, o, build, opset, a, x)
}

// ArgMax is the place of the greatest element along an axis, which the result does not have,
// as int64: the first one of equal ones. It has no gradient.
func ArgMax(x *G.Node, axis int) (*G.Node, error) {
	return call("ArgMax", numbers("x"), builders.ArgMax, 13, attributes{"axis": axis, "keepdims": 0}, x)
}

// Accuracy is the share of examples whose class has the greatest score: scores are (B, C) or
// (B, C, d…), classes (B) or (B, d…), of any integer dtype. It has no gradient.
func Accuracy(scores, classes *G.Node) (*G.Node, error) {
	const name = "Accuracy"
	if err := graph.Nodes(name, []string{"scores", "classes"}, scores, classes); err != nil {
		return nil, err
	}
	l := core.Loss{Op: name, Reduction: gather.Mean}
	if err := l.CheckDtypes(scores.Dtype(), classes.Dtype()); err != nil {
		return nil, err
	}
	if _, err := l.Shape(scores.Shape(), classes.Shape()); err != nil {
		return nil, err
	}
	wanted, err := Cast(classes, tensor.Int64)
	if err != nil {
		return nil, named(name, err)
	}
	return chain(name, scores,
		func(x *G.Node) (*G.Node, error) { return ArgMax(x, 1) },
		func(x *G.Node) (*G.Node, error) { return Equal(x, wanted) },
		func(x *G.Node) (*G.Node, error) { return Cast(x, scores.Dtype()) },
		all(Mean),
	)
}
