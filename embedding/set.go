package embedding

import (
	"math"
	"slices"

	"gorgonia.org/gather/dense"
	"gorgonia.org/gather/internal/bag"
	"gorgonia.org/gather/internal/core"
	"gorgonia.org/gather/internal/fault"
	"gorgonia.org/gather/internal/kernel"
	"gorgonia.org/gather/internal/num"
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
	p := &l.next
	if l.whole {
		return l.readWhole(ids)
	}
	var shape tensor.Shape
	var err error
	if p.rows, shape, err = core.ReadIDs(p.rows, l.call, "ids", ids, l.table.beyond()); err != nil {
		return err
	}
	p.ragged = offsets != nil
	if err := l.checkShape(shape, p.ragged); err != nil {
		return err
	}
	if len(p.rows) > update.MaxPositions {
		return fault.Errorf(dense.ErrShape, "%s: %d ids, at most %d can be set", l.call, len(p.rows), update.MaxPositions)
	}
	if p.ragged {
		if err := l.readOffsets(offsets); err != nil {
			return err
		}
	} else if l.bags >= 0 {
		p.perBag = shape[1]
	}
	p.weights, p.weighted = p.weights[:0], p.weighted[:0]
	if weights != nil {
		if err := l.readWeights(weights, shape); err != nil {
			return err
		}
	}
	if bad := l.table.resolve(p.rows); bad >= 0 {
		return l.table.indexError(l.call, p.rows[bad], bad, shape)
	}
	if p.ragged && len(p.first) > 0 {
		for i := range p.rows[:p.first[0]] {
			p.rows[i] = -1 // in no bag
		}
	}
	if l.bags == 0 {
		p.rows = p.rows[:0]
	}
	if l.mode == Max && l.bags > 0 {
		// A step makes a gradient of each id, and Set a bit of each of its numbers.
		return core.Fits(l.call, "a gradient for each id", tensor.Shape{len(p.rows), l.table.inner}, l.table.dtype)
	}
	return nil
}

func (l *Lookup) readOffsets(offsets tensor.Tensor) error {
	p := &l.next
	var shape tensor.Shape
	var err error
	if p.first, shape, err = core.ReadIntegers(p.first, l.call, "offsets", offsets); err != nil {
		return err
	}
	if len(shape) != 1 || shape[0] != l.bags {
		return fault.Errorf(dense.ErrShape, "%s: offsets have shape %v, (%d) is needed, one for each bag%s", l.call, fault.Shape(shape), l.bags, fault.ScalarHint(shape, fault.Ones(1)))
	}
	before := int64(0)
	for i, at := range p.first {
		if at < before || at > int64(len(p.rows)) {
			return fault.Errorf(dense.ErrShape, "%s: offsets[%d] is %d, allowed are ascending numbers from 0 to %d, the number of ids; the one before is %d",
				l.call, i, at, len(p.rows), before)
		}
		before = at
	}
	return nil
}

func (l *Lookup) readWeights(weights tensor.Tensor, ids tensor.Shape) error {
	p := &l.next
	if l.mode != Sum {
		return fault.Errorf(dense.ErrOption, "%s: weights are for bags of Sum, not of %v", l.call, l.mode)
	}
	mem, shape, err := core.Packed(&l.copied, l.call, "weights", weights, l.table.dtype)
	if err != nil {
		return err
	}
	if !slices.Equal(shape, ids) {
		return fault.Errorf(dense.ErrShape, "%s: weights have shape %v, ids have %v%s", l.call, fault.Shape(shape), fault.Shape(ids), fault.ScalarHint(shape, ids))
	}
	p.weights, p.weighted = append(p.weights, mem...), append(p.weighted, shape...)
	return nil
}

// beyond is the id that a uint64 above the greatest int64 is read as: no row and not the
// padding.
func (t *Table) beyond() int64 {
	if t.padded && t.padding == math.MaxInt64 {
		return math.MaxInt64 - 1
	}
	return math.MaxInt64
}

// resolve turns ids into rows, -1 for those that stand for none, and returns the
// position of the first that is out of range, or -1.
func (t *Table) resolve(ids []int64) int {
	rows, lift := uint64(t.rows), uint64(t.rows)
	if t.nonNegative {
		lift = 0
	}
	done := 0
	if !t.padded {
		done = simd.FromFront(ids, t.rows, t.nonNegative)
	}
	for i := done; i < len(ids); i++ {
		id := ids[i]
		row := uint64(id)
		if row >= rows {
			row += lift
		}
		switch {
		case t.padded && id == t.padding:
			ids[i] = -1
		case row < rows:
			ids[i] = int64(row)
		case t.outOfRange == dense.ZeroFill:
			ids[i] = -1
		default:
			return i
		}
	}
	return -1
}

// indexError makes the error for an id at a position among ids of a shape.
func (t *Table) indexError(call string, id int64, at int, shape tensor.Shape) error {
	e := &dense.IndexError{Op: call, Position: make([]int, len(shape)), Index: id, Size: t.rows, NonNegative: t.nonNegative}
	for d := len(shape) - 1; d >= 0; d-- {
		e.Position[d] = at % shape[d]
		at /= shape[d]
	}
	return e
}

// lookUp writes the rows of the ids, or the results of the bags.
func (l *Lookup) lookUp(to []byte) {
	t := l.table
	width := int(t.dtype.Size())
	if t.inner == 0 {
		return
	}
	if t.rows == 0 { // all ids stand for no row
		clear(to)
		return
	}
	if l.whole {
		for block := range t.memory.blocks {
			to = to[copy(to, block):]
		}
		return
	}
	defer t.touch(l.rows).end()
	if l.bags >= 0 {
		bag := l.bag()
		bag.Reduce(to)
		if l.mode == Max {
			l.winners.Size(len(l.rows), l.bags, t.inner)
			bag.FindWinners(&l.winners, to)
		}
		return
	}
	c := kernel.Get()
	defer c.Put()
	c.Width, c.Data, c.Items, c.Idx = width, t.memory.bytes, to, num.Bytes(l.rows)
	c.NonNegative, c.Fill = true, true
	c.Batch, c.Outer, c.N, c.Inner, c.Span = 1, 1, len(l.rows), t.inner, t.rows*t.inner
	c.Axes = append(c.Axes, kernel.Axis{Size: t.rows, Stride: t.inner})
	c.Form = kernel.Block
	c.Gather()
}

// reductions are the modes, as the kernels know them.
var reductions = [...]num.Reduction{Sum: num.Add, Mean: num.Mean, Max: num.Max}

var noRows = []byte{}

// bag describes the bags to the kernels.
func (l *Lookup) bag() bag.Description {
	t := l.table
	b := bag.Description{
		Kind: t.kind, Reduction: reductions[l.mode], Table: t.memory.bytes, Rows: t.rows, Inner: t.inner,
		Idx: num.Bytes(l.rows), NonNegative: true, Fill: true, Borders: l.borders(), Default: -1,
	}
	if len(l.rows) == 0 {
		b.Idx = noRows // nil would be all rows of the table, one after the other
	}
	if len(l.weights) > 0 {
		b.Weights = l.weights
	}
	return b
}

// borders says which ids belong to which bag.
func (l *Lookup) borders() bag.Borders {
	b := bag.Borders{Bags: l.bags, PerBag: l.perBag}
	if l.ragged {
		b.Offsets, b.PerBag = num.Bytes(l.first), 0
	}
	return b
}
