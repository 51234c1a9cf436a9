package openvino

import (
	"slices"

	"gorgonia.org/gather"
	"gorgonia.org/gather/dense"
	"gorgonia.org/gather/internal/fault"
	"gorgonia.org/gather/internal/graph"
	"gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

// equalBesideAxis demands of GatherElements' indices what OpenVINO does: the
// dims of data except along the axis. Package shapes, as ONNX, is content with
// smaller ones. It leaves ranks and axes that do not fit to that package.
func equalBesideAxis(data, indices tensor.Shape, axis int) error {
	if len(data) != len(indices) {
		return nil
	}
	if axis < 0 {
		axis += len(data)
	}
	for d := range data {
		if d != axis && data[d] != indices[d] {
			return fault.Errorf(dense.ErrShape, "indices %s has %d at axis %d, %d is needed for data %s and axis %d",
				fault.Shape(indices), indices[d], d, data[d], fault.Shape(data), axis)
		}
	}
	return nil
}

// oneForScalar tells whether ScatterNDUpdate needs a scalar update, as it does
// for indices of one full tuple, and was given a tensor of one element instead.
// The texts of both versions allow that.
func oneForScalar(data, indices, updates tensor.Shape) bool {
	more := func(n int) bool { return n != 1 }
	return len(indices) == 1 && indices[0] == len(data) && len(updates) > 0 && !slices.ContainsFunc(updates, more)
}

// scalarTensor is the updates of ScatterNDUpdate, a single element as a scalar.
func scalarTensor(in []tensor.Tensor) (tensor.Tensor, error) {
	updates := in[2]
	if !oneForScalar(in[0].Shape(), in[1].Shape(), updates.Shape()) {
		return updates, nil
	}
	scalar, err := dense.GatherND(updates, first(updates.Dims()))
	if err != nil {
		return nil, err
	}
	return scalar, nil
}

// scalarNode is scalarTensor for a graph. It gathers the element, because a
// gather has a gradient; gorgonia.Reshape would share memory with its input.
func scalarNode(in []*gorgonia.Node) (*gorgonia.Node, error) {
	updates := in[2]
	if !oneForScalar(in[0].Shape(), in[1].Shape(), updates.Shape()) {
		return updates, nil
	}
	updates = graph.Bind(in...)[2] // a constant is in no graph before
	return gather.GatherND(updates, gorgonia.NewConstant(first(updates.Dims())))
}

// first is the index tuple of a tensor's first element.
func first(rank int) *tensor.Dense {
	return tensor.New(tensor.WithShape(rank), tensor.WithBacking(make([]int64, rank)))
}
