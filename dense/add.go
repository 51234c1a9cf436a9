package dense

import (
	"github.com/pkg/errors"
	"gorgonia.org/gather/internal/elem"
	"gorgonia.org/gather/internal/kernel"
	"gorgonia.org/gather/internal/plan"
	"gorgonia.org/gather/shapes"
	"gorgonia.org/tensor"
)

// AddGather adds the adjoint of [Gather], applied to updates, to dst:
//
//	dst[o…, indices[j…], p…] += updates[o…, j…, p…]
//
// With updates = dL/dout, and dst of data's shape, it accumulates dL/ddata.
// updates have the shape of Gather's result and dst's dtype: any integer or
// float, complex or 16-bit. Several updates of one element are added in
// row-major order of the indices, whatever the number of threads. What the
// forward filled with zeros ([ZeroFill]) adds nothing. dst may have any memory
// layout, and must not overlap updates or indices; on an error it is unchanged.
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

func addGather(dst, updates, idx tensor.Tensor, op plan.Op, axis int, opts []Option) error {
	p, reuse, err := plan.New(op, axis, opts...)
	if err != nil {
		return err
	}
	if reuse != nil {
		return errors.Wrapf(ErrOption, "Add%v: WithReuse does not apply, dst is an argument", op)
	}
	d, x, err := inputs(op, dst, idx)
	if err != nil {
		return err
	}
	u, err := viewOf(op, "updates", updates)
	if err != nil {
		return err
	}
	want, err := p.Shape(d.shape, x.shape)
	if err != nil {
		return err
	}
	if !shapes.Equal(u.shape, want) {
		return errors.Wrapf(ErrShape, "Add%v: updates %v must have the shape %v for dst %v and indices %v", op, u.shape, want, d.shape, x.shape)
	}
	if u.dtype != d.dtype {
		return errors.Wrapf(ErrDtype, "Add%v: updates have dtype %v, dst has %v", op, u.dtype, d.dtype)
	}
	kind := elem.KindOf(d.dtype)
	if kind == kernel.Bool || !kernel.Has(kind, plan.Add) {
		return errors.Wrapf(ErrDtype, "Add%v: values of dtype %v cannot be added", op, d.dtype)
	}
	if d.overlaps(&u) || d.overlaps(&x.view) {
		return errors.Wrapf(ErrLayout, "Add%v: dst overlaps updates or indices in memory", op)
	}
	p = p.Normal(len(d.shape), len(x.shape))
	x.load()
	defer x.release()
	if p.OutOfRange == Reject {
		if err := check(p, &d, &x); err != nil {
			return err
		}
	}
	return reduce(p, plan.Add, kind, &d, &u, &x)
}

// reduce combines updates into data, in row-major order of the indices.
func reduce(p plan.Params, r plan.Reduction, kind kernel.Kind, data, updates *view, x *indices) error {
	if updates.size == 0 || data.size == 0 {
		return nil
	}
	c := kernel.Get()
	defer c.Put()
	bad := -1
	form := prepare(c, p, data, updates, x)
	if form != walkForm && !kernel.IsReal(kind) {
		walkDims(c, p, data, updates, x)
		form = walkForm
	}
	switch form {
	case blockForm:
		bad = c.ReduceBlock(kind, r)
	case elementsForm:
		bad = c.ReduceElements(kind, r)
	case walkForm:
		bad = c.ReduceWalk(kind, r)
	}
	if bad >= 0 {
		return x.badIndex(p, data, firstAxis(p), bad)
	}
	return nil
}
