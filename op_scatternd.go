package gather

// Other layers: operator op_scatters.go, shape shapes/scatter.go, tensors
// internal/core/scatter.go, loops internal/kernel/rows.go, without a graph
// dense/scatter.go, gradient diff/scatter_vjp.go, oracle internal/oracle/scatter.go.

import (
	"gorgonia.org/gather/internal/plan"
	G "gorgonia.org/gorgonia"
)

// ScatterND copies data and puts updates into the slices of the copy that index
// tuples, the last dim of indices, pick:
//
//	out[indices[j…, 0], …, indices[j…, k-1], p…] = updates[j…, p…]
//
// or combines them with what is there: see [WithReduction]. It is the inverse
// of [GatherND]. k is the last dim of indices, 0 <= k <= r; updates have the
// shape i[:q-1] ++ s[k:] and the dtype of data. A tuple of length 0 picks the whole
// of data.
//
// Gradients, options, dtypes and errors: as for [ScatterElements].
//
// Sources: ONNX ScatterND-18, OpenVINO ScatterNDUpdate-15.
func ScatterND(data, indices, updates *G.Node, opts ...Option) (*G.Node, error) {
	return applyScatter(plan.ScatterND, data, indices, updates, 0, opts)
}
