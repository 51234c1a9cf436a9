package onnx

import (
	"slices"

	"gorgonia.org/gather/dense"
	"gorgonia.org/gather/internal/fault"
	"gorgonia.org/gather/internal/opset"
	"gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

// Numbers of 4 bits are int8 and uint8 here. Only an initializer that
// GatherBlockQuantized takes stays as its bytes, two numbers in each, the first in the
// lower half.

// The data types of numbers of 4 bits.
const (
	uint4Data = 21
	int4Data  = 22
)

// packedElements are the bytes of those types, by their number in TensorProto.DataType.
var packedElements = map[int32]element{
	uint4Data: {"UINT4", tensor.Uint8, tensorInt32Data, varint, 1, numbers(setInt32[uint8])},
	int4Data:  {"INT4", tensor.Uint8, tensorInt32Data, varint, 1, numbers(setInt32[uint8])},
}

// packedInts are the type and the shape of numbers of 4 bits: packed into bytes, or wide,
// each an int8 or uint8.
type packedInts struct {
	dataType int32
	shape    tensor.Shape
	wide     bool
}

// bytes is the shape of the bytes.
func (p *packedInts) bytes() tensor.Shape {
	size := p.shape.TotalSize()
	return tensor.Shape{size/2 + size%2}
}

// packed says what the bytes of the tensor hold, nil if its values are not packed.
func (t *tensorProto) packed() *packedInts {
	if _, ok := packedElements[t.dataType]; !ok {
		return nil
	}
	return &packedInts{dataType: t.dataType, shape: t.shape}
}

// stored is the element and the shape of the tensor that the values are read into.
func (t *tensorProto) stored() (element, tensor.Shape) {
	if p := t.packed(); p != nil {
		return packedElements[t.dataType], p.bytes()
	}
	return elements[t.dataType], t.shape
}

// refused is the error about a use of them.
func (p *packedInts) refused(what, name string) error {
	return fault.Errorf(dense.ErrDtype, "%s %q is of type %s, which only DequantizeLinear, QuantizeLinear and GatherBlockQuantized take, as data and zero points",
		what, fault.Cut(name), dataTypeName(p.dataType))
}

// packed is the input of a node as the node takes it, where it is packed.
func (b *builder) packed(n *modelNode, input int, v *binding) (*binding, error) {
	_, custom := b.settings.operators[n.operator()]
	switch {
	case n.operator() == blocksName && !custom && (input == 0 || input == 3) && !v.packed.wide:
		return v, nil
	case b.opsets[n.domain] >= 21 && (n.operator() == "DequantizeLinear" && input != 1 || n.operator() == "QuantizeLinear" && input == 2):
		return b.wide(v)
	}
	return nil, v.packed.refused("input", n.inputs[input])
}

// packedOf are those of a node's inputs that are packed, nil if none is.
func packedOf(inputs []*binding) []*packedInts {
	packed := make([]*packedInts, len(inputs))
	for i, v := range inputs {
		if v != nil {
			packed[i] = v.packed
		}
	}
	if !slices.ContainsFunc(packed, func(p *packedInts) bool { return p != nil }) {
		return nil
	}
	return packed
}

// applyPacked is Apply for a GatherBlockQuantized whose data or zero_points are packed.
func applyPacked(n Node, inputs []*gorgonia.Node, packed []*packedInts) (*gorgonia.Node, error) {
	c, err := resolve(n)
	if err != nil {
		return nil, err
	}
	described, err := opset.Describe(c, inputs, opset.DescribeNode)
	if err != nil {
		return nil, err
	}
	types := make([]string, len(inputs))
	for i, p := range packed {
		switch {
		case p != nil:
			// Without a dtype, of which the table of versions has none.
			described[i], types[i] = opset.Description{Given: true, Shape: p.shape}, dataTypeName(p.dataType)
		case described[i].Given:
			types[i] = dtypeName(described[i].Dtype)
		}
	}
	if len(inputs) > 3 && described[0].Given && described[3].Given && types[3] != types[0] {
		return nil, fault.Errorf(dense.ErrDtype, "%s: zero_points of type %s, data is of type %s", c.Name(), types[3], types[0])
	}
	if err := c.Check(described); err != nil {
		return nil, err
	}
	return applyBlocks(c, inputs, described, packed[0])
}
