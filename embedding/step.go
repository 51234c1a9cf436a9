package embedding

import (
	"math"
	"slices"

	"github.com/pkg/errors"
	"gorgonia.org/gather/dense"
	"gorgonia.org/gather/internal/core"
	"gorgonia.org/gather/internal/fault"
	"gorgonia.org/gather/internal/num"
	"gorgonia.org/gather/internal/update"
	"gorgonia.org/tensor"
)

// Step: see Optimizer. Everything that can go wrong is checked before anything is
// changed.
func (o *optimizer) Step(lookups ...*Lookup) (err error) {
	const op = "Step"
	o.mu.Lock()
	defer o.mu.Unlock()
	defer core.Recover(op, &err)
	if len(lookups) == 0 {
		return errors.Errorf("%s: no lookup is given", op)
	}
	for _, l := range lookups {
		if err := l.made(op); err != nil {
			return err
		}
	}
	if err := o.checkRate(op); err != nil {
		return err
	}
	if err := o.lockLookups(op, lookups); err != nil {
		return err
	}
	defer o.unlockLookups()
	defer o.forget()
	for _, l := range lookups {
		if !l.ready {
			return errors.Errorf("%s: %s was not Set since the last Step: call Set, RunAll, Step in this order", op, l.call)
		}
	}
	for _, l := range lookups {
		if err := o.name(op, l.table); err != nil {
			return errors.WithMessage(err, l.call)
		}
	}
	o.lockTables()
	defer o.unlockTables()
	for _, l := range lookups {
		if l.table.closed {
			return errors.WithMessage(errClosed(op), l.call)
		}
		grad, err := l.gradient()
		if err != nil {
			return errors.WithMessage(err, op)
		}
		s := l.table.states[o.self]
		s.sources = append(s.sources, l.source(grad))
	}
	if err := o.apply(op); err != nil {
		return err
	}
	for _, l := range lookups {
		l.ready, l.before = false, nil
	}
	return nil
}

// source is the gradients of the rows of a lookup, given that of its node.
func (l *Lookup) source(grad []byte) update.Source {
	if l.bags < 0 {
		return update.Source{Rows: l.rows, Grad: grad}
	}
	l.bordersOfStep = l.borders(&l.picked)
	if l.mode == Max && l.table.rows > 0 { // a table of no rows has no winners
		t := l.table
		size := len(l.rows) * t.inner * int(t.dtype.Size())
		if cap(l.shares) < size {
			l.shares = make([]byte, size, size+size/4)
		}
		l.shares = l.shares[:size]
		l.winners.Share(t.kind, &l.bordersOfStep, len(l.rows), t.inner, l.shares, grad)
		return update.Source{Rows: l.rows, Grad: l.shares}
	}
	bags := l.bag(&l.picked)
	if bags.Normalizes() {
		bags, grad = l.normal.Sum(&bags), l.normal.Gradient(grad, l.table.rowBytes())
	}
	return update.Source{Rows: l.rows, Grad: grad, Borders: &l.bordersOfStep, Mean: bags.Reduction == num.Mean, Weights: bags.Weights}
}

