package main

import (
	"github.com/advancedclimatesystems/gonnx/onnx"
	"github.com/advancedclimatesystems/gonnx/ops/opset13"
	"github.com/pkg/errors"
	"gorgonia.org/tensor"
)

// newByIndices is tensor.ByIndices, which knows a Gather with a vector of ints.
// Indices of more axes are given as a vector: the bytes of the result are the
// same along axis 0. It makes a new tensor for each result: WithReuse is read and
// then left aside.
func newByIndices(p *Problem) (Runner, error) {
	if p.Group != Gathers || p.Op != "Gather" || len(p.Indices) > 1 && p.Axis != 0 {
		return nil, errCannot
	}
	vectors := make([]*tensor.Dense, p.Sets)
	for s, x := range p.indices {
		values := make([]int, x.Shape().TotalSize())
		for i, v := range x.Int64s() {
			values[i] = int(v)
		}
		vectors[s] = tensor.New(tensor.WithBacking(values))
	}
	var out tensor.Tensor
	return &inProcess{
		name: ByIndices, sets: p.Sets,
		result: func() Values { return valuesOf(p.kind(), out.(*tensor.Dense)) },
		run: func(set int) (err error) {
			out, err = tensor.ByIndices(p.data, vectors[set], p.Axis)
			return err
		},
	}, nil
}

// newGonnx is the Gather of gonnx, without the model round it. It makes a new
// tensor for each result.
func newGonnx(p *Problem) (Runner, error) {
	if p.Group != Gathers || p.Op != "Gather" {
		return nil, errCannot
	}
	op, err := opset13.GetOperator(p.Op)
	if err != nil {
		return nil, errors.Wrap(err, Gonnx)
	}
	node := &onnx.NodeProto{Attribute: []*onnx.AttributeProto{{Name: "axis", I: int64(p.Axis)}}}
	if err := op.Init(node); err != nil {
		return nil, errors.Wrap(err, Gonnx)
	}
	var out []tensor.Tensor
	return &inProcess{
		name: Gonnx, sets: p.Sets,
		result: func() Values { return valuesOf(p.kind(), out[0].(*tensor.Dense)) },
		run: func(set int) (err error) {
			out, err = op.Apply([]tensor.Tensor{p.data, p.indices[set]})
			return err
		},
	}, nil
}
