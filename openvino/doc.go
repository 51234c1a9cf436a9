// Package openvino runs OpenVINO's gather and scatter operators, and those that sum
// rows by index, in Gorgonia graphs and on plain tensors. Each has exactly the meaning
// of the version that a layer of an IR file names.
//
// # Layers
//
// [Apply] adds one layer to a graph, and [Eval] computes it without a graph. A
// [Layer] is an operator's name, the operator set it is written for, and its
// attributes; [ReadLayers] reads them from a file:
//
//	layers, err := openvino.ReadLayers(file)            // or a Layer made by hand
//	out, err := openvino.Eval(layers[3], data, indices) // on tensors
//	node, err := openvino.Apply(layers[3], data, indices) // into a Gorgonia graph
//
// # Versions
//
// A layer names an operator set, such as opset8. The operator's version is the
// newest one of its operator not above that set:
//
//	Gather                 1, 7, 8
//	GatherElements         6
//	GatherND               5, 8
//	GatherTree             1
//	ScatterUpdate          3
//	ScatterElementsUpdate  3, 12
//	ScatterNDUpdate        3, 15
//	EmbeddingBagOffsetsSum 3, and EmbeddingBagOffsets 15
//	EmbeddingBagPackedSum  3, and EmbeddingBagPacked 15
//	EmbeddingSegmentsSum   3
//	SegmentMax             16
//
// What a version does not allow (dtypes, attributes, reductions, negative indices) is a
// [*VersionError], which names the first operator set, or release, that allows it. Other
// indices that are out of range are a [*dense.IndexError], or zeros: Gather-7 gives zeros
// for all that are not in its range, and so for negative ones.
//
// # Where the axis is an input
//
// Gather, ScatterUpdate and ScatterElementsUpdate take the axis as their last
// input. Shapes depend on it, so its value must be known before anything runs:
// it is Layer.Axis, or the value of the last input when Apply or Eval is called.
// With Layer.Axis that input may be left out. If both are given they must be equal.
//
// The inputs num_segments and default_index also need a value when Apply or Eval is
// called. A SegmentMax without num_segments takes the number from its segment ids,
// which then need a value, too. Layer.NumSegments is for OutputShape.
//
// # Memory
//
// A result may be as large as the machine's memory; a larger one is an error before it is
// allocated. A num_segments of one number, or one large segment id where it is left out,
// asks for so many rows. If inputs come from elsewhere, set Layer.NumSegments: another
// num_segments is an error then, and an id does not change the shape, which OutputShape
// tells. Indices ask for no more than their own number of rows.
//
// # Types
//
// OpenVINO's types are tensor's: boolean is bool, i64 is int64 and f32 is float32.
// f16 is [github.com/x448/float16.Float16] and bf16 is
// [gorgonia.org/gather/dense.BF16]. An int counts as i64 or i32, whichever it is on
// the machine, and a uint likewise. OpenVINO has no complex numbers.
//
// # Files
//
// [ReadLayers] may read untrusted files: reading ends quickly, keeps less than 16 times
// the size of the text in memory, and returns an error if anything is wrong.
// [WithMaxBytes] sets another bound.
//
// # Where OpenVINO departs from its own text
//
// This package follows the specification. OpenVINO's CPU device does not always:
// it reads past the end of a tensor where the specification promises an exception, and
// accepts negative indices in versions that exclude them. The tests replay results of
// OpenVINO, and list every such difference.
//
// Sources: the operator documents of opset1 to opset17, and what OpenVINO 2026.4.1
// computes.
package openvino
