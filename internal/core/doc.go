// Package core runs the operators on tensors: it checks the inputs, makes or
// checks the result, finds the memory layout and calls the kernels. Package
// dense is its face for users without a graph; the graph operators and their
// gradients call it too.
//
// A call is described by plan.Params. The layouts, dtypes and shapes of all tensors
// are checked before a result is made or written to. Kernels check the indices as they
// read them: after an error about one a dst holds anything, but a scatter's own data
// and the dst of an adjoint are unchanged.
package core
