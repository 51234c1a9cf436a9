package onnx

import (
	"fmt"

	"github.com/pkg/errors"
	"gorgonia.org/gather"
	"gorgonia.org/gather/dense"
	"gorgonia.org/gather/internal/opset"
	"gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

// An operator is one of ONNX's gathers and scatters: its inputs, and what does
// its work with and without a graph. The two get the same call and differ in
// nothing else.
type operator struct {
	parameters []parameter
	apply      func(c call, in []*gorgonia.Node) (*gorgonia.Node, error)
	eval       func(c call, in []tensor.Tensor) (*tensor.Dense, error)
}

// operators are those a Node may name.
var operators = map[string]operator{
	"Gather": {
		parameters: []parameter{{name: "data", role: data, rank: 1}, {name: "indices", role: indices}},
		apply: func(c call, in []*gorgonia.Node) (*gorgonia.Node, error) {
			return gather.Gather(in[0], in[1], c.axis(), c.options()...)
		},
		eval: func(c call, in []tensor.Tensor) (*tensor.Dense, error) {
			return dense.Gather(in[0], in[1], c.axis(), c.options()...)
		},
	},
	"GatherElements": {
		parameters: []parameter{{name: "data", role: data, rank: 1}, {name: "indices", role: indices, rank: 1}},
		apply: func(c call, in []*gorgonia.Node) (*gorgonia.Node, error) {
			return gather.GatherElements(in[0], in[1], c.axis(), c.options()...)
		},
		eval: func(c call, in []tensor.Tensor) (*tensor.Dense, error) {
			return dense.GatherElements(in[0], in[1], c.axis(), c.options()...)
		},
	},
	"GatherND": {
		parameters: []parameter{{name: "data", role: data, rank: 1}, {name: "indices", role: indices, rank: 1}},
		apply: func(c call, in []*gorgonia.Node) (*gorgonia.Node, error) {
			return gather.GatherND(in[0], in[1], c.options()...)
		},
		eval: func(c call, in []tensor.Tensor) (*tensor.Dense, error) {
			return dense.GatherND(in[0], in[1], c.options()...)
		},
	},
	"Scatter":         scatterElements,
	"ScatterElements": scatterElements,
	"ScatterND": {
		parameters: []parameter{{name: "data", role: data, rank: 1}, {name: "indices", role: indices, rank: 1}, {name: "updates", role: updates}},
		apply: func(c call, in []*gorgonia.Node) (*gorgonia.Node, error) {
			return gather.ScatterND(in[0], in[1], in[2], c.options()...)
		},
		eval: func(c call, in []tensor.Tensor) (*tensor.Dense, error) {
			return dense.ScatterND(in[0], in[1], in[2], c.options()...)
		},
	},
	"TensorScatter": {
		parameters: []parameter{{name: "past_cache", role: data, rank: 2}, {name: "update", role: updates, rank: 2},
			{name: "write_indices", role: indices, rank: 1, optional: true}},
		apply: applyTensorScatter,
		eval:  evalTensorScatter,
	},
}

// Scatter-9 is ScatterElements under its first name.
var scatterElements = operator{
	parameters: []parameter{{name: "data", role: data, rank: 1}, {name: "indices", role: indices, rank: 1}, {name: "updates", role: updates, rank: 1}},
	apply: func(c call, in []*gorgonia.Node) (*gorgonia.Node, error) {
		return gather.ScatterElements(in[0], in[1], in[2], c.axis(), c.options()...)
	},
	eval: func(c call, in []tensor.Tensor) (*tensor.Dense, error) {
		return dense.ScatterElements(in[0], in[1], in[2], c.axis(), c.options()...)
	},
}

// reductions are ONNX's words for the core's reductions.
var reductions = map[string]dense.Reduction{
	"none": dense.None, "add": dense.Add, "mul": dense.Mul, "min": dense.Min, "max": dense.Max,
}

// axis is the node's axis, which check has found to be in range.
func (c call) axis() int { return int(c.ints["axis"]) }

// options are the call's settings for the core.
func (c call) options() []dense.Option {
	var options []dense.Option
	if b, ok := c.ints["batch_dims"]; ok {
		options = append(options, dense.WithBatchDims(int(b)))
	}
	if r, ok := c.words["reduction"]; ok {
		options = append(options, dense.WithReduction(reductions[r]))
	}
	if c.version.negatives == refused {
		options = append(options, dense.WithNonNegativeIndices())
	}
	return options
}

// Apply adds the node's operator to the graph of its inputs, which are given in
// ONNX's order; nil stands for an optional one that is left out.
//
// The result trains like the operators of package gather, which it is made of:
// data and updates have gradients, indices have none. Give indices as input
// nodes with names of their own, or any input as a gorgonia.NewConstant: package
// gather says what becomes of those.
//
// What the node's version does not allow is a [*VersionError]; the other errors
// are those of package gather.
func Apply(n Node, inputs ...*gorgonia.Node) (*gorgonia.Node, error) {
	c, err := resolve(n)
	if err != nil {
		return nil, err
	}
	described := make([]opset.Description, len(inputs))
	for i, in := range inputs {
		if described[i], err = opset.DescribeNode(in); err != nil {
			return nil, c.ofInput(i, err)
		}
	}
	if err := c.check(described); err != nil {
		return nil, err
	}
	return c.apply(c, inputs)
}

// ofInput puts the operator and its input in front of an error.
func (c call) ofInput(i int, err error) error {
	name := fmt.Sprintf("input %d", i)
	if i < len(c.parameters) {
		name = c.parameters[i].name
	}
	return errors.WithMessagef(err, "%s: %s", c.name(), name)
}

// Eval computes the node's operator on plain tensors, without a graph. It gives
// what Apply's result has after a run, and refuses what Apply refuses.
func Eval(n Node, inputs ...tensor.Tensor) (*tensor.Dense, error) {
	c, err := resolve(n)
	if err != nil {
		return nil, err
	}
	described := make([]opset.Description, len(inputs))
	in := make([]tensor.Tensor, len(inputs))
	for i, t := range inputs {
		if described[i], err = opset.DescribeTensor(t); err != nil {
			return nil, c.ofInput(i, err)
		}
		if described[i].Given {
			in[i] = t
		}
	}
	if err := c.check(described); err != nil {
		return nil, err
	}
	return c.eval(c, in)
}
