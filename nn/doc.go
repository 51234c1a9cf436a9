// Package nn has the operators of which models are made, for graphs of Gorgonia that are
// written by hand: one call, one node, the names of PyTorch's functions.
//
//	hidden := G.Must(nn.ReLU(G.Must(nn.Linear(x, w1, b1))))
//	scores := G.Must(nn.Linear(hidden, w2, b2))
//	loss := G.Must(nn.CrossEntropy(scores, classes))
//
//	losses       CrossEntropy NLL MSE L1 Huber BCEWithLogits
//	layers       Linear Conv MaxPool AvgPool LayerNorm RMSNorm GroupNorm BatchNorm Attention Dropout
//	activations  ReLU LeakyReLU ELU GELU GELUTanh SiLU Softplus Sigmoid Tanh Softmax LogSoftmax
//	along axes   Sum Mean Max Min LogSumExp ArgMax Accuracy
//	products     MatMul Einsum
//	arithmetic   Add Sub Mul Div Pow Maximum Minimum Neg Abs Exp Log Sqrt Square Clamp
//	comparisons  Equal Less Greater Not Where
//	shapes       Reshape Flatten Squeeze Unsqueeze Transpose Concat Stack Slice
//	conversions  Cast Detach
//
// What PyTorch calls embedding is gather.Gather of a table and ids, or a lookup of package embedding,
// its gather is gather.GatherElements, and its index_add gather.ScatterUpdate.
//
// Most are those of package onnx/builders, and are computed as there: they can be trained on
// TapeMachine and on LispMachine, broadcast, and take empty tensors. That package has more, such as
// LSTM, GRU, ConvTranspose, Pad, CumSum and TopK, which can be called from a graph written by hand:
//
//	out, err := builders.CumSum(onnx.Node{OpType: "CumSum", Opset: 14}, x, axis)
//
// Some of Gorgonia's own operators give wrong values or gradients: docs/gorgonia.md has a table of
// them, and the comments here name them. Others are right and as good, and both kinds may be mixed
// in one graph, but for what that table says.
//
// # Types and errors
//
// Arithmetic is done in float32 and float64; arithmetic of two operands, comparisons, sums and what
// moves elements take integers, too. All operands of a function have one dtype, unless it says
// otherwise. Errors name the function, the argument and what is allowed, and wrap gather.ErrShape,
// ErrAxis, ErrDtype and ErrOption where that fits. Nothing panics.
package nn
