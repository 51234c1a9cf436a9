package gather

// Other layers: operator op_scatters.go, shape shapes/scatter.go, tensors
// internal/core/scatter.go, loops internal/kernel/rows.go, without a graph
// dense/scatter.go, gradient diff/scatter_vjp.go, oracle internal/oracle/scatter.go.

import (
	"gorgonia.org/gather/internal/plan"
	G "gorgonia.org/gorgonia"
)

// ScatterUpdate copies data and puts updates into slices of the copy along an axis:
//
//	out[o…, indices[j…], p…] = updates[o…, j…, p…]
//
// or combines them with what is there: see [WithReduction]. o… are coordinates of
// the axes before axis and p… of those after it. It is the inverse of [Gather].
// Without a reduction the last of several updates of one slice, in row-major order
// of the indices, wins, and gets the gradient. updates have the shape
// s[:axis] ++ i ++ s[axis+1:] and the dtype of data. PyTorch calls this index_copy,
// index_add and index_reduce.
//
// Gradients, options, dtypes and errors: as for [ScatterElements].
//
// Source: OpenVINO ScatterUpdate-3.
func ScatterUpdate(data, indices, updates *G.Node, axis int, opts ...Option) (*G.Node, error) {
	return applyScatter(plan.ScatterUpdate, data, indices, updates, axis, opts)
}
