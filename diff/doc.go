// Package diff holds the gradient operators of package gather. It is made for
// that package's SymDiff and DoDiff; use it directly to differentiate where
// gorgonia.Grad cannot start, as with float16, complex or integer values.
//
// The gradient of a gather is a scatter-add into zeros of data's shape,
//
//	dL/ddata[j] = Σ dL/dout[p]  over all p that read data[j]
//
// which needs the shape of data, not its values. It is linear, and its own
// gradient is the gather again, so gradients of any order exist. The operator
// holds the gather it is the adjoint of in a field.
//
// A scatter depends on data and on updates, each of which has its own gradient
// operator, ScatterGradData and ScatterGradUpdates, over the gradient of the
// result and the inputs of the scatter. What they need to know of the forward
// pass, the last writers, the counts and the products, they work out anew: the
// forward pass saves nothing. Their own gradients exist except for the
// reductions Min and Max, and take a product to its second derivative; any
// further ones are refused with an error.
//
// Indices must be input nodes with names, and any operand may be a constant, as in
// package gather. An error of a run names the operands of the operator that was
// differentiated.
package diff
