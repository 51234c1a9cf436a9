package dense

import (
	"gorgonia.org/gather/internal/kernel"
	"gorgonia.org/gather/internal/plan"
	"gorgonia.org/gather/shapes"
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
// Options: [WithBatchDims], [WithOutOfRange], [WithNonNegativeIndices],
// [WithReuse]. Errors: [ErrShape], [ErrAxis], [ErrDtype], [ErrOption],
// [ErrLayout], [*IndexError].
//
// Sources: ONNX Gather-13, OpenVINO Gather-8.
func Gather(data, indices tensor.Tensor, axis int, opts ...Option) (*tensor.Dense, error) {
	p, dst, err := plan.New(plan.Gather, axis, opts...)
	if err != nil {
		return nil, err
	}
	d, x, err := inputs(p.Op, data, indices)
	if err != nil {
		return nil, err
	}
	shape, err := shapes.Gather(d.shape, x.shape, p.Axis, p.BatchDims)
	if err != nil {
		return nil, err
	}
	return gather(p, dst, shape, &d, &x)
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
// Options: [WithOutOfRange], [WithNonNegativeIndices], [WithReuse]. Errors: as
// for [Gather].
//
// Sources: ONNX GatherElements-13, OpenVINO GatherElements-6.
func GatherElements(data, indices tensor.Tensor, axis int, opts ...Option) (*tensor.Dense, error) {
	p, dst, err := plan.New(plan.GatherElements, axis, opts...)
	if err != nil {
		return nil, err
	}
	d, x, err := inputs(p.Op, data, indices)
	if err != nil {
		return nil, err
	}
	shape, err := shapes.GatherElements(d.shape, x.shape, p.Axis)
	if err != nil {
		return nil, err
	}
	return gather(p, dst, shape, &d, &x)
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
// Options: [WithBatchDims], [WithFusedBatchDims], [WithOutOfRange],
// [WithNonNegativeIndices], [WithReuse]. Errors: as for [Gather].
//
// Sources: ONNX GatherND-13, OpenVINO GatherND-8, and GatherND-5 for fused
// batch dims.
func GatherND(data, indices tensor.Tensor, opts ...Option) (*tensor.Dense, error) {
	p, dst, err := plan.New(plan.GatherND, 0, opts...)
	if err != nil {
		return nil, err
	}
	d, x, err := inputs(p.Op, data, indices)
	if err != nil {
		return nil, err
	}
	shape, err := shapes.GatherND(d.shape, x.shape, p.BatchDims)
	if err != nil {
		return nil, err
	}
	if p.FusedBatchDims {
		shape = shapes.FuseBatchDims(shape, p.BatchDims)
	}
	return gather(p, dst, shape, &d, &x)
}

// inputs looks at the two inputs that every operator but GatherTree has.
func inputs(op plan.Op, data, idx tensor.Tensor) (d view, x indices, err error) {
	if d, err = viewOf(op, "data", data); err != nil {
		return d, x, err
	}
	x, err = indicesOf(op, idx)
	return d, x, err
}

// gather runs one of the three gathers, whose shapes fit.
func gather(p plan.Params, dst *tensor.Dense, shape tensor.Shape, data *view, x *indices) (*tensor.Dense, error) {
	p = p.Normal(len(data.shape), len(x.shape))
	x.load()
	defer x.release()
	if p.OutOfRange == Reject && (data.size == 0 || product(shape) == 0) {
		// No kernel will look at the indices, or all of them are wrong and the
		// result need not be made.
		if err := check(p, data, x); err != nil {
			return nil, err
		}
	}
	out, items, err := result(p, dst, shape, data.dtype, data, &x.view)
	if err != nil || items.size == 0 {
		return out, err
	}
	c := kernel.Get()
	defer c.Put()
	bad := -1
	switch prepare(c, p, data, &items, x) {
	case blockForm:
		bad = c.GatherBlock(data.width)
	case elementsForm:
		bad = c.GatherElements(data.width)
	case walkForm:
		bad = c.GatherWalk(data.width)
	}
	if bad >= 0 {
		return nil, x.badIndex(p, data, firstAxis(p), bad)
	}
	return out, nil
}

// check looks at every index.
func check(p plan.Params, data *view, x *indices) error {
	if x.size == 0 {
		return nil
	}
	c := kernel.Get()
	defer c.Put()
	c.Idx, c.Idx32, c.NonNegative = x.mem, x.is32, p.NonNegative
	addressed(c, p, data, x)
	if bad := c.Check(); bad >= 0 {
		return x.badIndex(p, data, firstAxis(p), bad)
	}
	return nil
}
