package embedding

import (
	"math"
	"slices"

	"gorgonia.org/gather/dense"
	"gorgonia.org/gather/internal/bag"
	"gorgonia.org/gather/internal/core"
	"gorgonia.org/gather/internal/elem"
	"gorgonia.org/gather/internal/fault"
	"gorgonia.org/gather/internal/kernel"
	"gorgonia.org/gather/internal/num"
	"gorgonia.org/gather/internal/plan"
	"gorgonia.org/gather/internal/quant"
	"gorgonia.org/tensor"
)

// request is what a call wants of a table: a row for each id, or one for each bag.
type request struct {
	table *Table
	call  string // Lookup(name), Bag(name), Rows or Bags, for errors

	anyShape bool         // of ids, and any number of bags: those of the last call
	shape    tensor.Shape // of ids, if there are no bags
	bags     int          // or -1
	mode     Mode
	offsets  plan.Settings // Lengths or LastOffset, of the last call
	copied   []byte        // weights or gradients that are not packed
}

// picked is what a call has been given.
type picked struct {
	n       int     // ids
	rows    []int64 // of each id, or -1 for none
	unread  []byte  // the ids as they were given, if they are checked where they are used; else nil
	short   bool    // unread is of int32, not int64
	first   []int64 // of each bag, where it begins
	perBag  int     // or how many ids each bag has, if not ragged
	ragged  bool
	weights []byte // of each id; empty: 1
	// weighted are the dims of the weights, none if there are none, and changes is what
	// the table had been through.
	weighted tensor.Shape
	changes  uint64
	winners  bag.Winners
}

// read reads ids and what belongs to them, and finds their rows.
func (q *request) read(p *picked, ids, offsets, weights tensor.Tensor) error {
	var shape tensor.Shape
	var err error
	if p.unread = nil; q.checksLater() {
		p.unread, p.short, shape = core.PackedIDs(ids)
	}
	if p.unread == nil {
		if p.rows, shape, err = core.ReadIDs(p.rows, q.call, "ids", ids, q.table.ids.Beyond()); err != nil {
			return err
		}
	}
	p.n = shape.TotalSize()
	p.ragged = offsets != nil
	if !p.ragged && (q.offsets.Lengths || q.offsets.LastOffset) {
		return fault.Errorf(dense.ErrOption, "%s: WithLengths and WithLastOffset are for ragged bags, and offsets are nil", q.call)
	}
	if err := q.checkShape(shape, p.ragged); err != nil {
		return err
	}
	switch {
	case p.ragged:
		if err := q.readOffsets(p, offsets); err != nil {
			return err
		}
	case q.bags >= 0:
		p.perBag, q.bags = shape[1], shape[0]
	case q.anyShape:
		q.shape = append(q.shape[:0], shape...)
	}
	p.weights, p.weighted = p.weights[:0], p.weighted[:0]
	if weights != nil {
		if err := q.readWeights(p, weights, shape); err != nil {
			return err
		}
	}
	if p.unread != nil {
		return nil
	}
	if bad := q.table.resolve(p.rows); bad >= 0 {
		return q.table.indexError(q.call, p.rows[bad], bad, shape)
	}
	if p.ragged && len(p.first) > 0 {
		for i := range p.rows[:p.first[0]] {
			p.rows[i] = -1 // in no bag
		}
	}
	if q.bags == 0 {
		p.rows = p.rows[:0]
	}
	return nil
}

// checksLater reports whether ids need not be read before the rows are: those of bags
// without a graph, of a table in memory, whose loops refuse what the table does.
func (q *request) checksLater() bool {
	t := q.table
	return q.anyShape && q.bags >= 0 && t.rows > 0 && t.inner > 0 && !t.ids.Padded && t.ids.OutOfRange != dense.ZeroFill && t.file == nil
}

// checkShape refuses ids of another shape.
func (q *request) checkShape(got tensor.Shape, ragged bool) error {
	switch {
	case q.bags < 0:
		if !q.anyShape && !slices.Equal(got, q.shape) {
			return fault.Errorf(dense.ErrShape, "%s: ids have shape %v, the lookup has %v%s", q.call, fault.Shape(got), fault.Shape(q.shape), fault.ScalarHint(got, q.shape))
		}
	case ragged:
		if len(got) != 1 {
			return fault.Errorf(dense.ErrShape, "%s: ids have shape %v, with offsets they have rank 1%s", q.call, fault.Shape(got), fault.ScalarHint(got, fault.Ones(1)))
		}
	case q.anyShape && len(got) != 2:
		return fault.Errorf(dense.ErrShape, "%s: ids have shape %v, without offsets they are (bags, k), a row for each bag", q.call, fault.Shape(got))
	case !q.anyShape && (len(got) != 2 || got[0] != q.bags):
		return fault.Errorf(dense.ErrShape, "%s: ids have shape %v, without offsets they are (%d, k), a row for each bag", q.call, fault.Shape(got), q.bags)
	}
	return nil
}

