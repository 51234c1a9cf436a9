package gather

// Other layers: operator op_scatters.go, shape shapes/scatter.go, tensors
// internal/core/scatter.go, loops internal/kernel/scatter.go, without a graph
// dense/scatter.go, gradient diff/scatter_vjp.go, oracle internal/oracle/scatter.go.

import (
	"gorgonia.org/gather/internal/plan"
	G "gorgonia.org/gorgonia"
)

// ScatterElements copies data and puts single updates into the copy, one for
// each index:
//
//	out[j0, …, indices[j0, …, j(r-1)], …, j(r-1)] = updates[j0, …, j(r-1)]
//
// where the index replaces the coordinate of the axis, or combines updates with
// what is there: see [WithReduction]. It is the inverse of [GatherElements].
// data, indices and updates have the same rank r >= 1, updates the shape of
// indices and the dtype of data; except along the axis no dim of indices may
// exceed that of data.
//
// Without a reduction the dtype is any without pointers, or string; with one it is a
// number or bool, as each [Reduction] says.
//
// Both data and updates have gradients, for every reduction; package diff gives
// the formulas. Indices have none.
//
// Options: [WithReduction], [WithInitValue], [WithOutOfRange], [WithPadding],
// [WithNonNegativeIndices]. Errors: as for [Gather].
//
// Sources: ONNX ScatterElements-18, OpenVINO ScatterElementsUpdate-12.
func ScatterElements(data, indices, updates *G.Node, axis int, opts ...Option) (*G.Node, error) {
	return applyScatter(plan.ScatterElements, data, indices, updates, axis, opts)
}
