package onnx

import (
	"cmp"

	"gorgonia.org/gather/dense"
	"gorgonia.org/gather/internal/fault"
	"gorgonia.org/gather/internal/opset"
	"gorgonia.org/tensor"
)

// wideDtype is what numbers of 4 bits are here, the zero Dtype for other types.
func wideDtype(dataType int32) tensor.Dtype {
	switch dataType {
	case uint4Data:
		return tensor.Uint8
	case int4Data:
		return tensor.Int8
	}
	return tensor.Dtype{}
}

// unpacked are the numbers in bytes, as a tensor of their shape.
func (p *packedInts) unpacked(from []uint8, budget *opset.Budget) (*tensor.Dense, error) {
	dt := wideDtype(p.dataType)
	if err := takeTensor(budget, dt, p.shape); err != nil {
		return nil, err
	}
	n := p.shape.TotalSize()
	at := func(i int) uint8 { return from[i/2] >> (i % 2 * 4) & 0xf }
	if dt == tensor.Uint8 {
		list := make([]uint8, n)
		for i := range list {
			list[i] = at(i)
		}
		return tensor.New(tensor.WithShape(p.shape...), tensor.WithBacking(list)), nil
	}
	list := make([]int8, n)
	for i := range list {
		list[i] = int8(at(i)<<4) >> 4
	}
	return tensor.New(tensor.WithShape(p.shape...), tensor.WithBacking(list)), nil
}

// wide is a binding whose numbers of 4 bits are elements.
func (b *builder) wide(v *binding) (*binding, error) {
	if v.packed.wide || v.unpacked != nil {
		return cmp.Or(v.unpacked, v), nil
	}
	d, err := v.packed.unpacked(v.known.Uint8s(), b.settings.budget)
	if err != nil {
		return nil, err
	}
	p := *v.packed
	p.wide = true
	// It is no constant of the graph: another value of the initializer would not reach it.
	v.folded, v.unpacked = true, &binding{name: v.name, known: d, packed: &p}
	return v.unpacked, nil
}

// quantized completes a node of QuantizeLinear or DequantizeLinear, whose builder sees
// int8 and uint8 where packed says that the inputs are of 4 bits. It returns what the
// result's numbers are, nil unless they are of 4 bits.
func quantized(node Node, packed []*packedInts) (*packedInts, error) {
	types := [3]int32{}
	for i, p := range packed[:min(3, len(packed))] {
		if p != nil {
			types[i] = p.dataType
		}
	}
	switch qualified(plainDomain(node.Domain), node.OpType) {
	case "DequantizeLinear":
		if len(node.Inputs) > 2 && node.Inputs[2] != "" && types[0] != types[2] {
			return nil, fault.Errorf(dense.ErrDtype, "x and x_zero_point are of different types, one of them is %s", dataTypeName(max(types[0], types[2])))
		}
	case "QuantizeLinear":
		to, _ := node.Attributes["output_dtype"].(int64)
		given := len(node.Inputs) > 2 && node.Inputs[2] != ""
		switch result := int32(to); {
		case given && to != 0 && (types[2] != 0 || wideDtype(result).Type != nil) && result != types[2]:
			return nil, fault.Errorf(dense.ErrDtype, "output_dtype is %s, y_zero_point is of another type", dataTypeName(result))
		case types[2] != 0:
			node.Attributes["output_dtype"] = int64(types[2])
			return &packedInts{dataType: types[2], wide: true}, nil
		case wideDtype(result).Type != nil:
			return &packedInts{dataType: result, wide: true}, nil
		}
	}
	return nil, nil
}
