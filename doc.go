// Package gather adds the gather and scatter operators of ONNX and OpenVINO to
// Gorgonia graphs, with right gradients.
//
//	g := G.NewGraph()
//	table := G.NewMatrix(g, tensor.Float32, G.WithShape(1000, 64), G.WithName("table"))
//	words := G.NewMatrix(g, tensor.Int64, G.WithShape(32, 20), G.WithName("words"))
//	embedded, err := gather.Gather(table, words, 0) // (32, 20, 64)
//
// # Words
//
// data is what is read or written, indices say where; axis and batch dims are
// counted from 0. In shapes, r is the rank of data and s its shape, q the rank
// of indices and i their shape, b the number of batch dims, k the last dim of
// GatherND's indices, and ++ joins shapes.
//
// # Index nodes
//
// Make index tensors input nodes, each with a name of its own, as above, and
// set them with gorgonia.Let. Do not make them with gorgonia.NewConstant:
// Gorgonia merges nodes that look alike, constants look alike if their printed
// form does, and that form leaves out the middle of long tensors. Two constants
// of 100 indices that differ in the 50th become one node. Unnamed inputs of
// equal type and shape merge too.
//
// # Indices out of range
//
// Negative indices count from the end, unless [WithNonNegativeIndices] is
// given. An index out of range stops the run with an [*IndexError], which
// [AsIndexError] finds in the error of RunAll; with [WithOutOfRange] and
// [ZeroFill] it gives zeros instead, and no gradient.
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
// # Without a graph
//
// Package dense has the same operators on *tensor.Dense.
package gather
