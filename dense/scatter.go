package dense

import (
	"gorgonia.org/gather/internal/core"
	"gorgonia.org/gather/internal/plan"
	"gorgonia.org/tensor"
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
// number or bool, as each [Reduction] says. A mean needs memory of its own: some
// hundred kilobytes on each thread, more where a line along the axis is longer than
// that, and 8 bytes for each update where a dim of indices that is neither the
// first nor the axis is smaller than that of data.
//
// Options: [WithReduction], [WithInitValue], [WithOutOfRange], [WithPadding],
// [WithNonNegativeIndices], [WithReuse]. Errors: as for [Gather].
//
// Sources: ONNX ScatterElements-18, OpenVINO ScatterElementsUpdate-12.
func ScatterElements(data, indices, updates tensor.Tensor, axis int, opts ...Option) (*tensor.Dense, error) {
	var p plan.Params
	dst, err := p.Resolve(plan.ScatterElements, axis, opts...)
	if err != nil {
		return nil, err
	}
	return core.Scatter(&p, dst, data, indices, updates)
}

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
// Options, dtypes and errors: as for [ScatterElements].
//
// Sources: ONNX ScatterND-18, OpenVINO ScatterNDUpdate-15.
func ScatterND(data, indices, updates tensor.Tensor, opts ...Option) (*tensor.Dense, error) {
	var p plan.Params
	dst, err := p.Resolve(plan.ScatterND, 0, opts...)
	if err != nil {
		return nil, err
	}
	return core.Scatter(&p, dst, data, indices, updates)
}

// ScatterUpdate copies data and puts updates into slices of the copy along an axis:
//
//	out[o…, indices[j…], p…] = updates[o…, j…, p…]
//
// or combines them with what is there: see [WithReduction]. o… are coordinates of
// the axes before axis and p… of those after it. It is the inverse of [Gather].
// Without a reduction the last of several updates of one slice, in row-major order
// of the indices, wins. updates have the shape s[:axis] ++ i ++ s[axis+1:] and the
// dtype of data. PyTorch calls this index_copy, index_add and index_reduce; with
// [WithReuse] of data it changes data in place.
//
// Options, dtypes and errors: as for [ScatterElements].
//
// Source: OpenVINO ScatterUpdate-3.
func ScatterUpdate(data, indices, updates tensor.Tensor, axis int, opts ...Option) (*tensor.Dense, error) {
	var p plan.Params
	dst, err := p.Resolve(plan.ScatterUpdate, axis, opts...)
	if err != nil {
		return nil, err
	}
	return core.Scatter(&p, dst, data, indices, updates)
}
