package openvino

import (
	"gorgonia.org/gather"
	"gorgonia.org/gather/dense"
	"gorgonia.org/gather/internal/opset"
	"gorgonia.org/gather/internal/plan"
	"gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

// An operator is one of OpenVINO's gathers and scatters, or reduces bags: its inputs, and its
// shape, its work in a graph and its work without. The three get the same call.
type operator struct {
	opset.Operator
	parameters []opset.Parameter // without the axis
	axisInput  bool              // the axis is one more input, the last
	shape      func(c *opset.Call, s []tensor.Shape) (tensor.Shape, error)
}

var (
	dataIndices        = []opset.Parameter{{Name: "data"}, {Name: "indices", Role: opset.Indices}}
	dataIndicesUpdates = []opset.Parameter{{Name: "data"}, {Name: "indices", Role: opset.Indices}, {Name: "updates", Role: opset.Alike}}
)

// operators are those that a layer may name.
var operators = map[string]operator{
	"Gather": {
		Operator:   opset.Gather,
		parameters: dataIndices,
		axisInput:  true,
		shape: func(c *opset.Call, s []tensor.Shape) (tensor.Shape, error) {
			return shapeOf(c, plan.Gather, s)
		},
	},
	"GatherElements": {
		Operator:   opset.GatherElements,
		parameters: dataIndices,
		shape: func(c *opset.Call, s []tensor.Shape) (tensor.Shape, error) {
			if err := equalBesideAxis(s[0], s[1], c.Axis); err != nil {
				return nil, err
			}
			return shapeOf(c, plan.GatherElements, s)
		},
	},
	"GatherND": {
		Operator:   opset.GatherND,
		parameters: dataIndices,
		shape: func(c *opset.Call, s []tensor.Shape) (tensor.Shape, error) {
			return shapeOf(c, plan.GatherND, s)
		},
	},
	"GatherTree": {
		Operator: opset.Operator{
			Apply: func(_ *opset.Call, in []*gorgonia.Node) (*gorgonia.Node, error) {
				return gather.GatherTree(in[0], in[1], in[2], in[3])
			},
			Eval: func(_ *opset.Call, in []tensor.Tensor) (*tensor.Dense, error) {
				return dense.GatherTree(in[0], in[1], in[2], in[3])
			},
		},
		parameters: []opset.Parameter{
			{Name: "step_ids"}, {Name: "parent_ids", Role: opset.Alike}, {Name: "max_seq_len", Role: opset.Alike}, {Name: "end_token", Role: opset.Alike},
		},
		shape: func(c *opset.Call, s []tensor.Shape) (tensor.Shape, error) {
			return shapeOf(c, plan.GatherTree, s)
		},
	},
	"ScatterUpdate": {
		Operator: opset.Operator{
			Apply: func(c *opset.Call, in []*gorgonia.Node) (*gorgonia.Node, error) {
				return gather.ScatterUpdate(in[0], in[1], in[2], c.Axis, c.Options()...)
			},
			Eval: func(c *opset.Call, in []tensor.Tensor) (*tensor.Dense, error) {
				return dense.ScatterUpdate(in[0], in[1], in[2], c.Axis, c.Options()...)
			},
		},
		parameters: dataIndicesUpdates,
		axisInput:  true,
		shape: func(c *opset.Call, s []tensor.Shape) (tensor.Shape, error) {
			return shapeOf(c, plan.ScatterUpdate, s)
		},
	},
	"ScatterElementsUpdate": {
		Operator:   opset.ScatterElements,
		parameters: dataIndicesUpdates,
		axisInput:  true,
		shape: func(c *opset.Call, s []tensor.Shape) (tensor.Shape, error) {
			return shapeOf(c, plan.ScatterElements, s)
		},
	},
	"ScatterNDUpdate": {
		Operator: opset.Operator{
			Apply: func(c *opset.Call, in []*gorgonia.Node) (*gorgonia.Node, error) {
				updates, err := scalarNode(in)
				if err != nil {
					return nil, err
				}
				return opset.ScatterND.Apply(c, []*gorgonia.Node{in[0], in[1], updates})
			},
			Eval: func(c *opset.Call, in []tensor.Tensor) (*tensor.Dense, error) {
				updates, err := scalarTensor(in)
				if err != nil {
					return nil, err
				}
				return opset.ScatterND.Eval(c, []tensor.Tensor{in[0], in[1], updates})
			},
		},
		parameters: dataIndicesUpdates,
		shape: func(c *opset.Call, s []tensor.Shape) (tensor.Shape, error) {
			if oneForScalar(s[0], s[1], s[2]) {
				s[2] = tensor.ScalarShape()
			}
			return shapeOf(c, plan.ScatterND, s)
		},
	},
	"EmbeddingBagOffsetsSum": bagsOf(plan.EmbeddingBagOffsets, embTable, bagIndices, opset.Parameter{Name: "offsets", Role: opset.Indices}, emptyBag, perSample),
	"EmbeddingBagOffsets":    bagsOf(plan.EmbeddingBagOffsets, embTable, bagIndices, opset.Parameter{Name: "offsets", Role: opset.Indices}, emptyBag, perSample),
	"EmbeddingBagPackedSum":  bagsOf(plan.EmbeddingBagPacked, embTable, bagIndices, perSample),
	"EmbeddingBagPacked":     bagsOf(plan.EmbeddingBagPacked, embTable, bagIndices, perSample),
	"EmbeddingSegmentsSum":   bagsOf(plan.EmbeddingSegments, embTable, bagIndices, segmentIDs, opset.Parameter{Name: numSegments, Role: opset.Indices}, emptyBag, perSample),
	"SegmentMax":             bagsOf(plan.SegmentMax, opset.Parameter{Name: "data", Rank: 1}, segmentIDs, opset.Parameter{Name: numSegments, Role: opset.Indices, Optional: true}),
}

// shapeOf is the shape of an operator's result for the call's axis and attributes.
func shapeOf(c *opset.Call, op plan.Op, in []tensor.Shape) (tensor.Shape, error) {
	p := plan.Params{Op: op, Axis: c.Axis}
	p.BatchDims, p.FusedBatchDims = int(c.Ints["batch_dims"]), c.Version.FusedBatch
	return p.Shape(in...)
}
