package embedding

import (
	"gorgonia.org/gather/dense"
	"gorgonia.org/gather/internal/core"
	"gorgonia.org/gather/internal/fault"
	"gorgonia.org/gather/internal/simd"
	"gorgonia.org/gather/internal/update"
	G "gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

// set reads ids, and looks up their rows when nothing can go wrong any more.
func (l *Lookup) set(ids, offsets, weights tensor.Tensor) (err error) {
	defer core.Recover(l.call, &err)
	if err := l.read(ids, offsets, weights); err != nil {
		return err
	}
	t := l.table
	t.mu.RLock()
	defer t.mu.RUnlock()
	if t.closed {
		return errClosed(l.call)
	}
	l.next.changes = t.changes
	l.picked, l.next = l.next, l.picked
	l.ready = false // a panic from here on leaves a value that is not that of ids
	l.lookUp(l.value.Raw)
	if l.node.Value() != G.Value(l.value) { // somebody has bound another one
		if err := G.Let(l.node, l.value); err != nil {
			return err
		}
	}
	if err := l.expectGradient(); err != nil {
		return err
	}
	l.ready = true
	return nil
}

// read reads all that a Set is given into next.
func (l *Lookup) read(ids, offsets, weights tensor.Tensor) error {
	if l.whole {
		return l.readWhole(ids)
	}
	if err := l.request.read(&l.next, ids, offsets, weights); err != nil {
		return err
	}
	if n := len(l.next.rows); n > update.MaxPositions {
		return fault.Errorf(dense.ErrShape, "%s: %d ids, at most %d can be set", l.call, n, update.MaxPositions)
	}
	if l.mode == Max && l.bags > 0 {
		// A step makes a gradient of each id, and Set a bit of each of its numbers.
		return core.Fits(l.call, "a gradient for each id", tensor.Shape{len(l.next.rows), l.table.inner}, l.table.dtype)
	}
	return nil
}

// resolve turns ids into rows, -1 for those that stand for none, and returns the
// position of the first that is out of range, or -1.
func (t *Table) resolve(ids []int64) int {
	done := 0
	if !t.ids.Padded {
		done = simd.Resolve(ids, ids, simd.AxisOf(t.rows, t.ids.NonNegative, 1), 0, 0)
	}
	bad := core.ResolveIDs(ids[done:], t.rows, &t.ids)
	if bad >= 0 {
		bad += done
	}
	return bad
}

// indexError makes the error for an id at a position among ids of a shape.
func (t *Table) indexError(call string, id int64, at int, shape tensor.Shape) error {
	return &dense.IndexError{Op: call, Argument: "ids", Position: core.Position(at, shape), Index: id, Size: t.rows, NonNegative: t.ids.NonNegative}
}

// lookUp writes the rows of the ids, or the results of the bags.
func (l *Lookup) lookUp(to []byte) {
	t := l.table
	if l.whole && t.isNumbers() {
		t.memory.copyTo(to)
		return
	}
	l.request.lookUp(&l.picked, to)
	if l.bags >= 0 && l.mode == Max && t.rows*t.inner > 0 && t.isNumbers() { // or there is no step
		l.winners.Size(len(l.rows), l.bags, t.inner)
		bag := l.bag(&l.picked)
		bag.FindWinners(&l.winners, to)
	}
}
