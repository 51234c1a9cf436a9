package core

import (
	"fmt"

	"github.com/pkg/errors"
	"gorgonia.org/gather/internal/bag"
	"gorgonia.org/gather/internal/fault"
	"gorgonia.org/gather/shapes"
)

// badBorder is the error about an offset or a segment id at a position; there is
// none if the position is negative.
func (b *bagCall) badBorder(position, n int) error {
	if position < 0 {
		return nil
	}
	// Each is read once: another goroutine may change them.
	name, v, before, earlier := b.borders.name, b.borders.at(position), int64(0), ""
	if position > 0 {
		before = b.borders.at(position - 1)
		earlier = fmt.Sprintf("; the one before is %d", before)
	}
	segments, limit := b.p.Op.Segments(), int64(n)
	if segments {
		limit = int64(b.p.NumSegments) - 1
	}
	switch {
	case max(before, 0) <= v && v <= limit:
		return fault.Errorf(shapes.ErrShape, "%s: %s[%d] was not ascending, or out of range, when it was read, and is %d now: it was changed during the call",
			b.op, name, position, v)
	case segments && (v < 0 || v > limit):
		return errors.WithStack(&IndexError{
			Op: b.p.Op.String(), Argument: name, Position: []int{position}, Index: v, Size: b.p.NumSegments, NonNegative: true,
		})
	case segments:
		return fault.Errorf(shapes.ErrShape, "%s: %s[%d] is %d and %s[%d] is %d, they must be ascending",
			b.op, name, position-1, before, name, position, v)
	}
	return fault.Errorf(shapes.ErrShape, "%s: offsets[%d] is %d, allowed are ascending numbers from 0 to %d, the number of indices%s",
		b.op, position, v, n, earlier)
}

// check refuses an index that is out of range, unless such are left out.
func (b *bagCall) check(bags *bag.Description) error {
	if bags.SkipBad {
		return nil
	}
	return b.badIndex(bags.Check())
}

// badIndex is the error about the index at a position, as a kernel returns it.
func (b *bagCall) badIndex(position int) error { return b.x.indexError(&b.p, &b.table, position) }
