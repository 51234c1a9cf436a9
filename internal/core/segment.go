package core

import (
	"github.com/pkg/errors"
	"gorgonia.org/gather/internal/bag"
	"gorgonia.org/gather/internal/elem"
	"gorgonia.org/gather/internal/fault"
	"gorgonia.org/gather/internal/num"
	"gorgonia.org/gather/internal/plan"
	"gorgonia.org/gather/shapes"
)

// SegmentScatter is the scatter that a reduction of segments is: of the rows of data
// into rows that begin as those of empty segments, without their old values. The
// gradient of data is the scatter's gradient of updates.
func SegmentScatter(p plan.Params) plan.Params {
	return plan.Params{Op: plan.ScatterUpdate, Settings: plan.Settings{
		Reduction: p.Reduction, OutOfRange: p.OutOfRange, NoInit: true, NonNegative: true, Padded: p.Padded, Padding: p.Padding,
	}}
}

// segmentRows are the rows of data that are in segments: of those from lo to hi all, or those in
// a list, which leaves out padding between them. With Skip those before and behind are left out.
type segmentRows struct {
	lo, hi int
	list   []int64 // nil: all
}

// emptySegment is the memory of an element of an empty segment, or nil for the 0 that kernels
// write.
func emptySegment(p *plan.Params, data *view) ([]byte, error) {
	switch {
	case p.FillMode == plan.FillLowest:
		return elem.Lowest(data.kind), nil
	case !p.FillsEmpty():
		return nil, nil
	}
	if element, ok := elem.FromFloat(data.kind, p.Empty); ok {
		return element, nil
	}
	return nil, fault.Errorf(plan.ErrOption, "%v: WithEmptySegment(%v), %s has dtype %v, a number of which is needed", p.Op, p.Empty, data.name, elem.Name(data.dtype))
}

// rowsInSegments checks segment ids that are loaded, and returns what segmentRows has. Only the ids of those rows stay loaded: if there
// is padding between them, in a copy, see withoutPadding.
func (x *indices) rowsInSegments(p *plan.Params, op string) (first, end int, list []int64, err error) {
	n := x.size
	if p.Padded {
		if err = x.checkOrder(p, op); err != nil {
			return 0, 0, nil, err
		}
		list, first, n = x.withoutPadding(p.Padding)
	}
	lo, hi, ok, width := 0, 0, false, num.IndexBytes(x.is32)
	ids := x.loaded[first*width:][:n*width]
	if x.is32 {
		lo, hi, ok = bag.Within(num.As[int32](ids), int64(p.NumSegments))
	} else {
		lo, hi, ok = bag.Within(num.As[int64](ids), int64(p.NumSegments))
	}
	skips := p.OutOfRange == plan.Skip
	if good := ok && (lo == 0 || skips && !p.SkipBehind) && (hi == n || skips); !good && !p.Padded {
		err = x.checkOrder(p, op) // if it is nil the ids have been changed meanwhile
	}
	if x.loaded = ids[lo*width : hi*width]; list != nil {
		return 0, x.size, list[lo:hi], err
	}
	return first + lo, first + hi, nil, err
}

// checkOrder returns the error of segment ids that are not in ascending order or, unless
// they are skipped, out of range. The padding may stand anywhere.
func (x *indices) checkOrder(p *plan.Params, op string) error {
	n, last, before := int64(p.NumSegments), -1, int64(0)
	for i := range x.size {
		v := x.at(i)
		switch {
		case p.Padded && v == p.Padding:
			continue
		case (v < 0 || v >= n) && (p.OutOfRange != plan.Skip || v < 0 && p.SkipBehind):
			return x.badSegment(p, i, v)
		case last >= 0 && v < before:
			instead := ", or use ScatterUpdate with a reduction"
			if p.Op == plan.SegmentSoftmax {
				instead = ""
			}
			return fault.Errorf(shapes.ErrShape, "%s: %s[%d] is %d and %s[%d] is %d, they must be ascending, but for those of WithPadding: sort the rows%s",
				op, x.name, last, before, x.name, i, v, instead)
		}
		last, before = i, v
	}
	return nil
}

// badSegment is the error for a segment id that is out of range.
func (x *indices) badSegment(p *plan.Params, at int, id int64) error {
	return errors.WithStack(&IndexError{Op: p.Op.String(), Argument: x.name, Position: []int{at}, Index: id, Size: p.NumSegments, NonNegative: true})
}
