package gathergonnx

import (
	"gorgonia.org/gather/dense"
	"gorgonia.org/gather/gonnx/internal/node"
	"gorgonia.org/gather/internal/fault"
	"gorgonia.org/tensor"
)

// defaultMaxBytes is more than models of this kind have in one node, and less than what a
// wrong shape asks for.
const defaultMaxBytes = 16 << 30

// SetMaxBytes bounds the memory of the tensors that one node makes in a run: a model of a
// hundred bytes can ask for any amount, and a process that asks for more than there is
// cannot recover. It is 16 GiB where it is not set. What would exceed it is an error,
// before it is allocated, that wraps [dense.ErrMaxBytes] and names the node.
//
// The results of an operator of package onnx or onnx/builders count, with those of the
// operators that it is made of; of gonnx's own its result.
//
// Call it before the model runs.
func (m *Model) SetMaxBytes(n int64) error {
	if n < 1 {
		return fault.Errorf(dense.ErrOption, "gonnx: SetMaxBytes(%d), the least is 1", n)
	}
	m.kept.setMaxBytes(n)
	return nil
}

// Apply runs gonnx's operator, unless its result is too large: it has the shape of the
// first input, or that of a row for each of its rows.
func (c *carried) Apply(in []tensor.Tensor) ([]tensor.Tensor, error) {
	shape, width := []int64{}, 1
	if len(in) > 0 && in[0] != nil {
		width = int(in[0].Dtype().Size())
		for _, n := range in[0].Shape() {
			shape = append(shape, int64(n))
		}
	}
	if c.opType == "LinearRegressor" && len(shape) > 0 {
		shape = []int64{shape[0], c.targets}
	}
	if most := c.kept.limit(); node.Bytes(shape, width) > uint64(most) {
		return nil, fault.Errorf(dense.ErrMaxBytes, "it needs a tensor of shape %v; SetMaxBytes allows %d bytes", shape, most)
	}
	return c.Operator.Apply(in)
}
