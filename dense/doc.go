// Package dense has the gather and scatter operators of ONNX and OpenVINO on
// *tensor.Dense, for programs without a graph, and the adjoints of the gathers
// and of bags of rows for gradients by hand.
//
//	table := tensor.New(tensor.WithShape(3, 2), tensor.WithBacking([]float64{0, 1, 10, 11, 20, 21}))
//	rows := tensor.New(tensor.WithBacking([]int64{2, 0, -1}))
//	picked, err := dense.Gather(table, rows, 0) // (3, 2): 20 21, 0 1, 20 21
//
// In shapes, r is the rank of data and s its shape, q the rank of indices and i
// their shape, b the number of batch dims, k the last dim of an indices tensor of
// tuples, and ++ joins shapes.
//
// # Inputs and results
//
// Inputs may be in any layout: row-major, column-major, transposed, sliced, scalars
// or empty; masked and sparse ones are errors. They are only read, except the
// dst of an adjoint (AddGather) or of [WithReuse], and can be shared by any
// number of calls at a time. A result is row-major and new. It never shares memory
// with an input.
//
// Read a result by Float32s, Float64s, Int64s and the like, not by Data, unless the
// tensor is used again after that. In tensor v0.9.24 Data for a moment holds the memory
// by an integer, which the garbage collector does not see. If nothing else refers to the
// tensor, and a collection falls into that moment, the memory of the slice is free:
// values change, or the program dies of "found bad pointer in Go heap". Where Data is
// needed, as for a type without such a method, keep the tensor alive:
//
//	r, err := dense.Gather(table, rows, 0)
//	v := r.Data().([]myFloat)
//	…
//	runtime.KeepAlive(r)
//
// # Errors
//
// Whatever the arguments, a call ends with a result or an error, which names the
// operator. An index out of range is an [*IndexError], all else one of the errors
// below. Shapes whose result would take more memory than the machine has are an
// [ErrShape]. On Linux the limits of control groups count, too; where the system does
// not tell, 1 TiB is allowed.
//
// If a tensor is changed while a call works on it, the result is undefined, or the call
// ends with an error that says so. Then what it was to write is undefined, too: the data
// of a scatter in place, the dst of an adjoint or of WithReuse.
//
// # Goroutines
//
// Large calls run on up to GOMAXPROCS goroutines, no more than there are cores. Their
// number does not change a result, not even its last bits. When a call is over, the
// goroutines watch for the next one for 0.1 to 0.2 ms; in a program whose calls come
// later than that, they do so only now and then. With GOMAXPROCS=1 there are none.
package dense
