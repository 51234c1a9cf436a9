package kernel

import (
	"unsafe"

	"gorgonia.org/gather/internal/num"
	"gorgonia.org/gather/internal/par"
	"gorgonia.org/gather/internal/simd"
)

// Rows, and elements that tuples address: their offsets are resolved first, up to 1024 at
// a time, and one call of a loop takes them.

// rowOp is what is done to rows: a copy to items, or a loop that changes data.
type rowOp struct {
	copy   simd.GatherLoop
	change simd.ScatterLoop
	few    int    // up to how many rows of words are copied or overwritten by loops of their own
	one    []byte // the item of all rows, if there is only one, or the beginning of it
}

// rows runs op on all rows of a part whose offsets are in a partition.
func (p *part) rows(op *rowOp, mine par.Partition) int {
	atOnce := max(longRows, par.RowsAtOnce(p.unit))
	if !p.separate {
		atOnce = 1 // an element may be part of two rows
	}
	marks := p.SkipBad && op.copy == nil
	keeps := marks || mine.Of > 1
	outer, inner, left := p.lastTwo()
	c, w := &cursor{part: p, outerLoop: outer, innerLoop: inner, marks: marks, places: keeps || !p.packed(), left: left}, &p.window
	w.Reset(left, atOnce, simd.Distance(p.unit))
	if c.places {
		w.UsePlaces()
	}
	step := inner.Items
	for {
		from := w.Len()
		bad := c.fill(w)
		if bad >= 0 && p.Atomic && !p.SkipBad {
			return bad
		}
		if keeps {
			w.Keep(from, mine, nil)
		}
		for w.Len() > 0 {
			n := w.Ready(c.left == 0 || bad >= 0)
			if n == 0 {
				break
			}
			done := left - c.left - w.Len()
			now := &rowsAt{w.Offsets[:n], simd.Iota[:n], p.at.items + done*step, step, w.Ahead, false}
			if c.places {
				now = &rowsAt{w.Offsets[:n], w.Places[:n], 0, 1, w.Ahead, true}
			}
			if p.tail == len(p.loops) {
				p.apply(op, now, 0, 0)
			} else {
				p.eachOfTail(op, now)
			}
			w.Drop(n)
		}
		switch {
		case bad >= 0 && !p.SkipBad:
			return bad
		case bad >= 0:
			p.clearItem(c.item())
			c.pass(1)
		case c.left == 0:
			return -1
		}
	}
}

// rowsAt is where some rows are: in data at offsets, in items at places, which are multiples
// of step, from item on.
type rowsAt struct {
	offsets, places []int64
	item, step      int
	ahead           int
	placed          bool // places are not 0, 1, 2 …
}

// apply runs op on some rows, from bytes of items and of data on.
func (p *part) apply(op *rowOp, r *rowsAt, item, datum int) {
	data, items, n := byteOf(p.Data, datum), byteOf(p.Items, r.item+item), len(r.offsets)
	switch {
	case op.one != nil && p.unit <= len(op.one):
		op.change.Run(data, num.Pointer(op.one), &r.offsets[0], &simd.Iota[0], n, p.unit, 0, 0)
	case op.one != nil: // which is longer than the memory of neutral elements
		for _, at := range r.offsets {
			par.Repeat(unsafe.Slice((*byte)(unsafe.Add(unsafe.Pointer(data), at)), p.unit), op.one)
		}
	case op.copy == nil:
		op.change.Run(data, items, &r.offsets[0], &r.places[0], n, p.unit, r.step, r.ahead)
	case r.placed: // no GatherLoop has places: with sides changed a scatter does
		op.change.Run(items, data, &r.places[0], &r.offsets[0], n, p.unit, 1, 0)
	default:
		op.copy.Run(data, items, &r.offsets[0], n, p.unit, r.step, r.ahead)
	}
}

// clearItem sets an item to zero, for an index out of range.
func (p *part) clearItem(item int) {
	p.inner.reset(p.loops[p.tail:], position{items: item})
	for more := true; more; more = p.inner.step() {
		row := p.Items[p.inner.items:][:p.unit]
		if p.Width == 0 {
			par.Clear(num.As[string](row))
		} else {
			par.Clear(row)
		}
	}
}
