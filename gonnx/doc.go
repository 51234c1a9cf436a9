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
// is Gather, and computes some of what they say wrongly: Slice with steps or negative ends,
// say. [Load] takes opsets 1 to 28. A node has the meaning of the version that the model's
// opset names:
//
//   - Gathers, scatters, Shape, Size, ConstantOfShape and Range are computed by package
//     [gorgonia.org/gather/onnx].
//   - The operators of package [gorgonia.org/gather/onnx/builders] are computed by that:
//     see [Builders].
//   - gonnx's own are those that these lack, which mean the same in all opsets that have
//     them: Acos, Acosh, Asin, Asinh, Atan, Atanh, Cosh, Sinh, LinearRegressor and Scaler;
//     and PRelu of integers.
//   - Any other node is an error of [Load].
//
// More operators come in layers: a [Layer] is a function like [Operators].
//
// The graphs that nodes are computed with are kept, for a few shapes of each node: other
// inputs of the same shapes make no new ones.
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
