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
package diff
