// Package onnx runs ONNX's gather and scatter operators in Gorgonia graphs and on plain
// tensors. Each has exactly the meaning of the version that a node or a model names.
//
// # Nodes
//
// [Apply] adds one node to a graph, and [Eval] computes it without a graph. A
// [Node] is an operator's name, the opset it is written for, and its attributes;
// the operator's version is the newest one not newer than the opset:
//
//	Gather           1, 11, 13          GatherElements   11, 13
//	GatherND         11, 12, 13         Scatter          9 (not from opset 11 on)
//	ScatterElements  11, 13, 16, 18     ScatterND        11, 13, 16, 18
//	TensorScatter    24                 ArrayFeatureExtractor  1, of domain ai.onnx.ml
//	GatherBlockQuantized  1, of domain com.microsoft
//
// An opset above 28, the newest that is known here, is read as 28 is.
//
// What a version does not allow is a [*VersionError], which names the first opset that
// allows it: types of data (bfloat16 came with opset 13), types
// of indices (int32 and int64, for the ND operators and TensorScatter int64
// alone), attributes (batch_dims of GatherND came with 12, reduction of the
// scatters with 16) and their values (min and max came with 18).
//
// Where the text of a version is silent this package does what ONNX Runtime
// does, and where the two disagree it follows the text:
//
//   - Gather-1 and Scatter-9 do not speak of negative indices; they count from
//     the end, as from opset 11 on. TensorScatter's write_indices do not: a
//     negative one is an error.
//   - An index out of range is an error, in every operator and version.
//   - GatherND needs at least one coordinate in a tuple (k >= 1), and the batch
//     dims of its inputs must be equal. ScatterND's tuples may have length 0: each
//     of them addresses all of data.
//   - With reduction none, the last of several updates of one element is the result,
//     in row-major order; ONNX leaves it open. Min and max with a NaN are NaN.
//   - TensorScatter in mode circular takes the position modulo the axis's size,
//     and nothing else, unlike ONNX's own reference implementation.
//   - A shape may be anything that the inputs' shapes allow, empty included.
//
// Gradients are those of package gather: for data and updates, in every
// reduction, and none for indices. TensorScatter has them too, GatherBlockQuantized
// has none.
//
// # Types
//
// ONNX's types are tensor's: float is float32 and double is float64. float16 is
// [github.com/x448/float16.Float16] and bfloat16 is
// [gorgonia.org/gather/dense.BF16]. Go's int and uint are none of ONNX's types
// and are refused, as data and as indices. The types of eight bits and fewer that
// ONNX has for quantised floats and integers do not exist here, with one exception:
// initializers of type INT4 and UINT4 may be data and zero_points of a
// GatherBlockQuantized. Such an initializer is a constant of the graph, of type uint8:
// a vector of its bytes, two numbers in each, the first in the lower half.
// [Graph.Weights] gives these bytes and [Model.Write] takes them.
//
// # Models
//
// [ReadModel] reads a file, [ReadModelFile] one that keeps tensors in others, and
// [Model.Build] adds it to a graph: the operators above, Constant and Identity,
// what can be computed from shapes, and the operators of [WithOperator], of
// which package onnx/builders has many. [Graph.Trainable] are the weights to train,
// [Graph.Untrained] lists those of PyTorch that are not trained as PyTorch would,
// and after training [Model.Write] writes the file with the new ones; docs/onnx.md
// says which models can be imported. [EvalWith] computes one node by a builder, without a
// graph. [ReadTensor] reads a tensor file. An error about a node, also one of a run,
// is a [*NodeError] that names it.
//
// # Files
//
// [ReadModel] and [ReadTensor] may read untrusted files: reading ends quickly, allocates
// less than 16 times the size of the file, and returns an error if the file is cut off or malformed.
// What is wrong with a node or with the values of an initializer Build reports. The
// values of a model may take much more than its file: [WithMaxBytes] bounds them.
//
// Sources: the operator documents and onnx.proto of ONNX 1.23 (opset 28).
package onnx