func (q *request) readOffsets(p *picked, offsets tensor.Tensor) error {
	name, each, last, beyond := "offsets", "one for each bag", 0, int64(math.MaxInt64)
	switch {
	case q.offsets.Lengths:
		name, beyond = "lengths", core.Wrapped
	case q.offsets.LastOffset:
		each, last = "one for each bag and one more", 1
	}
	var shape tensor.Shape
	var err error
	if p.first, shape, err = core.ReadIDs(p.first, q.call, name, offsets, beyond); err != nil {
		return err
	}
	switch {
	case q.anyShape && (len(shape) != 1 || shape[0] < last):
		return fault.Errorf(dense.ErrShape, "%s: %s have shape %v, rank 1 is needed, %s%s", q.call, name, fault.Shape(shape), each, fault.ScalarHint(shape, fault.Ones(1)))
	case q.anyShape:
		q.bags = shape[0] - last
	case len(shape) != 1 || shape[0] != q.bags+last:
		return fault.Errorf(dense.ErrShape, "%s: %s have shape %v, (%d) is needed, %s%s", q.call, name, fault.Shape(shape), q.bags+last, each, fault.ScalarHint(shape, fault.Ones(1)))
	}
	if q.offsets.Lengths {
		return core.Offsets(q.call, p.first, elem.KindOf(offsets.Dtype()), p.n, "ids")
	}
	before := int64(0)
	for i, at := range p.first {
		if at < before || at > int64(p.n) {
			return fault.Errorf(dense.ErrShape, "%s: offsets[%d] is %d, allowed are ascending numbers from 0 to %d, the number of ids; the one before is %d",
				q.call, i, at, p.n, before)
		}
		before = at
	}
	p.first = p.first[:q.bags]
	if last == 0 {
		return nil
	}
	return core.CheckLast(q.call, before, q.bags, p.n, "ids")
}

func (q *request) readWeights(p *picked, weights tensor.Tensor, ids tensor.Shape) error {
	if q.mode == Max {
		return fault.Errorf(dense.ErrOption, "%s: weights are for bags of Sum, Mean and SqrtN, not of Max", q.call)
	}
	mem, shape, err := core.Packed(&q.copied, q.call, "weights", weights, q.table.dtype)
	if err != nil {
		return err
	}
	if !slices.Equal(shape, ids) {
		return fault.Errorf(dense.ErrShape, "%s: weights have shape %v, ids have %v%s", q.call, fault.Shape(shape), fault.Shape(ids), fault.ScalarHint(shape, ids))
	}
	p.weights, p.weighted = append(p.weights, mem...), append(p.weighted, shape...)
	return nil
}

// lookUp writes the rows of the ids, or the results of the bags. It returns the position of
// the first id that is out of range, or -1.
func (q *request) lookUp(p *picked, to []byte) int {
	t := q.table
	if t.inner == 0 {
		return -1
	}
	if t.rows == 0 { // all ids stand for no row
		clear(to)
		return -1
	}
	if p.unread == nil {
		defer t.touch(p.rows).end()
	}
	if q.bags >= 0 {
		bag := q.bag(p)
		return bag.Reduce(to)
	}
	if !t.isNumbers() {
		rows := t.stored()
		rows.Lookup(to, p.rows)
		return -1
	}
	c := kernel.Get()
	defer c.Put()
	c.RowsOf(t.memory.bytes, to, int(t.dtype.Size()), t.rows, t.inner, p.rows).Gather()
	return -1
}

// reductions are the modes, as the kernels know them.
var reductions = [...]num.Reduction{Sum: num.Add, Mean: num.Mean, Max: num.Max, SqrtN: num.SqrtN}

var noRows = []byte{}

// bag describes the bags to the kernels.
func (q *request) bag(p *picked) bag.Description {
	t, resolved := q.table, p.unread == nil
	table, stored := t.memory.bytes, quant.Rows{}
	if !t.isNumbers() {
		table, stored = nil, t.stored()
	}
	idx, weights := p.unread, p.weights
	switch {
	case resolved && len(p.rows) == 0:
		idx = noRows // nil would be all rows of the table, one after the other
	case resolved:
		idx = num.Bytes(p.rows)
	}
	if len(weights) == 0 {
		weights = nil
	}
	return bag.Description{
		Kind: t.kind, Reduction: reductions[q.mode], Table: table, Stored: stored, Rows: t.rows, Inner: t.inner,
		Idx: idx, Idx32: !resolved && p.short, NonNegative: resolved || t.ids.NonNegative, SkipBad: resolved,
		Weights: weights, Borders: q.borders(p), Default: -1,
	}
}

// borders says which ids belong to which bag.
func (q *request) borders(p *picked) bag.Borders {
	if p.ragged {
		return bag.Borders{Bags: q.bags, Offsets: num.Bytes(p.first)}
	}
	return bag.Borders{Bags: q.bags, PerBag: p.perBag}
}
