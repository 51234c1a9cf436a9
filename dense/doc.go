// Package dense runs the gather and scatter operators of ONNX and OpenVINO on
// [tensor.Dense] values, without a graph.
//
// # Inputs and results
//
// Inputs may have any memory layout: row-major, column-major, transposed, slices
// of a larger tensor. They are only read, except the destination of an adjoint
// (AddGather) or of [WithReuse], and can be shared by any number of calls at a
// time. A result is row-major and new. It never shares memory with an input.
//
// Read a result by a method of its type, such as Float32s, or keep it alive while
// you use what Data gives:
//
//	out, err := dense.Gather(data, indices, 0)
//	…
//	values := out.Float32s()
//
// In version 0.9.24 of package tensor, Data holds the memory by its address as
// an integer for a moment, which the garbage collector does not see. If nothing
// uses the tensor afterwards, a collection at that moment frees the memory, and
// what Data gives is not the result. A [runtime.KeepAlive] of the tensor behind
// the last use of the values prevents it.
//
// # Errors
//
// Whatever the arguments, a call ends with a result or an error, which names the
// operator. A result that would take more memory than the machine has, as it
// follows from the shapes, is an [ErrShape]. On Linux the limits of control
// groups count, too; where a system does not tell, 1 TiB is allowed.
//
// If a tensor is changed while a call works on it, its result is undefined, or it
// ends with an error that says so. Then what it was to write is undefined, too:
// the data of a scatter in place, the destination of an adjoint or of WithReuse.
//
// # Goroutines
//
// Large calls run on up to GOMAXPROCS goroutines, no more than there are cores.
// They do not change a result, not even its last bits. When a call is over its
// goroutines stay awake for about 0.1 ms, for the next one; in a program whose
// calls come later than that, only now and then. With GOMAXPROCS=1 there are none.
package dense
