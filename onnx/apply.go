package onnx

import (
	"gorgonia.org/gather/dense"
	"gorgonia.org/gather/internal/core"
	"gorgonia.org/gather/internal/fault"
	"gorgonia.org/gather/internal/opset"
	"gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

// An operator is one of ONNX's gathers and scatters: its inputs, and the functions that
// check and apply it.
type operator struct {
	opset.Operator
	parameters []opset.Parameter
}

// The parameters that several operators have.
var (
	dataAtLeast1    = opset.Parameter{Name: "data", Rank: 1}
	indicesAtLeast1 = opset.Parameter{Name: "indices", Role: opset.Indices, Rank: 1}
)

// machineLearning is the domain of ONNX's operators for machine learning.
const machineLearning = "ai.onnx.ml"

// microsoft is the domain of ONNX Runtime's own operators.
const microsoft = "com.microsoft"

// operators are those a Node may name, with their domain in front unless it is
// ONNX's own.
var operators = map[string]operator{
	"Gather":          {opset.Gather, []opset.Parameter{dataAtLeast1, {Name: "indices", Role: opset.Indices}}},
	"GatherElements":  {opset.GatherElements, []opset.Parameter{dataAtLeast1, indicesAtLeast1}},
	"GatherND":        {opset.GatherND, []opset.Parameter{dataAtLeast1, indicesAtLeast1}},
	"Scatter":         scatterElements, // its first name
	"ScatterElements": scatterElements,
	"ScatterND":       {opset.ScatterND, []opset.Parameter{dataAtLeast1, indicesAtLeast1, {Name: "updates", Role: opset.Alike}}},
	machineLearning + ".ArrayFeatureExtractor": arrayFeatureExtractor,
	blocksName: gatherBlockQuantized,
	"TensorScatter": {
		opset.Operator{Apply: applyTensorScatter, Eval: evalTensorScatter},
		[]opset.Parameter{
			{Name: "past_cache", Rank: 2}, {Name: "update", Role: opset.Alike, Rank: 2},
			{Name: "write_indices", Role: opset.Indices, Rank: 1, Optional: true},
		},
	},
}

var scatterElements = operator{
	opset.ScatterElements, []opset.Parameter{dataAtLeast1, indicesAtLeast1, {Name: "updates", Role: opset.Alike, Rank: 1}},
}

// Apply adds the node's operator to the graph of its inputs, which are given in
// ONNX's order; nil stands for an optional one that is left out.
//
// The result trains like the operators of package gather, which it is made of:
// data and updates have gradients, indices have none. Give indices as input
// nodes with names of their own. Any input may be a gorgonia.NewConstant: see package
// gather.
//
// What the node's version does not allow is a [*VersionError]; the other errors
// are those of package gather.
func Apply(n Node, inputs ...*gorgonia.Node) (*gorgonia.Node, error) {
	c, err := resolve(n)
	if err != nil {
		return nil, err
	}
	if _, err := checked(c, inputs, opset.DescribeNode); err != nil {
		return nil, err
	}
	return operators[c.Op].Apply(c, inputs)
}

// Eval computes the node's operator on plain tensors, without a graph. It returns the
// value that Apply's result has after a run, and the same errors. It has Shape, Size,
// ConstantOfShape and Range, too, which in a graph are known when it is built.
func Eval(n Node, inputs ...tensor.Tensor) (*tensor.Dense, error) {
	if isKnown(n) {
		return evalKnownTensors(n, inputs, func(dt tensor.Dtype, shape tensor.Shape) error { return core.Fits(n.OpType, "the result", shape, dt) })
	}
	c, err := resolve(n)
	if err != nil {
		return nil, err
	}
	described, err := checked(c, inputs, opset.DescribeTensor)
	if err != nil {
		return nil, err
	}
	in := make([]tensor.Tensor, len(inputs))
	for i, t := range inputs {
		if described[i].Given { // a nil *tensor.Dense is not
			in[i] = t
		}
	}
	return operators[c.Op].Eval(c, in)
}

// checked describes the inputs and applies the version's rules to them.
func checked[T any](c *opset.Call, inputs []T, one func(T) (opset.Description, error)) ([]opset.Description, error) {
	described, err := opset.Describe(c, inputs, one)
	if err != nil {
		return nil, err
	}
	if len(inputs) > len(c.Parameters) {
		return nil, fault.Errorf(dense.ErrShape, "%s: %d inputs, at most %d are allowed", c.Name(), len(inputs), len(c.Parameters))
	}
	return described, c.Check(described)
}
