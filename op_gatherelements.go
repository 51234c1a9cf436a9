package gather

// Other layers: operator op_gathers.go, shape shapes/gatherelements.go, tensors
// internal/core/gather.go, loops internal/kernel/gather.go, without a graph
// dense/gather.go, gradient diff/gather_vjp.go, oracle internal/oracle/gather.go.

import (
	"gorgonia.org/gather/internal/plan"
	G "gorgonia.org/gorgonia"
)

// GatherElements picks single elements along an axis, one for each index:
//
//	out[j0, …, j(r-1)] = data[j0, …, indices[j0, …, j(r-1)], …, j(r-1)]
//
// where the index replaces the coordinate of the axis. data and indices have
// the same rank r >= 1; except along the axis no dim of indices may exceed that
// of data. The result has the shape of indices. PyTorch calls this gather, and
// NumPy take_along_axis.
//
// The gradient of data is a scatter-add of the result's gradient along the
// axis, as ScatterElements with the reduction add does; indices have none.
//
// Options: [WithOutOfRange], [WithPadding], [WithNonNegativeIndices]. Errors: as for [Gather].
//
// Sources: ONNX GatherElements-13, OpenVINO GatherElements-6.
func GatherElements(data, indices *G.Node, axis int, opts ...Option) (*G.Node, error) {
	return applyGather(plan.GatherElements, data, indices, axis, opts)
}
