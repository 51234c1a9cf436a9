package gather

import (
	"gorgonia.org/gather/internal/plan"
	G "gorgonia.org/gorgonia"
)

// ScatterUpdate copies data and overwrites slices of the copy along an axis:
//
//	out[o…, indices[j…], p…] = updates[o…, j…, p…]
//
// where o… are coordinates of the axes before axis and p… of those after it. It
// is the inverse of [Gather]. Of several updates of one slice the last in
// row-major order of the indices wins, and gets the gradient. updates have the
// shape s[:axis] ++ i ++ s[axis+1:] and the dtype of data.
//
// Options: [WithNonNegativeIndices]. Errors: as for [Gather].
//
// Source: OpenVINO ScatterUpdate-3.
func ScatterUpdate(data, indices, updates *G.Node, axis int, opts ...Option) (*G.Node, error) {
	return applyScatter(plan.ScatterUpdate, data, indices, updates, axis, opts)
}
