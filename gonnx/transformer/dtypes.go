package transformer

import (
	"slices"

	"gorgonia.org/gather/dense"
	"gorgonia.org/gather/gonnx/internal/node"
	"gorgonia.org/tensor"
)

// The sets of dtypes that the versions list. bfloat16 came with opset 13.
var (
	signed   = []tensor.Dtype{tensor.Int8, tensor.Int16, tensor.Int32, tensor.Int64}
	unsigned = []tensor.Dtype{tensor.Uint8, tensor.Uint16, tensor.Uint32, tensor.Uint64}
	floats   = []tensor.Dtype{dense.Float16, tensor.Float32, tensor.Float64}
	wideInts = []tensor.Dtype{tensor.Int32, tensor.Int64, tensor.Uint32, tensor.Uint64}
	int64s   = []tensor.Dtype{tensor.Int64}

	numbers   = slices.Concat(signed, unsigned, floats)
	all16     = node.Dtypes()
	all       = slices.DeleteFunc(node.Dtypes(), func(dt tensor.Dtype) bool { return dt == dense.BFloat16 })
	floats16  = slices.Concat(floats, []tensor.Dtype{dense.BFloat16})
	numbers16 = slices.Concat(numbers, []tensor.Dtype{dense.BFloat16})
)
