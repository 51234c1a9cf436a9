package builders

import (
	"gorgonia.org/gather/dense"
	"gorgonia.org/gather/internal/opset"
	"gorgonia.org/tensor"
)

// quantizedVersions is the table of what computes with integers that stand for floats.
// Their later versions differ in floats of 8 bits and less, and in integers of 2.
var quantizedVersions = map[string][]version{
	"QuantizeLinear": {
		{since: 10, types: quantizable, min: 2, max: 3},
		{since: 13, types: quantizable, min: 2, max: 3, attributes: []string{"axis"}},
		{since: 19, types: quantizableB, min: 2, max: 3, attributes: []string{"axis", "saturate"}},
		{since: 21, types: quantizableB, min: 2, max: 3, attributes: []string{"axis", "block_size", "output_dtype", "saturate"}},
		{since: 23, types: quantizableB, min: 2, max: 3, attributes: []string{"axis", "block_size", "output_dtype", "precision", "saturate"}},
	},
	"DequantizeLinear": {
		{since: 10, types: bytes.And(tensor.Int32), min: 2, max: 3},
		{since: 13, types: bytes.And(tensor.Int32), min: 2, max: 3, attributes: []string{"axis"}},
		{since: 19, types: bytes.And(tensor.Int32), min: 2, max: 3, attributes: []string{"axis"}},
		{since: 21, types: bytes.And(tensor.Int16, tensor.Uint16, tensor.Int32), min: 2, max: 3, attributes: []string{"axis", "block_size"}},
		{since: 23, types: bytes.And(tensor.Int16, tensor.Uint16, tensor.Int32), min: 2, max: 3, attributes: []string{"axis", "block_size", "output_dtype"}},
	},
	"DynamicQuantizeLinear": {{since: 11, types: opset.Dtypes{tensor.Float32}, min: 1}},
	"MatMulInteger":         {{since: 10, types: bytes, min: 2, max: 4}},
}

var (
	bytes        = opset.Dtypes{tensor.Int8, tensor.Uint8}
	quantizable  = opset.Dtypes{tensor.Float32, tensor.Int32}
	quantizableB = quantizable.And(dense.Float16, bf16)
)
