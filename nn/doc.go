// Package nn has the operators of which models are made, for graphs of Gorgonia that are
// written by hand: one call, one node, the names of PyTorch's functions.
//
//	hidden := G.Must(nn.ReLU(G.Must(nn.Linear(x, w1, b1))))
//	scores := G.Must(nn.Linear(hidden, w2, b2))
//	loss := G.Must(nn.CrossEntropy(scores, classes))
//
//	losses       CrossEntropy NLL MSE Huber BCEWithLogits
//	layers       Linear Conv MaxPool AvgPool LayerNorm RMSNorm GroupNorm BatchNorm Attention MatMul Dropout
//	activations  ReLU LeakyReLU ELU GELU GELUTanh SiLU Softplus Sigmoid Tanh Softmax LogSoftmax
//	along axes   Sum Mean Max Min LogSumExp ArgMax Accuracy
//	arithmetic   Add Sub Mul Div Pow Maximum Minimum Where Neg Abs Exp Log Sqrt Square Clamp
//	shapes       Reshape Flatten Squeeze Unsqueeze Transpose Concat Slice
//
// They are those of package onnx/builders, which has more of them, and are computed as there:
// they can be trained on TapeMachine and on LispMachine, broadcast, and take empty tensors. Some
// of Gorgonia's own give wrong values or gradients: docs/gorgonia.md has a table of them. Others
// are right and as good, and both kinds may be mixed in one graph, but for what that table says.
//
// # Types and errors
//
// Arithmetic is done in float32 and float64; arithmetic of two operands, sums and what moves
// elements take integers, too. Errors name the function and what is allowed, and wrap
// gather.ErrShape, ErrAxis, ErrDtype and ErrOption. Nothing panics.
package nn
