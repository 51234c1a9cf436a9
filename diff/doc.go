// Package diff has the gradient operators of package gather, which uses them in its
// SymDiff and DoDiff. Use them directly to differentiate where gorgonia.Grad cannot
// start: with float16, complex or integer values.
//
// The gradient of a gather is a scatter-add into zeros of data's shape,
//
//	dL/ddata[j] = Σ dL/dout[p]  over all p that read data[j]
//
// which needs the shape of data, not its values. It is linear, and its own
// gradient is the gather again, so gradients of any order exist.
//
// A scatter depends on data and on updates. Each has a gradient operator,
// ScatterGradData and ScatterGradUpdates, whose inputs are the gradient of the result
// and the inputs of the scatter. The forward pass saves nothing: they compute the last
// updates, counts and products again. They have gradients themselves, except those of Min
// and Max; those of Mul have second derivatives but no third. Others are errors.
//
// Indices must be input nodes with names, and any operand may be a constant, as in
// package gather. An error of a run names the operands of the operator that was
// differentiated.
package diff
