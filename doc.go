// Package gather adds the gather and scatter operators of ONNX and OpenVINO to
// Gorgonia graphs, with correct gradients.
//
//	g := G.NewGraph()
//	table := G.NewMatrix(g, tensor.Float32, G.WithShape(1000, 64), G.WithName("table"))
//	words := G.NewMatrix(g, tensor.Int64, G.WithShape(32, 20), G.WithName("words"))
//	embedded, err := gather.Gather(table, words, 0) // (32, 20, 64)
//
// A gather reads data where indices say: [Gather] whole slices along an axis,
// [GatherElements] one element for each index, [GatherND] slices by tuples of
// indices. A scatter copies data and writes updates there: [ScatterUpdate],
// [ScatterElements] and [ScatterND]. [GatherTree] reads the beams of a beam search.
// [EmbeddingBagOffsets], [EmbeddingBagPacked] and [EmbeddingSegments] gather rows and
// sum them at once, or take their mean or maximum; [SegmentSum], [SegmentMean],
// [SegmentMin], [SegmentMax] and [SegmentProd] do so with the rows of data in their
// order, and [SegmentSoftmax] makes weights of them.
// Each function's text has its formula, its shapes and an example; options come
// last, as in gather.Gather(table, words, 0, gather.WithOutOfRange(gather.ZeroFill)).
//
// # Words
//
// data is what is read or written, indices say where; axis and batch dims are
// counted from 0. In shapes, r is the rank of data and s its shape, q the rank
// of indices and i their shape, b the number of batch dims, k the last dim of
// GatherND's indices, and ++ joins shapes.
//
// # Index nodes, and constants
//
// Indices are input nodes, each with a name of its own, as above, and set with
// gorgonia.Let; or they do not change, and are made with gorgonia.NewConstant:
//
//	rows := tensor.New(tensor.WithBacking([]int64{2, 0}))
//	picked, err := gather.Gather(table, G.NewConstant(rows), 0)
//
// Indices that are an input node without a name are an error: Gorgonia makes one node of
// all such nodes of one type and shape. It also makes one node of input nodes of one name,
// type and shape, which cannot be detected here.
//
// A constant may be any operand of any operator of this module. Gorgonia merges
// constants that print alike, and prints long tensors without their middle. So a
// constant becomes an input node that holds its value, with a name like
// "gather: constant 1", in the graph of the first operand that has one; it is among
// the graph's Inputs then. One tensor is one node, however often it is given, and
// is not copied. A constant that was put into the graph before, by AddNode, is left
// as it is: Gorgonia has merged it by then.
//
// # Indices out of range
//
// Negative indices count from the end, unless [WithNonNegativeIndices] is
// given. An index out of range stops the run with an [*IndexError], which
// [AsIndexError] finds in the error of RunAll. [WithOutOfRange] changes that: with
// [ZeroFill] a gather gives zeros, and a bag leaves the position out; with [Clamp] a
// gather reads the nearest element; with [Skip] a scatter leaves the update out, and an
// operator of segments the row. [WithPadding] names one index, -1 say, that stands for
// nothing. Gradients follow their operator.
//
// # Gradients
//
// All operators work with gorgonia.Grad and TapeMachine, and with LispMachine's
// own backward pass. Where a gather has read an element several times its
// gradient is the sum, added in row-major order of the indices whatever the
// number of threads. The scatters have gradients of data and of updates for
// every [Reduction], also where several updates meet; package diff lists the
// formulas. The gradients are operators themselves, with gradients of their own
// wherever a second derivative exists. Indices have no gradient: Grad refuses to
// differentiate with respect to them.
//
// # A model
//
// Package nn has the layers, losses and arithmetic of models, one call each; docs/model.md makes a
// model of them. Package embedding has tables of which a step changes only the rows it looks up.
//
// # Without a graph
//
// Package dense has the same operators on *tensor.Dense.
//
// # Mistakes that give no error
//
// Two index inputs of one name, a second run without Reset, gradients that add up
// because nothing clears them: docs/gorgonia.md of this repository lists what cannot
// be seen from here, and docs/recipes.md what to do instead.
//
// # Reading values
//
// Read tensors by Float32s, Float64s, Int64s and the like, not by Data, which for a
// moment holds the memory by an integer alone: package dense says more.
package gather
