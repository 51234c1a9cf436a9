package openvino

import (
	"gorgonia.org/gather"
	"gorgonia.org/gather/dense"
	"gorgonia.org/gather/shapes"
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
			return shapes.Gather(s[0], s[1], c.axis, c.ints["batch_dims"])
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
			return shapes.GatherElements(s[0], s[1], c.axis)
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
			out, err := shapes.GatherND(s[0], s[1], c.ints["batch_dims"])
			if err == nil && c.version.fused {
				out = shapes.FuseBatchDims(out, c.ints["batch_dims"])
			}
			return out, err
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
			return shapes.GatherTree(s[0], s[1], s[2], s[3])
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
			return shapes.ScatterUpdate(s[0], s[1], s[2], c.axis)
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
			return shapes.ScatterElements(s[0], s[1], s[2], c.axis)
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
			return shapes.ScatterND(s[0], s[1], s[2])
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
