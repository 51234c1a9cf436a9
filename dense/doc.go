// Package dense has the gather and scatter operators of ONNX and OpenVINO on
// *tensor.Dense, for programs without a graph, and the adjoints of the gathers for
// gradients by hand.
//
//	table := tensor.New(tensor.WithShape(3, 2), tensor.WithBacking([]float64{0, 1, 10, 11, 20, 21}))
//	rows := tensor.New(tensor.WithBacking([]int64{2, 0, -1}))
//	picked, err := dense.Gather(table, rows, 0) // (3, 2): 20 21, 0 1, 20 21
//
// Tensors may be in any layout: row-major, column-major, transposed, sliced,
// scalars or empty; masked and sparse ones are errors. Inputs are only read, and
// may be shared by goroutines; a result shares no memory with them.
//
// Nothing panics on bad input. An index out of range is an [*IndexError], all else
// one of the errors below.
//
// # Reading results
//
// Read a result by Float32s, Float64s, Int64s and the like, not by Data, unless the
// tensor is used again behind it. Data of tensor v0.9.24 holds the memory by an
// integer for a moment. If nothing else keeps the tensor, and a garbage collection
// falls into that moment, the slice is one of memory that is free: values change,
// or the program dies of "found bad pointer in Go heap". Where Data is needed, as
// for a type without such a method, keep the tensor alive:
//
//	r, err := dense.Gather(table, rows, 0)
//	v := r.Data().([]myFloat)
//	…
//	runtime.KeepAlive(r)
//
// In shapes, r is the rank of data and s its shape, q the rank of indices and i
// their shape, b the number of batch dims, k the last dim of an indices tensor of
// tuples, and ++ joins shapes.
package dense
