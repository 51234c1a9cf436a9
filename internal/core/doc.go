// Package core runs the operators on tensors: it checks the inputs, makes or
// checks the result, finds the memory layout and calls the kernels. Package
// dense is its face for users without a graph; the graph operators and their
// gradients call it too.
//
// A call is described by plan.Params. The tensors are checked in the same
// order everywhere: dtypes and layouts, shapes, indices; only then is a result
// made or written to.
package core
