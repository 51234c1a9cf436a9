package gather

// Other layers: operator op_gathers.go, shape shapes/gathernd.go, tensors
// internal/core/gather.go, loops internal/kernel/rows.go, without a graph
// dense/gather.go, gradient diff/gather_vjp.go, oracle internal/oracle/gather.go.

import (
	"gorgonia.org/gather/internal/plan"
	G "gorgonia.org/gorgonia"
)

// GatherND picks slices of data by index tuples, which are the last dim of
// indices:
//
//	out[β…, j…, p…] = data[β…, indices[β…, j…, 0], …, indices[β…, j…, k-1], p…]
//
// where β… are the coordinates of the b batch dims, k is the last dim of
// indices, 1 <= k <= r-b, and p… are the coordinates of the remaining r-b-k
// axes. The result has the shape i[:q-1] ++ s[b+k:], or with
// [WithFusedBatchDims] the same with the batch dims multiplied into one.
//
// The gradient of data is a scatter-add of the result's gradient; indices have
// none.
//
// Options: [WithBatchDims], [WithFusedBatchDims], [WithOutOfRange], [WithPadding],
// [WithNonNegativeIndices]. Errors: as for [Gather].
//
// Sources: ONNX GatherND-13, OpenVINO GatherND-8, and GatherND-5 for fused
// batch dims.
func GatherND(data, indices *G.Node, opts ...Option) (*G.Node, error) {
	return applyGather(plan.GatherND, data, indices, 0, opts)
}
