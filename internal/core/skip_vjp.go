package core

// operand is a view that a derivative is of, like updates or like data.
type operand struct {
	view    *view
	updates bool
}

// skipping runs a derivative of a scatter without the updates that are skipped: the
// gradient of these is 0, and a tangent of theirs changes nothing.
func (s *derivative) skipping(out *view, ofUpdates bool, in []operand, run func(s *derivative, out *view, in []view) error) error {
	r, views := s.skip(), make([]view, len(in))
	for i, o := range in {
		switch views[i] = *o.view; {
		case r != nil && o.updates:
			views[i] = r.of(o.view)
		case r != nil && r.flat:
			views[i] = flat(packed(o.view))
		}
	}
	if r == nil {
		return run(s, out, views)
	}
	d := &derivative{r.scatter, s.plain}
	if !ofUpdates {
		return r.ontoData(out, (*view).blank, func(out *view) error { return run(d, out, views) })
	}
	left := out.anew(r.shape)
	if left.size > 0 {
		if err := run(d, &left, views); err != nil {
			return err
		}
	}
	return r.toUpdates(out, &left)
}
