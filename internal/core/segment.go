package core

import (
	"math"

	"github.com/pkg/errors"
	"gorgonia.org/gather/internal/bag"
	"gorgonia.org/gather/internal/elem"
	"gorgonia.org/gather/internal/fault"
	"gorgonia.org/gather/internal/num"
	"gorgonia.org/gather/internal/plan"
	"gorgonia.org/gather/shapes"
	"gorgonia.org/tensor"
)

// SegmentScatter is the scatter that a reduction of segments is: of the rows of data
// into rows that begin as those of empty segments, without their old values. The
// gradient of data is the scatter's gradient of updates.
func SegmentScatter(p plan.Params) plan.Params {
	s := plan.Params{Op: plan.ScatterUpdate}
	s.Reduction, s.OutOfRange, s.NoInit, s.NonNegative = p.Reduction, p.OutOfRange, true, true
	s.Padded, s.Padding = p.Padded, p.Padding
	return s
}

// segments are the inputs of an operator of segments.
type segments struct {
	data view
	ids  indices
	rows segmentRows
}

// segmentRows are the rows of data that are in segments: lo to hi of all, or of those in a
// list, which leaves out padding between them. With Skip those before and behind are left out.
type segmentRows struct {
	lo, hi int
	list   []int64 // nil: all
}

// read takes the inputs, and appends the shape of the result to a buffer. The ids are to
// be released.
func (s *segments) read(buf tensor.Shape, p *plan.Params, data, ids tensor.Tensor) (tensor.Shape, error) {
	op := p.Op.String()
	if err := s.data.read(op, "data", data); err != nil {
		return nil, err
	}
	if err := s.ids.view.read(op, "segmentIDs", ids); err != nil {
		return nil, err
	}
	shape, err := p.AppendShape(buf, s.data.shape, s.ids.shape)
	if err != nil {
		return nil, err
	}
	if err := checkSegments(p, s.data.dtype, s.ids.dtype); err != nil {
		return nil, err
	}
	s.ids.load(p.Beyond())
	if s.rows, err = s.ids.segmentRows(p); err != nil {
		s.ids.release()
	}
	return shape, err
}

// checkSegments checks the dtypes of data and of segment ids.
func checkSegments(p *plan.Params, data, ids tensor.Dtype) error {
	op := p.Op.String()
	if _, err := elem.Width(data); err != nil {
		return errors.WithMessagef(err, "%s: data", op)
	}
	kind := elem.KindOf(data)
	switch {
	case p.Op == plan.SegmentSoftmax:
		if kind != num.Float32 && kind != num.Float64 {
			return fault.Errorf(elem.ErrDtype, "%s: data has dtype %v, allowed are float32 and float64", op, elem.Name(data))
		}
	case kind == num.Bool || kind == num.NoKind || !reducible(kind, p.Reduction):
		return fault.Errorf(elem.ErrDtype, "%s: values of dtype %v have no reduction %v", op, elem.Name(data), p.Reduction)
	}
	if !elem.IsIndex(ids) {
		return fault.Errorf(elem.ErrDtype, "%s: segmentIDs have dtype %v, integers are needed", op, elem.Name(ids))
	}
	if p.Op == plan.SegmentSoftmax {
		return nil
	}
	_, err := emptySegment(p, kind)
	return err
}

// emptySegment is the memory of an element of an empty segment, or nil for the 0 that kernels
// write.
func emptySegment(p *plan.Params, kind num.Kind) ([]byte, error) {
	if !p.FillsEmpty() {
		return nil, nil
	}
	element, ok := elem.FromFloat(kind, p.Empty)
	if !ok {
		return nil, fault.Errorf(plan.ErrOption, "%v: WithEmptySegment(%v) is not a number of the dtype of data", p.Op, p.Empty)
	}
	return element, nil
}

