package dense

import (
	"gorgonia.org/gather/internal/core"
	"gorgonia.org/gather/internal/plan"
	"gorgonia.org/tensor"
)

// Gather picks slices of data along an axis:
//
//	out[o…, j…, p…] = data[o…, indices[j…], p…]
//
// where o… are coordinates of the axes before axis and p… of those after it.
// With batch dims, each batch of data is indexed by its own indices:
//
//	out[β…, o…, j…, p…] = data[β…, o…, indices[β…, j…], p…]
//
// data is of rank r >= 1 and any dtype without pointers, or string; indices are
// integers of any rank, a scalar too. The result has the shape
// s[:axis] ++ i[b:] ++ s[axis+1:]. It never shares memory with an input.
//
// Options: [WithBatchDims], [WithOutOfRange], [WithPadding], [WithNonNegativeIndices],
// [WithReuse]. Errors: [ErrShape], [ErrAxis], [ErrDtype], [ErrOption], [ErrLayout],
// [*IndexError].
//
// Sources: ONNX Gather-13, OpenVINO Gather-8.
func Gather(data, indices tensor.Tensor, axis int, opts ...Option) (*tensor.Dense, error) {
	var p plan.Params
	dst, err := p.Resolve(plan.Gather, axis, opts...)
	if err != nil {
		return nil, err
	}
	return core.Gather(&p, dst, data, indices)
}

// GatherElements picks single elements along an axis, one for each index:
//
//	out[j0, …, j(r-1)] = data[j0, …, indices[j0, …, j(r-1)], …, j(r-1)]
//
// where the index replaces the coordinate of the axis. data and indices have
// the same rank r >= 1; except along the axis no dim of indices may exceed that
// of data. The result has the shape of indices. PyTorch calls this gather, and
// NumPy take_along_axis.
//
// Options: [WithOutOfRange], [WithPadding], [WithNonNegativeIndices], [WithReuse]. Errors: as for
// [Gather].
//
// Sources: ONNX GatherElements-13, OpenVINO GatherElements-6.
func GatherElements(data, indices tensor.Tensor, axis int, opts ...Option) (*tensor.Dense, error) {
	var p plan.Params
	dst, err := p.Resolve(plan.GatherElements, axis, opts...)
	if err != nil {
		return nil, err
	}
	return core.Gather(&p, dst, data, indices)
}

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
// Options: [WithBatchDims], [WithFusedBatchDims], [WithOutOfRange], [WithPadding],
// [WithNonNegativeIndices], [WithReuse]. Errors: as for [Gather].
//
// Sources: ONNX GatherND-13, OpenVINO GatherND-8, and GatherND-5 for fused
// batch dims.
func GatherND(data, indices tensor.Tensor, opts ...Option) (*tensor.Dense, error) {
	var p plan.Params
	dst, err := p.Resolve(plan.GatherND, 0, opts...)
	if err != nil {
		return nil, err
	}
	return core.Gather(&p, dst, data, indices)
}
