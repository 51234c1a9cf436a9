package core

import (
	"github.com/pkg/errors"
	"gorgonia.org/gather/internal/elem"
	"gorgonia.org/gather/internal/fault"
	"gorgonia.org/gather/internal/kernel"
	"gorgonia.org/gather/internal/num"
	"gorgonia.org/gather/internal/plan"
	"gorgonia.org/tensor"
)

// adders are the names of the adjoints in package dense.
var adders = func() (names [plan.SegmentMax + 1]string) {
	for op := range names {
		names[op] = "Add" + plan.Op(op).String()
	}
	return names
}()

// AddGather adds the adjoint of a gather, applied to updates, to dst, which has
// the shape of data. On an error dst is unchanged.
func AddGather(p plan.Params, dst, updates, idx tensor.Tensor) (err error) {
	// A function with another defer and this many returns would have its defers
	// called by the runtime, which a small call notices.
	defer Recover(adders[p.Op], &err)
	return addGather(&p, dst, updates, idx)
}

func addGather(p *plan.Params, dst, updates, idx tensor.Tensor) error {
	op := adders[p.Op]
	s := scatter{p: *p}
	d, u := &s.data, &s.updates
	if err := inputs(d, &s.x, op, "dst", dst, idx); err != nil {
		return err
	}
	want, err := p.AppendShape(make(tensor.Shape, 0, plan.RankHint), d.shape, s.x.shape)
	if err != nil {
		return errors.WithMessage(err, op) // it names the operator
	}
	if err := u.readLike(op, "updates", updates, want, "the gather's result", d); err != nil {
		return err
	}
	if d.kind == num.Bool || !kernel.Has(d.kind, num.Add) {
		return fault.Errorf(elem.ErrDtype, "%s: values of dtype %v cannot be added, numbers can", op, elem.Name(d.dtype))
	}
	if err := d.apart(op, u, &s.x.view); err != nil {
		return err
	}
	s.p.Normalize(len(d.shape), len(s.x.shape))
	defer s.x.release()
	if err := s.x.ready(&s.p, d, u.size == 0 || d.size == 0); err != nil {
		return err
	}
	return s.combine(num.Add, d, u, startState{atomic: s.p.OutOfRange == plan.Reject})
}
