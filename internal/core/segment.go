package core

import (
	"slices"
	"sort"

	"github.com/pkg/errors"
	"gorgonia.org/gather/internal/bag"
	"gorgonia.org/gather/internal/elem"
	"gorgonia.org/gather/internal/fault"
	"gorgonia.org/gather/internal/num"
	"gorgonia.org/gather/internal/plan"
	"gorgonia.org/gather/internal/segment"
	"gorgonia.org/gather/shapes"
	"gorgonia.org/tensor"
)

// SegmentScatter is the scatter that a reduction of segments is: of the rows of data
// into rows that begin as those of empty segments, without their old values. The
// gradient of data is the scatter's gradient of updates.
func SegmentScatter(p plan.Params) plan.Params {
	s := plan.Params{Op: plan.ScatterUpdate}
	s.Reduction, s.OutOfRange, s.NoInit, s.NonNegative = p.Reduction, p.OutOfRange, true, true
	return s
}

// segments are the inputs of an operator of segments.
type segments struct {
	data view
	ids  indices
	// The rows lo to hi of data are in segments: with Skip those before and behind
	// them are left out.
	lo, hi int
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
	s.ids.load()
	if s.lo, s.hi, err = s.ids.segmentRows(p); err != nil {
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

// emptySegment is the memory of an element of an empty segment.
func emptySegment(p *plan.Params, kind num.Kind) ([]byte, error) {
	element, ok := elem.FromFloat(kind, p.Empty)
	if !ok {
		return nil, fault.Errorf(plan.ErrOption, "%v: WithEmptySegment(%v) is not a number of the dtype of data", p.Op, p.Empty)
	}
	return element, nil
}

// segmentRows checks segment ids that are loaded: they are in ascending order, and in
// range unless they are skipped. It returns which rows of data are in segments.
func (x *indices) segmentRows(p *plan.Params) (lo, hi int, err error) {
	n, before := int64(p.NumSegments), int64(0)
	var ok bool
	if x.is32 {
		lo, hi, ok = ascending(num.As[int32](x.loaded), n)
	} else {
		lo, hi, ok = ascending(num.As[int64](x.loaded), n)
	}
	skips := p.OutOfRange == plan.Skip
	if ok && (lo == 0 || skips && !p.SkipBehind) && (hi == x.size || skips) {
		return lo, hi, nil
	}
	for i := range x.size {
		v := x.at(i)
		switch {
		case (v < 0 || v >= n) && (p.OutOfRange != plan.Skip || v < 0 && p.SkipBehind):
			return 0, 0, errors.WithStack(&IndexError{
				Op: p.Op.String(), Argument: x.name, Position: []int{i}, Index: v, Size: p.NumSegments, NonNegative: true,
			})
		case i > 0 && v < before:
			return 0, 0, fault.Errorf(shapes.ErrShape, "%v: %s[%d] is %d and %s[%d] is %d, they must be ascending: sort the rows, use ScatterUpdate with a reduction, or pad at the end with %d and Skip",
				p.Op, x.name, i-1, before, x.name, i, v, p.NumSegments)
		}
		before = v
	}
	return lo, hi, nil // the ids have been changed meanwhile
}

// ascending tells whether ids are in order, in a loop of one branch, and which of them
// are from 0 to n.
func ascending[I int32 | int64](ids []I, n int64) (lo, hi int, ok bool) {
	if !slices.IsSorted(ids) {
		return 0, 0, false
	}
	lo = sort.Search(len(ids), func(i int) bool { return ids[i] >= 0 })
	return lo, lo + sort.Search(len(ids)-lo, func(i int) bool { return int64(ids[lo+i]) >= n }), true
}

// rows is a view of the rows lo to hi of another.
func (v *view) rows(lo, hi int) view {
	if lo == 0 && hi == v.shape[0] {
		return *v
	}
	part := *v
	part.shape = append(tensor.Shape{hi - lo}, v.shape[1:]...)
	if part.size = product(part.shape); part.size == 0 {
		part.packed = true
		return part
	}
	part.mem = v.mem[lo*v.stride(0)*v.bytes():]
	return part
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
	var out view
	made, err := result(&out, p.Op.String(), dst, shape, in.data.dtype, &in.data, &in.ids.view)
	if err != nil || out.size == 0 {
		return made, err
	}
	element, err := emptySegment(&p, in.data.kind)
	if err != nil {
		return nil, err
	}
	if in.packs(&p) {
		to := out.asPacked()
		if to.mem = out.mem; !out.packed {
			to.mem = make([]byte, out.size*out.width)
		}
		in.reduce(&p, to.mem, element)
		if !out.packed {
			copyView(&out, &to)
		}
		return made, nil
	}
	s := scatter{p: SegmentScatter(p), data: repeated(element, &out), updates: in.data.rows(in.lo, in.hi), kind: in.data.kind}
	s.p.OutOfRange = plan.Reject
	s.x = in.ids
	s.x.view = in.ids.view.rows(in.lo, in.hi)
	s.x.loaded = in.loadedIDs()
	return made, s.into(&out, initialisation{old: &s.data})
}

// loadedIDs are the memory of the ids of rows in segments.
func (s *segments) loadedIDs() []byte {
	width := len(s.ids.loaded) / max(1, s.ids.size)
	return s.ids.loaded[s.lo*width : s.hi*width]
}

// packs tells whether reduce has a loop for the call; others are reduced as scatters.
func (s *segments) packs(p *plan.Params) bool {
	float := s.data.kind == num.Float32 || s.data.kind == num.Float64
	return s.hi > s.lo && (s.ofNumbers(p) || float)
}

// ofNumbers tells whether rows are single numbers that are reduced in a register.
func (s *segments) ofNumbers(p *plan.Params) bool {
	return product(s.data.shape[1:]) == 1 && segment.HasColumn(s.data.kind, p.Reduction)
}

// reduce writes the segments' reductions to packed memory: of single numbers, or of rows of
// floats, which are bags of one table.
func (s *segments) reduce(p *plan.Params, out, empty []byte) {
	inner := product(s.data.shape[1:])
	row := inner * s.data.width
	data := packedMemory(&s.data)[s.lo*row : s.hi*row]
	if s.ofNumbers(p) {
		segment.Column{Kind: s.data.kind, Reduction: p.Reduction, X: data, IDs: s.loadedIDs(), Short: s.ids.is32, Empty: empty}.Reduce(out)
		return
	}
	d := bag.Description{
		Kind: s.data.kind, Reduction: p.Reduction, Table: data, Rows: s.hi - s.lo, Inner: inner,
		Borders: bag.Borders{Bags: p.NumSegments, Segments: s.loadedIDs(), Short: s.ids.is32}, Default: -1,
	}
	d.Reduce(out)
	if p.FillsEmpty() {
		s.ids.fillEmpty(out, p.NumSegments, empty)
	}
}

// fillEmpty writes an element to the results of segments without rows.
func (x *indices) fillEmpty(out []byte, segments int, element []byte) {
	row := len(out) / max(1, segments)
	fill := func(lo, hi int) {
		for part := out[lo*row : hi*row]; len(part) > 0; {
			part = part[copy(part, element):]
		}
	}
	next := 0 // the first segment that has not been seen
	for i := range x.size {
		id := int(min(max(x.at(i), -1), int64(segments)))
		if id >= next {
			fill(next, id)
			next = min(id+1, segments)
		}
	}
	fill(next, segments)
}
