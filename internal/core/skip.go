package core

import (
	"slices"

	"gorgonia.org/gather/internal/kernel"
	"gorgonia.org/gather/internal/num"
	"gorgonia.org/gather/internal/plan"
	"gorgonia.org/tensor"
)

// With Skip an update whose index is out of range, or whose tuple has one that is,
// takes no part. The kernels leave it out as they go. For means, and for derivatives that
// depend on more than what they are applied to, the scatter is made one of fewer updates,
// with good indices alone.

// leaves reports whether the kernels that make the derivative leave out what is skipped.
func (d ScatterMap) leaves(p plan.Params) bool {
	switch p.Reduction {
	case num.Add, num.Sub:
		return true
	case num.None:
		return d != VJPUpdates
	}
	return (d == VJPData || d == JVPData) && (p.NoInit || p.Reduction == num.Mul)
}

// keptUpdates is what is left of a scatter without the updates that are skipped.
type keptUpdates struct {
	scatter
	elements  bool    // data is flat: see makeFlat
	positions []int64 // of the updates that are left
	all       [3]int  // dims of all updates: before the positions, these, and behind them
	shape     []int   // of the updates that are left
}

// skip makes the scatter, whose indices are loaded, one that has no bad index, and
// returns what is left of it, or nil if that is everything.
func (s *scatter) skip() (*keptUpdates, error) {
	if s.p.OutOfRange != plan.Skip {
		return nil, nil
	}
	if s.x.whole || firstBad(&s.p, &s.data, &s.x) < 0 {
		s.p.OutOfRange = plan.Reject
		return nil, nil
	}
	r := &keptUpdates{scatter: *s, elements: s.p.Op.Elements()}
	r.p.OutOfRange = plan.Reject
	r.x.scratch = nil // s releases it
	if r.elements {
		r.ofElements(s)
	} else {
		r.ofTuples(s)
	}
	updates, err := r.ofUpdates(&s.updates)
	if err != nil {
		return nil, err
	}
	r.updates = updates
	if r.elements {
		if err := r.data.makeFlat(&s.p); err != nil {
			return nil, err
		}
	}
	return r, nil
}

// resolved is an index counted from the front, if it is in range.
func (s *scatter) resolved(position, size int) (int64, bool) {
	v := s.x.at(position)
	if v < 0 && !s.p.NonNegative {
		v += int64(size)
	}
	return v, 0 <= v && v < int64(size)
}

// ofTuples leaves the tuples all of whose indices are good.
func (r *keptUpdates) ofTuples(s *scatter) {
	first, k := firstAxis(&s.p), s.x.axes(&s.p)
	sizes, positions := s.data.shape[first:][:k], s.x.size/k
	tuples := make([]int64, 0, s.x.size)
	for t := range positions {
		n := len(tuples)
		for c, size := range sizes {
			v, ok := s.resolved(t*k+c, size)
			if !ok {
				tuples = tuples[:n]
				break
			}
			tuples = append(tuples, v)
		}
		if len(tuples) > n {
			r.positions = append(r.positions, int64(t))
		}
	}
	before, behind := s.data.shape[:first], s.data.shape[first+k:]
	r.all = [3]int{product(before), positions, product(behind)}
	r.shape = slices.Concat(before, []int{len(r.positions)}, behind)
	if r.x = indexList(tuples, len(r.positions)); s.p.Op.Tuples() {
		r.x.shape = tensor.Shape{len(r.positions), k}
	}
}

// ofElements makes a ScatterElements a ScatterND into flat data: what is left of the
// indices has no shape of its own.
func (r *keptUpdates) ofElements(s *scatter) {
	packed := s.data.asPacked()
	coordinates, offset := make([]int, len(s.x.shape)), 0
	var offsets []int64
	size, stride := s.data.shape[s.p.Axis], packed.stride(s.p.Axis)
	for position := range s.x.size {
		if v, ok := s.resolved(position, size); ok {
			offsets = append(offsets, int64(offset+int(v)*stride))
			r.positions = append(r.positions, int64(position))
		}
		for d := len(coordinates) - 1; d >= 0; d-- {
			step := 0
			if d != s.p.Axis {
				step = packed.stride(d)
			}
			coordinates[d]++
			if offset += step; coordinates[d] < s.x.shape[d] {
				break
			}
			offset -= coordinates[d] * step
			coordinates[d] = 0
		}
	}
	r.p.Op, r.p.Axis = plan.ScatterND, 0
	r.all, r.shape = [3]int{1, s.x.size, 1}, []int{len(r.positions)}
	r.x = indexList(offsets, len(offsets), 1)
}

// indexList is a list as indices that are loaded.
func indexList(list []int64, shape ...int) indices {
	x := indices{loaded: num.Bytes(list)}
	x.name, x.dtype, x.kind, x.width = "indices", tensor.Int64, num.Int64, 8
	x.shape, x.size, x.packed, x.mem = shape, len(list), true, x.loaded
	return x
}

// ofUpdates is what is left of a view that is like updates.
func (r *keptUpdates) ofUpdates(v *view) (view, error) {
	whole, left := *v, *v
	if err := whole.makePacked(&r.p); err != nil {
		return left, err
	}
	whole.shape = r.all[:]
	p := plan.Params{Op: plan.Gather, Axis: 1}
	x := indexList(r.positions, len(r.positions))
	made, err := gather(&p, nil, tensor.Shape{r.all[0], len(r.positions), r.all[2]}, &whole, &x)
	if err != nil {
		return left, err
	}
	err = left.read(r.p.Op.String(), v.name, made)
	left.shape = r.shape
	return left, err
}

// toUpdates writes what belongs to the updates that are left to a view like all of
// them, and zeros to the rest.
func (r *keptUpdates) toUpdates(out, left *view) error {
	rows := make([]int64, r.all[1]) // in left, of each update
	for t := range rows {
		rows[t] = -1
	}
	for i, t := range r.positions {
		rows[t] = int64(i)
	}
	p := plan.Params{Op: plan.Gather, Axis: 1, Settings: plan.Settings{OutOfRange: plan.ZeroFill, NonNegative: true}}
	x, from := indexList(rows, len(rows)), *left
	from.shape = tensor.Shape{r.all[0], len(r.positions), r.all[2]}
	return ontoPacked(out, func(out *view) error {
		to := *out
		to.shape = r.all[:]
		c := kernel.Get()
		defer c.Put()
		prepare(c, &p, &from, &to, &x, startState{})
		return x.indexError(&p, &from, c.Gather())
	})
}

// ontoData runs what changes a view like data, or overwrites it.
func (r *keptUpdates) ontoData(out *view, overwrites bool, run func(out *view) error) error {
	if !r.elements {
		return run(out)
	}
	flat := func(out *view) error {
		f := *out
		f.shape = tensor.Shape{f.size}
		return run(&f)
	}
	if out.width == 0 {
		return flat(out) // strings are written to new tensors alone, which are packed
	}
	if overwrites {
		return ontoPacked(out, flat)
	}
	return inPacked(out, flat)
}

// makeFlat gives a view like data one axis, packing a copy of it if it is not packed.
func (v *view) makeFlat(p *plan.Params) error {
	err := v.makePacked(p)
	v.shape = tensor.Shape{v.size}
	return err
}

// makePacked is packed, for strings, too.
func (v *view) makePacked(p *plan.Params) error {
	if v.packed {
		return nil
	}
	var near view
	if _, err := newResult(&near, p.Op.String(), v.shape, v.dtype); err != nil {
		return err
	}
	copyView(&near, v)
	near.name = v.name
	*v = near
	return nil
}
