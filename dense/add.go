package dense

import (
	"gorgonia.org/gather/internal/core"
	"gorgonia.org/gather/internal/plan"
	"gorgonia.org/tensor"
)

// AddGather adds the adjoint of [Gather], applied to updates, to dst:
//
//	dst[o…, indices[j…], p…] += updates[o…, j…, p…]
//
// With updates = dL/dout, and dst of data's shape, it accumulates dL/ddata.
// updates have the shape of Gather's result and dst's dtype: any integer or
// float, complex or 16-bit. Several updates of one element are added in
// row-major order of the indices, whatever the number of threads. An update of
// what Gather has filled with zeros ([ZeroFill]) adds nothing, and one of a
// clamped index ([Clamp]) goes to the element that was read. dst may have any memory layout, and must not
// overlap updates or indices; on an error it is unchanged. If its own elements share memory, as with
// strides of 0, what they hold afterwards is not defined.
func AddGather(dst, updates, indices tensor.Tensor, axis int, opts ...Option) error {
	return addGather(dst, updates, indices, plan.Gather, axis, opts)
}

// AddGatherElements adds the adjoint of [GatherElements], applied to updates,
// to dst:
//
//	dst[j0, …, indices[j0, …, j(r-1)], …, j(r-1)] += updates[j0, …, j(r-1)]
//
// where the index replaces the coordinate of the axis. Otherwise it is like
// [AddGather].
func AddGatherElements(dst, updates, indices tensor.Tensor, axis int, opts ...Option) error {
	return addGather(dst, updates, indices, plan.GatherElements, axis, opts)
}

// AddGatherND adds the adjoint of [GatherND], applied to updates, to dst:
//
//	dst[β…, indices[β…, j…, 0], …, indices[β…, j…, k-1], p…] += updates[β…, j…, p…]
//
// Otherwise it is like [AddGather].
func AddGatherND(dst, updates, indices tensor.Tensor, opts ...Option) error {
	return addGather(dst, updates, indices, plan.GatherND, 0, opts)
}

func addGather(dst, updates, indices tensor.Tensor, op plan.Op, axis int, opts []Option) error {
	var p plan.Params
	if err := p.ForAdjoint(op, axis, opts...); err != nil {
		return err
	}
	return core.AddGather(p, dst, updates, indices)
}
