// Package adjoint holds the gradients of scatters, and means of integers and of very
// large blocks. They must know something of every target: how many updates it has,
// their product, the greatest of them. They run on tiles of data, one after the other,
// for which that is kept in the near caches: see tile.go.
//
// A Scatter says what is combined, and a kernel.Call, which is read and never changed,
// by which indices.
package adjoint
