package embedding

import "github.com/pkg/errors"

// A step locks its optimiser, then its lookups, then its tables, of each kind in the
// order in which they were made. A Set locks its lookup and then, to read, its
// table. So nobody waits for somebody who waits for him.

// lockLookups locks the lookups of a step.
func (o *optimizer) lockLookups(op string, lookups []*Lookup) error {
	o.order = o.order[:0]
	for _, l := range lookups {
		at := len(o.order)
		for at > 0 && o.order[at-1].number > l.number {
			at--
		}
		if at > 0 && o.order[at-1] == l {
			clear(o.order)
			o.order = o.order[:0]
			return errors.Errorf("%s: %s is given twice", op, l.call)
		}
		o.order = append(o.order, nil)
		copy(o.order[at+1:], o.order[at:])
		o.order[at] = l
	}
	for _, l := range o.order {
		l.mu.Lock()
	}
	return nil
}

func (o *optimizer) unlockLookups() {
	for _, l := range o.order {
		l.mu.Unlock()
	}
	clear(o.order)
}

// lockTables locks the tables of a step.
func (o *optimizer) lockTables() {
	o.locked = o.locked[:0]
	for _, s := range o.steps {
		at := len(o.locked)
		for at > 0 && o.locked[at-1].table.number > s.table.number {
			at--
		}
		o.locked = append(o.locked, nil)
		copy(o.locked[at+1:], o.locked[at:])
		o.locked[at] = s
	}
	for _, s := range o.locked {
		s.table.mu.Lock()
	}
}

func (o *optimizer) unlockTables() {
	for _, s := range o.locked {
		s.table.mu.Unlock()
	}
	clear(o.locked)
	o.locked = o.locked[:0]
}