// Update: see Optimizer.
func (o *optimizer) Update(t *Table, ids, grads *tensor.Dense) (err error) {
	const op = "Update"
	if err := t.made(op); err != nil {
		return err
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	defer core.Recover(op, &err)
	if err := o.checkRate(op); err != nil {
		return err
	}
	defer o.forget()
	// Two nil pointers are no nil interfaces: core refuses them by name.
	idShape, err := o.readUpdate(op, t, ids, grads)
	if err != nil {
		return err
	}
	if bad := t.resolve(o.rows); bad >= 0 {
		return t.indexError(op, o.rows[bad], bad, idShape)
	}
	if err := o.name(op, t); err != nil {
		return err
	}
	o.lockTables()
	defer o.unlockTables()
	if t.closed {
		return errClosed(op)
	}
	s := t.states[o.self]
	s.sources = append(s.sources, update.Source{Rows: o.rows, Grad: o.grads})
	return o.apply(op)
}

// readUpdate reads what Update is given.
func (o *optimizer) readUpdate(op string, t *Table, ids, grads *tensor.Dense) (shape tensor.Shape, err error) {
	if o.rows, shape, err = core.ReadIDs(o.rows, op, "ids", ids, t.ids.Beyond()); err != nil {
		return nil, err
	}
	var got tensor.Shape
	if o.grads, got, err = core.Packed(&o.copied, op, "grads", grads, t.dtype); err != nil {
		return nil, err
	}
	row := t.shape[1:]
	gotIDs := got[:max(0, len(got)-len(row))] // the shape of the ids that the grads are for
	if !slices.Equal(gotIDs, shape) || !slices.Equal(got[len(gotIDs):], row) {
		want := append(shape.Clone(), row...)
		return nil, fault.Errorf(dense.ErrShape, "%s: grads have shape %v, ids %v and rows of %v need %v%s%s", op, fault.Shape(got),
			fault.Shape(shape), fault.Shape(row), fault.Shape(want), fault.ScalarHint(got, want), fault.ScalarHint(shape, gotIDs))
	}
	return shape, nil
}

// name makes a table one of those of the step. A closed one gets no state.
func (o *optimizer) name(op string, t *Table) error {
	if t.readOnly {
		return errors.Errorf("%s: the table of %s %s", op, t.file.path, t.whyReadOnly())
	}
	s, err := o.openStateOf(op, t)
	if err != nil {
		return err
	}
	if !s.named {
		s.named = true
		o.steps = append(o.steps, s)
	}
	return nil
}

// openStateOf is the state of a table, which nobody has closed.
func (o *optimizer) openStateOf(op string, t *Table) (*state, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.closed {
		return nil, errClosed(op)
	}
	return o.stateOf(op, t)
}

// apply changes the rows. Nothing has been changed before it is sure that it will.
func (o *optimizer) apply(op string) error {
	for _, s := range o.steps {
		s.update = s.description(o, 1)
		if n := s.positions(); n > update.MaxPositions {
			return errors.Errorf("%s: %d ids of one table, at most %d can be stepped", op, n, update.MaxPositions)
		}
		if err := s.checkNumbers(op); err != nil {
			return err
		}
	}
	o.copyShared()
	if most := o.numbers[clipNorm]; most > 0 {
		squares := 0.0
		for _, s := range o.steps {
			squares += s.kernel.NormSquared(&s.update)
		}
		norm := math.Sqrt(squares)
		if !(norm <= math.MaxFloat64) {
			return errors.Errorf("%s: the norm of the gradients is %v, which cannot be clipped", op, norm)
		}
		if norm > most {
			for _, s := range o.steps {
				s.update = s.description(o, most/norm)
			}
		}
	}
	for _, s := range o.steps {
		touch := s.touch()
		s.kernel.Apply(&s.update)
		touch.end()
		s.table.changes++
		s.stepped()
	}
	return nil
}

// copyShared copies gradients that lie in the memory of a table of the step or of
// its states, as those do that are a table's Weights: they would change while rows
// are changed by them.
func (o *optimizer) copyShared() {
	for _, s := range o.steps {
		for i, source := range s.sources {
			if slices.ContainsFunc(o.steps, func(s *state) bool {
				return overlap(source.Grad, s.update.Table) || overlap(source.Grad, s.update.First) || overlap(source.Grad, s.update.Second)
			}) {
				s.sources[i] = update.Source{
					Rows: source.Rows, Grad: slices.Clone(source.Grad), Borders: source.Borders, Mean: source.Mean, Weights: source.Weights,
				}
			}
		}
	}
}

// forget lets go of what a step was given.
func (o *optimizer) forget() {
	for _, s := range o.steps {
		s.end()
	}
	clear(o.steps)
	o.steps, o.grads = o.steps[:0], nil
}
