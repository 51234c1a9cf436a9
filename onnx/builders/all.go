package builders

import "gorgonia.org/gather/onnx"

// All lets Build use every builder of this package.
func All() onnx.BuildOption { return onnx.WithOperators(builders) }

// builders are all of this package, by the operators' names.
var builders = map[string]onnx.Builder{
	"Add": Add, "Sub": Sub, "Mul": Mul, "Div": Div, "Pow": Pow,
	"Neg": Neg, "Abs": Abs, "Exp": Exp, "Log": Log, "Sqrt": Sqrt, "Tanh": Tanh, "Sigmoid": Sigmoid, "Relu": Relu, "Erf": Erf,
	"MatMul": MatMul, "Gemm": Gemm,
	"Softmax": Softmax, "LogSoftmax": LogSoftmax, "ReduceSum": ReduceSum, "ReduceMean": ReduceMean,
	"Reshape": Reshape, "Flatten": Flatten, "Squeeze": Squeeze, "Unsqueeze": Unsqueeze, "Transpose": Transpose, "Expand": Expand,
	"Slice": Slice, "Split": Split, "Concat": Concat, "Cast": Cast, "Dropout": Dropout,
	"Where": Where, "Equal": Equal, "Less": Less, "Greater": Greater, "Not": Not,
}
