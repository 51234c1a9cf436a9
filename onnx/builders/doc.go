// Package builders has operators of ONNX that small models commonly use, in addition to
// those of package onnx, for [onnx.Model.Build]:
//
//	built, err := model.Build(g, builders.All())
//
// Each function is an [onnx.Builder]: it adds one node to a graph, by the rules of the
// opset that the node names. It may also be called without a model, or be given to
// [onnx.WithOperator] under another name.
//
//	arithmetic      Add Sub Mul Div Pow Mod Max Min Sum Mean Clip Neg Abs Exp Log Sqrt Erf Reciprocal
//	                Sin Cos Tan Floor Ceil Round Sign
//	activations     Tanh Sigmoid Relu LeakyRelu PRelu ThresholdedRelu Elu Selu Celu Gelu Swish Mish
//	                HardSigmoid HardSwish Softplus Softsign Softmax LogSoftmax Dropout
//	matrices        MatMul Gemm Einsum
//	reductions      ReduceSum ReduceMean ReduceProd ReduceLogSumExp ReduceSumSquare ReduceL1 ReduceL2 ReduceMax ReduceMin
//	                ArgMax ArgMin CumSum TopK
//	normalisations  LayerNormalization RMSNormalization InstanceNormalization GroupNormalization
//	                BatchNormalization
//	windows         Conv ConvTranspose MaxPool AveragePool GlobalMaxPool GlobalAveragePool
//	recurrent       LSTM GRU RNN
//	transformers    Attention RotaryEmbedding
//	quantised       QuantizeLinear DequantizeLinear DynamicQuantizeLinear MatMulInteger
//	shapes          Reshape Flatten Squeeze Unsqueeze Transpose Expand Slice Split Concat Pad Tile Trilu
//	                DepthToSpace SpaceToDepth Compress SplitToSequence SequenceAt
//	losses          NegativeLogLikelihoodLoss SoftmaxCrossEntropyLoss
//	the rest        Cast CastLike OneHot Where Equal Less Greater LessOrEqual GreaterOrEqual Not And Or Xor
//	                IsNaN IsInf
//
// # Gradients
//
// All but the quantised can be trained, on TapeMachine and on LispMachine: every float
// input has a gradient, summed over the axes along which it was broadcast. Integers and
// bools have none. Where a function has no derivative, as Relu at 0, the gradient is PyTorch's.
// Second derivatives are given where they follow from the operators themselves
// (of sums, products, copies, matrix products) and are errors elsewhere.
//
// None uses Gorgonia's own operators, since v0.9.18 computes some of them wrongly:
// docs/gorgonia.md has a table. For graphs that are written by hand package nn has these
// operators as one call each. A value in the graph does
// not change until the next run: no operator here writes to its input.
//
// # Types
//
// Arithmetic is done on float, double and the integers that a version allows; the
// functions of one number and the softmaxes on float and double, float by way of
// double. Operators that only move elements take every type. 16-bit floats are
// moved and converted, and refused elsewhere.
//
// # Inputs that determine the result's shape
//
// Graphs of Gorgonia have fixed shapes. So the shape of a Reshape, the axes of a
// ReduceSum and their like must be known when the graph is built: they are nodes
// that have their value, as initializers have. They stay operands: a run with
// another value is an error.
//
// What a version does not allow is an [*onnx.VersionError]; the other errors wrap
// ErrShape, ErrAxis, ErrDtype and ErrOption of package dense.
//
// Sources: the operator documents of ONNX 1.23 (opset 28).
package builders
