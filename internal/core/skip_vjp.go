package core

// operand is a view that a derivative is of, like updates or like data.
type operand struct {
	view    *view
	updates bool
}

// skipping runs a derivative of a scatter without the updates that are skipped: the
// gradient of these is 0, and a tangent of theirs changes nothing.
func (s *derivative) skipping(out *view, ofUpdates bool, in []operand, run func(s *derivative, out *view, in []view) error) error {
	views := make([]view, len(in))
	for i, o := range in {
		views[i] = *o.view
	}
	r, err := s.skip()
	switch {
	case err != nil:
		return err
	case r == nil:
		return run(s, out, views)
	}
	for i, o := range in {
		if o.updates {
			views[i], err = r.ofUpdates(o.view)
		} else if r.elements {
			err = views[i].makeFlat(&r.p)
		}
		if err != nil {
			return err
		}
	}
	d := &derivative{r.scatter, s.plain}
	if !ofUpdates {
		return r.ontoData(out, true, func(out *view) error { return run(d, out, views) })
	}
	left := r.updates
	if _, err := newResult(&left, r.p.Op.String(), r.shape, out.dtype); err != nil {
		return err
	}
	if left.size > 0 {
		if err := run(d, &left, views); err != nil {
			return err
		}
	}
	return r.toUpdates(out, &left)
}
