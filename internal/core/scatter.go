package core

import (
	"gorgonia.org/gather/internal/elem"
	"gorgonia.org/gather/internal/kernel"
	"gorgonia.org/gather/internal/num"
	"gorgonia.org/gather/internal/plan"
	"gorgonia.org/gather/shapes"
	"gorgonia.org/tensor"
)

// Scatter runs ScatterElements, ScatterND or ScatterUpdate. The result is dst,
// or a new tensor if dst is nil. If dst is data itself, it is changed in place,
// and not at all if an index is bad.
func Scatter(p plan.Params, dst *tensor.Dense, data, idx, updates tensor.Tensor) (_ *tensor.Dense, err error) {
	defer report(p.Op.String(), &err)
	var s scatter
	if err := s.look(&p, data, idx, updates); err != nil {
		return nil, err
	}
	s.x.load()
	defer s.x.release()
	inPlace := dst != nil && tensor.Tensor(dst) == data
	nothing := s.data.size == 0 || s.updates.size == 0
	twice := p.Reduction == num.Mean || p.NoInit
	if nothing || inPlace && twice {
		// No kernel will look at the indices, or more than one will.
		if err := check(&s.p, &s.data, &s.x); err != nil {
			return nil, err
		}
	}
	others := []*view{&s.x.view, &s.updates, &s.data}
	if inPlace {
		others = others[:2]
	}
	var to view
	out, err := result(&to, &s.p, dst, s.data.shape, s.data.dtype, others...)
	if err != nil {
		return nil, err
	}
	before := start{old: &s.data}
	if inPlace {
		before = start{atomic: !nothing && !twice}
	}
	if err := s.into(&to, before); err != nil {
		return nil, err
	}
	return out, nil
}

// scatter is a scatter whose inputs fit.
type scatter struct {
	p       plan.Params
	data    view
	x       indices
	updates view
	kind    num.Kind
}

// look makes s the scatter of the given inputs, if they fit.
func (s *scatter) look(p *plan.Params, data, idx, updates tensor.Tensor) error {
	if err := inputs(&s.data, &s.x, p.Op.String(), "data", data, idx); err != nil {
		return err
	}
	if err := s.updates.look(p.Op.String(), "updates", updates); err != nil {
		return err
	}
	var err error
	switch p.Op {
	case plan.ScatterElements:
		_, err = shapes.ScatterElements(s.data.shape, s.x.shape, s.updates.shape, p.Axis)
	case plan.ScatterND:
		_, err = shapes.ScatterND(s.data.shape, s.x.shape, s.updates.shape)
	case plan.ScatterUpdate:
		_, err = shapes.ScatterUpdate(s.data.shape, s.x.shape, s.updates.shape, p.Axis)
	}
	if err != nil {
		return err
	}
	if err := CheckReduction(*p, s.data.dtype, s.updates.dtype); err != nil {
		return err
	}
	s.kind = elem.KindOf(s.data.dtype)
	s.p = p.Normal(len(s.data.shape), len(s.x.shape))
	if s.x.axes(p) == 0 {
		s.x.pickWhole(s.updates.size == 0)
	}
	return nil
}

// start is what comes before the first write to a scatter's output.
type start struct {
	old    *view // to be copied there, if it is not nil
	atomic bool  // it must stay as it is if an index is bad
}

// into scatters the updates.
func (s *scatter) into(out *view, before start) error {
	if s.updates.size == 0 || out.size == 0 || s.p.Reduction == num.Mean {
		if before.old != nil {
			copyView(out, before.old)
		}
	}
	if s.updates.size == 0 || out.size == 0 {
		return nil
	}
	switch r := s.p.Reduction; r {
	case num.None:
		return s.overwrite(out, &s.updates, before)
	case num.Mean:
		return s.mean(out)
	default:
		if s.p.NoInit {
			neutral := repeated(kernel.Neutral(s.kind, r), &s.updates)
			if err := s.overwrite(out, &neutral, before); err != nil {
				return err
			}
			before = start{}
		}
		return reduce(&s.p, r, s.kind, out, &s.updates, &s.x, before)
	}
}

// begin does what comes before the first write. Where the kernels can do that
// themselves, block by block, it tells them to. It returns the place of a bad
// index, or -1.
func (before start) begin(c *kernel.Call, f form, out *view) int {
	switch {
	case before.old != nil && f != walkForm && before.old.packed && out.width > 0:
		c.Old = before.old.mem[:out.size*out.width]
	case before.old != nil:
		copyView(out, before.old)
	case before.atomic && f == walkForm:
		return c.Check()
	default:
		c.Atomic = before.atomic
	}
	return -1
}

// overwrite is the scatter without a reduction.
func (s *scatter) overwrite(out, updates *view, before start) error {
	c := kernel.Get()
	defer c.Put()
	form := prepare(c, &s.p, out, updates, &s.x)
	bad := before.begin(c, form, out)
	if bad < 0 {
		switch form {
		case blockForm:
			bad = c.ScatterBlock(out.width)
		case elementsForm:
			bad = c.ScatterElements(out.width)
		case walkForm:
			bad = c.ScatterWalk(out.width)
		}
	}
	return s.x.bad(&s.p, out, bad)
}

// mean works on packed copies where its tensors are not packed themselves.
func (s *scatter) mean(out *view) error {
	targets, err := s.targets()
	if err != nil {
		return err
	}
	data, updates := packed(out), packed(&s.updates)
	kernel.Mean(s.kind, data.mem, updates.mem, targets, !s.p.NoInit)
	if !out.packed {
		copyView(out, &data)
	}
	return nil
}
