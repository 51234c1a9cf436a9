package core

import (
	"fmt"

	"gorgonia.org/gather/internal/bag"
	"gorgonia.org/gather/internal/fault"
	"gorgonia.org/gather/internal/num"
	"gorgonia.org/gather/internal/plan"
	"gorgonia.org/gather/shapes"
)

// loadBorders loads the offsets, lengths or segment ids of bags of n positions, checks them, and returns what bag.Borders has. For an
// operator without indices it finds the rows in segments, which alone keep their ids, and makes a list of them the indices.
func (b *bagCall) loadBorders(n int) (offsets, segments []byte, perBag int, err error) {
	x := &b.borders
	switch {
	case b.p.Op == plan.EmbeddingBagPacked:
		return nil, nil, b.x.shape[1], nil
	case b.p.Lengths:
		x.load(Wrapped)
		return x.loaded, nil, 0, Offsets(b.op, num.As[int64](x.loaded), x.kind, n, "indices")
	}
	x.load(b.p.Beyond())
	switch {
	case !b.p.Op.Weighted():
		b.rows.lo, b.rows.hi, b.rows.list, err = x.rowsInSegments(&b.p, b.op)
		b.x.loaded = num.Bytes(b.rows.list) // the list has rows of the table, as indices have
		return nil, x.loaded, 0, err
	case b.p.Op.Segments():
		return nil, x.loaded, 0, b.badBorder(bag.OutOfOrder(x.loaded, x.is32, b.bags), n)
	}
	if err = b.badBorder(bag.OutOfOrder(x.loaded, x.is32, n+1), n); err == nil && b.p.LastOffset {
		err = CheckLast(b.op, x.at(b.bags), b.bags, n, "indices")
	}
	return x.loaded[:b.bags*num.IndexBytes(x.is32)], nil, 0, err
}

// Offsets makes offsets of the lengths of bags, in place: none is negative, and their sum
// is n, the number of what is named. Those of uint64 are read with Wrapped.
func Offsets(op string, lengths []int64, kind num.Kind, n int, what string) error {
	sum := int64(0)
	for i, length := range lengths {
		switch {
		case length < 0 && kind != num.Uint64:
			return fault.Errorf(shapes.ErrShape, "%s: lengths[%d] is %d, none may be negative", op, i, length)
		case uint64(length) > uint64(int64(n)-sum):
			return fault.Errorf(shapes.ErrShape, "%s: lengths[%d] is %d, and the sum of those before it %d: there are %d %s", op, i, uint64(length), sum, n, what)
		}
		lengths[i] = sum
		sum += length
	}
	if sum != int64(n) {
		return fault.Errorf(shapes.ErrShape, "%s: the sum of lengths is %d, %d is needed, the number of %s", op, sum, n, what)
	}
	return nil
}

// CheckLast refuses another last offset, where bags end, than the number of what is named.
func CheckLast(op string, last int64, at, n int, what string) error {
	if last != int64(n) {
		return fault.Errorf(shapes.ErrShape, "%s: offsets[%d] is %d, with WithLastOffset the last one is %d, the number of %s", op, at, last, n, what)
	}
	return nil
}

// badBorder is the error about an offset or a segment id at a position; there is
// none if the position is negative.
func (b *bagCall) badBorder(position, n int) error {
	if position < 0 {
		return nil
	}
	// Each is read once: another goroutine may change them.
	name, v, before, earlier := b.borders.name, b.borders.at(position), int64(0), ""
	segments, limit := b.p.Op.Segments(), int64(n)
	if position > 0 {
		before = b.borders.at(position - 1)
		earlier = fmt.Sprintf("; the one before is %d", before)
	}
	if segments {
		limit = int64(b.p.NumSegments) - 1
	}
	switch {
	case max(before, 0) <= v && v <= limit:
		return fault.Errorf(shapes.ErrShape, "%s: %s[%d] was not ascending, or out of range, when it was read, and is %d now: it was changed during the call",
			b.op, name, position, v)
	case segments && (v < 0 || v > limit):
		return b.borders.badSegment(&b.p, position, v)
	case segments:
		return fault.Errorf(shapes.ErrShape, "%s: %s[%d] is %d and %s[%d] is %d, they must be ascending", b.op, name, position-1, before, name, position, v)
	}
	return fault.Errorf(shapes.ErrShape, "%s: offsets[%d] is %d, allowed are ascending numbers from 0 to %d, the number of indices%s",
		b.op, position, v, n, earlier)
}

// badIndex is the error about the index at a position, as a kernel returns it.
func (b *bagCall) badIndex(position int) error { return b.x.indexError(&b.p, &b.table, position) }
