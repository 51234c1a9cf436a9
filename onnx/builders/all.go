package builders

import "gorgonia.org/gather/onnx"

// All lets Build use every builder of this package.
func All() onnx.BuildOption { return onnx.WithOperators(builders) }

// Named returns the builder of this package for an operator of ONNX, and whether there is
// one. Use it for [onnx.EvalWith], or to give Build only some of the operators.
func Named(operator string) (onnx.Builder, bool) {
	b, ok := builders[operator]
	return b, ok
}

// builders are all of this package, by the operators' names.
var builders = map[string]onnx.Builder{
	"Add": Add, "Sub": Sub, "Mul": Mul, "Div": Div, "Pow": Pow,
	"Neg": Neg, "Abs": Abs, "Exp": Exp, "Log": Log, "Sqrt": Sqrt, "Tanh": Tanh, "Sigmoid": Sigmoid, "Relu": Relu, "Erf": Erf,
	"MatMul": MatMul, "Gemm": Gemm, "Einsum": Einsum,
	"Softmax": Softmax, "LogSoftmax": LogSoftmax, "ReduceSum": ReduceSum, "ReduceMean": ReduceMean,
	"Reshape": Reshape, "Flatten": Flatten, "Squeeze": Squeeze, "Unsqueeze": Unsqueeze, "Transpose": Transpose, "Expand": Expand,
	"Slice": Slice, "Split": Split, "Concat": Concat, "Cast": Cast, "Dropout": Dropout,
	"Reciprocal": Reciprocal, "Sin": Sin, "Cos": Cos, "Tan": Tan, "Floor": Floor, "Ceil": Ceil, "Round": Round, "Sign": Sign,
	"Gelu": Gelu, "LeakyRelu": LeakyRelu, "ThresholdedRelu": ThresholdedRelu, "Elu": Elu, "Selu": Selu, "Celu": Celu, "Swish": Swish,
	"HardSigmoid": HardSigmoid, "HardSwish": HardSwish, "Softplus": Softplus, "Softsign": Softsign, "Mish": Mish,
	"PRelu": PRelu, "Max": Max, "Min": Min, "Sum": Sum, "Mean": Mean, "Clip": Clip, "Mod": Mod,
	"ReduceSumSquare": ReduceSumSquare, "ReduceL1": ReduceL1, "ReduceL2": ReduceL2, "ReduceMax": ReduceMax, "ReduceMin": ReduceMin,
	"ReduceProd": ReduceProd, "ReduceLogSumExp": ReduceLogSumExp,
	"ArgMax": ArgMax, "ArgMin": ArgMin, "CumSum": CumSum, "TopK": TopK, "Trilu": Trilu,
	"LayerNormalization": LayerNormalization, "RMSNormalization": RMSNormalization, "InstanceNormalization": InstanceNormalization,
	"GroupNormalization": GroupNormalization, "BatchNormalization": BatchNormalization,
	"Conv": Conv, "ConvTranspose": ConvTranspose, "MaxPool": MaxPool, "AveragePool": AveragePool, "GlobalMaxPool": GlobalMaxPool, "GlobalAveragePool": GlobalAveragePool,
	"QuantizeLinear": QuantizeLinear, "DequantizeLinear": DequantizeLinear, "DynamicQuantizeLinear": DynamicQuantizeLinear,
	"MatMulInteger":             MatMulInteger,
	"NegativeLogLikelihoodLoss": NegativeLogLikelihoodLoss, "SoftmaxCrossEntropyLoss": SoftmaxCrossEntropyLoss,
	"Attention": Attention, "RotaryEmbedding": RotaryEmbedding,
	"Compress": Compress, "DepthToSpace": DepthToSpace, "SpaceToDepth": SpaceToDepth,
	"LSTM": LSTM, "GRU": GRU, "RNN": RNN,
	"Pad": Pad, "Tile": Tile, "OneHot": OneHot,
	"SplitToSequence": SplitToSequence, "SequenceAt": SequenceAt, "CastLike": CastLike,
	"LessOrEqual": LessOrEqual, "GreaterOrEqual": GreaterOrEqual, "And": And, "Or": Or, "Xor": Xor, "IsNaN": IsNaN, "IsInf": IsInf,
	"Where": Where, "Equal": Equal, "Less": Less, "Greater": Greater, "Not": Not,
}