// segmentRows checks segment ids that are loaded, and returns which rows of data are in
// segments. It may replace the ids: see withoutPadding.
func (x *indices) segmentRows(p *plan.Params) (rows segmentRows, err error) {
	first, n := 0, x.size
	if p.Padded {
		if err := x.checkOrder(p); err != nil {
			return rows, err
		}
		rows.list, first, n = x.withoutPadding(p.Padding)
	}
	width := x.idWidth()
	ids, ok := x.loaded[first*width:][:n*width], false
	if x.is32 {
		rows.lo, rows.hi, ok = bag.Within(num.As[int32](ids), int64(p.NumSegments))
	} else {
		rows.lo, rows.hi, ok = bag.Within(num.As[int64](ids), int64(p.NumSegments))
	}
	skips := p.OutOfRange == plan.Skip
	if good := ok && (rows.lo == 0 || skips && !p.SkipBehind) && (rows.hi == n || skips); !good && !p.Padded {
		err = x.checkOrder(p) // if it is nil the ids have been changed meanwhile
	}
	rows.lo, rows.hi = rows.lo+first, rows.hi+first
	return rows, err
}

// checkOrder returns the error of segment ids that are not in ascending order or, unless
// they are skipped, out of range. The padding may stand anywhere.
func (x *indices) checkOrder(p *plan.Params) error {
	n, last, before := int64(p.NumSegments), -1, int64(0)
	for i := range x.size {
		v := x.at(i)
		switch {
		case p.Padded && v == p.Padding:
			continue
		case (v < 0 || v >= n) && (p.OutOfRange != plan.Skip || v < 0 && p.SkipBehind):
			return errors.WithStack(&IndexError{
				Op: p.Op.String(), Argument: x.name, Position: []int{i}, Index: v, Size: p.NumSegments, NonNegative: true,
			})
		case last >= 0 && v < before:
			return fault.Errorf(shapes.ErrShape, "%v: %s[%d] is %d and %s[%d] is %d, they must be ascending: sort the rows, use ScatterUpdate with a reduction, or give the id of padding by WithPadding",
				p.Op, x.name, last, before, x.name, i, v)
		}
		last, before = i, v
	}
	return nil
}

// idWidth is the bytes of an index that is loaded.
func (x *indices) idWidth() int {
	if x.is32 {
		return 4
	}
	return 8
}

// describe sets what a description says of the rows and of their segments. Its rows are all.
func (r *segmentRows) describe(d *bag.Description, ids *indices) {
	width := ids.idWidth()
	d.Segments, d.Short = present(ids.loaded[r.lo*width:r.hi*width]), ids.is32
	if r.list != nil {
		d.Idx = present(num.Bytes(r.list[r.lo:r.hi]))
		return
	}
	d.Rows = r.hi - r.lo
}

// of is the memory of those rows of data that the description has.
func (r *segmentRows) of(data []byte, row int) []byte {
	if r.list != nil {
		return data
	}
	return data[r.lo*row : r.hi*row]
}

// Segment runs a reduction of segments. The result is dst, or a new tensor if dst is
// nil.
func Segment(p plan.Params, dst *tensor.Dense, data, ids tensor.Tensor) (_ *tensor.Dense, err error) {
	defer report(p.Op.String(), &err)
	var in segments
	shape, err := in.read(make(tensor.Shape, 0, plan.RankHint), &p, data, ids)
	if err != nil {
		return nil, err
	}
	defer in.ids.release()
	if p.Reduction == plan.Mean && in.ids.size > math.MaxInt32 {
		return nil, fault.Errorf(shapes.ErrShape, "%v: a mean of %d rows, at most %d can be counted", p.Op, in.ids.size, math.MaxInt32)
	}
	var out view
	made, err := result(&out, p.Op.String(), dst, shape, in.data.dtype, &in.data, &in.ids.view)
	if err != nil || out.size == 0 {
		return made, err
	}
	element, err := emptySegment(&p, in.data.kind)
	if err != nil {
		return nil, err
	}
	to := out.asPacked()
	if to.mem = out.mem; !out.packed {
		to.mem = make([]byte, out.size*out.width)
	}
	bags := in.bags(&p, element)
	bags.Reduce(to.mem)
	if !out.packed {
		copyView(&out, &to)
	}
	return made, nil
}

// bags are the segments as bags: the rows of data that are in segments are the table.
func (s *segments) bags(p *plan.Params, empty []byte) bag.Description {
	inner := product(s.data.shape[1:])
	d := bag.Description{
		Kind: s.data.kind, Reduction: p.Reduction, Table: s.rows.of(packedMemory(&s.data), inner*s.data.width), Rows: s.data.shape[0], Inner: inner,
		Borders: bag.Borders{Bags: p.NumSegments}, Default: -1, Empty: empty,
	}
	s.rows.describe(&d, &s.ids)
	return d
}
