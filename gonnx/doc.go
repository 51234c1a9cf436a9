// Package gathergonnx gives github.com/advancedclimatesystems/gonnx, which runs
// ONNX models in pure Go, the gather and scatter operators of ONNX, and loads
// models of any opset into it.
//
// # Models
//
//	model, err := gathergonnx.LoadFile("model.onnx")
//	out, err := model.Run(gonnx.Tensors{"x": x})
//
// gonnx v1.1.0 itself takes models of opset 13 alone, whose one gather operator
// is Gather. [Load] takes opsets 1 to 28. A node of a gather or a scatter has
// exactly the meaning of the version that the model's opset names, as package
// [gorgonia.org/gather/onnx] has it. A node of gonnx's own operators runs if it
// means in the model's opset what gonnx computes, which is that of opset 13:
//
//   - Most operators mean the same in all opsets since 7 or earlier.
//   - Squeeze and Unsqueeze took their axes as an attribute before opset 13; they
//     are handed to gonnx as an input.
//   - Attributes that came after opset 13 may have the value that leaves the
//     meaning as it was: allowzero of Reshape 0, layout of GRU, LSTM and RNN 0.
//   - start and end of Shape are those of opset 15.
//   - Any other node is computed by package [gorgonia.org/gather/onnx/builders], if
//     that has the operator: Softmax before opset 13, say. If not, it is an error.
//
// That package also has the operators that gonnx lacks, and MatMul: see [Builders]. More
// operators come in layers: a [Layer] is a function like [Operators].
//
// # Errors
//
// Files may come from anywhere: truncated ones, names given twice, cycles, missing
// initializers, dims that do not fit the data, subgraphs and unknown operators are
// errors of [Load], which lists all operators that are missing at once. Bad inputs,
// indices out of range and panics in an operator of gonnx are errors of [Model.Run],
// which name the node. So is a node whose results would take more than 16 GiB, or what
// [Model.SetMaxBytes] allows; the sum of all nodes' results is not bounded.
package gathergonnx
