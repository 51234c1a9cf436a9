// Package oracle holds reference implementations of the gather and scatter operators, for tests only.
//
// They are slow and meant to be obviously right: every value is addressed by its whole coordinate vector, an odometer walks
// the coordinates in row-major order, and each operator is the formula of its specification written out. Nothing is shared
// with the code under test: no strides, no flattened offsets, no blocks, no threads.
//
// All operators have one form. The indices define a map t from the positions p of the result of a gather (which are also the
// positions of the updates of a scatter) to the positions of data:
//
//	gather:   y[p] = data[t(p)]
//	adjoint:  y[j] = dst[j] + the sum of u[p] over all p with t(p) = j
//	scatter:  y[j] = reduce(data[j], all updates[p] with t(p) = j)
//
// Only t differs from operator to operator (targets.go). Where order matters (sums of floats, the last writer), it is the
// row-major order of p.
//
// Shapes are taken to be valid; a coordinate outside its array panics, so that a wrong expectation is loud. Bad index values
// are not programming errors: they are reported as a BadIndex.
package oracle
