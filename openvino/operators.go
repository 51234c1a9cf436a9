package openvino

import (
	"gorgonia.org/gather"
	"gorgonia.org/gather/dense"
	"gorgonia.org/gather/internal/plan"
	"gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

// An operator is one of OpenVINO's gathers and scatters: its inputs, and its
// shape, its work in a graph and its work without. The three get the same call.
type operator struct {
	parameters []parameter // without the axis
	axisInput  bool        // the axis is one more input, the last
	shape      func(c *call, s []tensor.Shape) (tensor.Shape, error)
	apply      func(c *call, in []*gorgonia.Node) (*gorgonia.Node, error)
	eval       func(c *call, in []tensor.Tensor) (*tensor.Dense, error)
}

var (
	dataIndices        = []parameter{{"data", data}, {"indices", indices}}
	dataIndicesUpdates = []parameter{{"data", data}, {"indices", indices}, {"updates", alike}}
)

// operators are those that a layer may name.
var operators = map[string]operator{
	"Gather": {
		parameters: dataIndices,
		axisInput:  true,
		shape: func(c *call, s []tensor.Shape) (tensor.Shape, error) {
			return c.shapeOf(plan.Gather, s)
		},
		apply: func(c *call, in []*gorgonia.Node) (*gorgonia.Node, error) {
			return gather.Gather(in[0], in[1], c.axis, c.options()...)
		},
		eval: func(c *call, in []tensor.Tensor) (*tensor.Dense, error) {
			return dense.Gather(in[0], in[1], c.axis, c.options()...)
		},
	},
	"GatherElements": {
		parameters: dataIndices,
		shape: func(c *call, s []tensor.Shape) (tensor.Shape, error) {
			if err := c.equalBesideAxis(s[0], s[1]); err != nil {
				return nil, err
			}
			return c.shapeOf(plan.GatherElements, s)
		},
		apply: func(c *call, in []*gorgonia.Node) (*gorgonia.Node, error) {
			return gather.GatherElements(in[0], in[1], c.axis, c.options()...)
		},
		eval: func(c *call, in []tensor.Tensor) (*tensor.Dense, error) {
			return dense.GatherElements(in[0], in[1], c.axis, c.options()...)
		},
	},
	"GatherND": {
		parameters: dataIndices,
		shape: func(c *call, s []tensor.Shape) (tensor.Shape, error) {
			return c.shapeOf(plan.GatherND, s)
		},
		apply: func(c *call, in []*gorgonia.Node) (*gorgonia.Node, error) {
			return gather.GatherND(in[0], in[1], c.options()...)
		},
		eval: func(c *call, in []tensor.Tensor) (*tensor.Dense, error) {
			return dense.GatherND(in[0], in[1], c.options()...)
		},
	},
	"GatherTree": {
		parameters: []parameter{{"step_ids", data}, {"parent_ids", alike}, {"max_seq_len", alike}, {"end_token", alike}},
		shape: func(c *call, s []tensor.Shape) (tensor.Shape, error) {
			return c.shapeOf(plan.GatherTree, s)
		},
		apply: func(c *call, in []*gorgonia.Node) (*gorgonia.Node, error) {
			return gather.GatherTree(in[0], in[1], in[2], in[3])
		},
		eval: func(c *call, in []tensor.Tensor) (*tensor.Dense, error) {
			return dense.GatherTree(in[0], in[1], in[2], in[3])
		},
	},
	"ScatterUpdate": {
		parameters: dataIndicesUpdates,
		axisInput:  true,
		shape: func(c *call, s []tensor.Shape) (tensor.Shape, error) {
			return c.shapeOf(plan.ScatterUpdate, s)
		},
		apply: func(c *call, in []*gorgonia.Node) (*gorgonia.Node, error) {
			return gather.ScatterUpdate(in[0], in[1], in[2], c.axis, c.options()...)
		},
		eval: func(c *call, in []tensor.Tensor) (*tensor.Dense, error) {
			return dense.ScatterUpdate(in[0], in[1], in[2], c.axis, c.options()...)
		},
	},
	"ScatterElementsUpdate": {
		parameters: dataIndicesUpdates,
		axisInput:  true,
		shape: func(c *call, s []tensor.Shape) (tensor.Shape, error) {
			return c.shapeOf(plan.ScatterElements, s)
		},
		apply: func(c *call, in []*gorgonia.Node) (*gorgonia.Node, error) {
			return gather.ScatterElements(in[0], in[1], in[2], c.axis, c.options()...)
		},
		eval: func(c *call, in []tensor.Tensor) (*tensor.Dense, error) {
			return dense.ScatterElements(in[0], in[1], in[2], c.axis, c.options()...)
		},
	},
	"ScatterNDUpdate": {
		parameters: dataIndicesUpdates,
		shape: func(c *call, s []tensor.Shape) (tensor.Shape, error) {
			if oneForScalar(s[0], s[1], s[2]) {
				s[2] = tensor.ScalarShape()
			}
			return c.shapeOf(plan.ScatterND, s)
		},
		apply: func(c *call, in []*gorgonia.Node) (*gorgonia.Node, error) {
			updates, err := scalarNode(in)
			if err != nil {
				return nil, err
			}
			return gather.ScatterND(in[0], in[1], updates, c.options()...)
		},
		eval: func(c *call, in []tensor.Tensor) (*tensor.Dense, error) {
			updates, err := scalarTensor(in)
			if err != nil {
				return nil, err
			}
			return dense.ScatterND(in[0], in[1], updates, c.options()...)
		},
	},
}

// shapeOf is the shape of an operator's result for the call's axis and attributes.
func (c *call) shapeOf(op plan.Op, in []tensor.Shape) (tensor.Shape, error) {
	p := plan.Params{Op: op, Axis: c.axis}
	p.BatchDims, p.FusedBatchDims = c.ints["batch_dims"], c.version.fused
	return p.Shape(in...)
}
