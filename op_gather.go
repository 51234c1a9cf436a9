package gather

// Other layers: operator op_gathers.go, shape shapes/gather.go, tensors
// internal/core/gather.go, loops internal/kernel/gather.go, without a graph
// dense/gather.go, gradient diff/gather_vjp.go, oracle internal/oracle/gather.go.

import (
	"gorgonia.org/gather/internal/plan"
	G "gorgonia.org/gorgonia"
)

// Gather picks slices of data along an axis:
//
//	out[o…, j…, p…] = data[o…, indices[j…], p…]
//
// where o… are coordinates of the axes before axis and p… of those after it.
// With [WithBatchDims] each batch of data is indexed by its own indices:
//
//	out[β…, o…, j…, p…] = data[β…, o…, indices[β…, j…], p…]
//
// data is of rank r >= 1 and of any dtype without pointers, or string; indices
// are integers of any dtype and rank, a scalar too. The result has the shape
// s[:axis] ++ i[b:] ++ s[axis+1:]. A negative axis counts from the end, and so
// do negative indices.
//
// The gradient of data is a scatter-add of the result's gradient; indices have
// none.
//
// Options: [WithBatchDims], [WithOutOfRange], [WithPadding], [WithNonNegativeIndices]. Errors
// when building: [ErrShape], [ErrAxis], [ErrDtype], [ErrOption]; when running: an [*IndexError],
// see [AsIndexError].
//
// Sources: ONNX Gather-13, OpenVINO Gather-8.
func Gather(data, indices *G.Node, axis int, opts ...Option) (*G.Node, error) {
	return applyGather(plan.Gather, data, indices, axis, opts)
}
