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

// kept is which updates of a scatter are left without those that are skipped.
type kept struct {
	positions []int64
	all       [3]int // dims of all updates: before the positions, these, and behind them
	shape     []int  // of the updates that are left
}

// keptUpdates is what is left of a scatter without the updates that are skipped. Of a
// ScatterElements it is a ScatterND into flat data: what is left of the indices has no shape
// of its own.
type keptUpdates struct {
	scatter
	kept
	flat bool
}

// skip makes the scatter, whose indices are loaded, one that has no bad index, and
// returns what is left of it, or nil if that is everything.
func (s *scatter) skip() *keptUpdates {
	if s.p.OutOfRange != plan.Skip {
		return nil
	}
	if s.x.whole || firstBad(&s.p, &s.data, &s.x) < 0 {
		s.p.OutOfRange = plan.Reject
		return nil
	}
	p, data := s.p, s.data
	p.OutOfRange = plan.Reject
	if !p.Op.Elements() {
		k, x := s.keptTuples()
		return &keptUpdates{scatter{p, data, x, k.of(&s.updates)}, k, false}
	}
	p.Op, p.Axis = plan.ScatterND, 0
	k, x := s.keptElements()
	return &keptUpdates{scatter{p, flat(packed(&data)), x, k.of(&s.updates)}, k, true}
}

// resolved is an index counted from the front, if it is in range.
func (s *scatter) resolved(position, size int) (int64, bool) {
	v := s.x.at(position)
	if v < 0 && !s.p.NonNegative {
		v += int64(size)
	}
	return v, 0 <= v && v < int64(size)
}

// keptTuples are the tuples all of whose indices are good.
func (s *scatter) keptTuples() (kept, indices) {
	first, n := firstAxis(&s.p), s.x.axes(&s.p)
	sizes, all := s.data.shape[first:][:n], s.x.size/n
	var positions []int64
	tuples := make([]int64, 0, s.x.size)
	for t := range all {
		before := len(tuples)
		for c, size := range sizes {
			v, ok := s.resolved(t*n+c, size)
			if !ok {
				tuples = tuples[:before]
				break
			}
			tuples = append(tuples, v)
		}
		if len(tuples) > before {
			positions = append(positions, int64(t))
		}
	}
	shape := []int{len(positions)}
	if s.p.Op.Tuples() {
		shape = append(shape, n)
	}
	before, behind := s.data.shape[:first], s.data.shape[first+n:]
	k := kept{positions, [3]int{product(before), all, product(behind)}, slices.Concat(before, []int{len(positions)}, behind)}
	return k, indexList(tuples, shape...)
}

// keptElements are the offsets in packed data of the updates with good indices.
func (s *scatter) keptElements() (kept, indices) {
	data := s.data.asPacked()
	coordinates, offset := make([]int, len(s.x.shape)), 0
	var offsets, positions []int64
	size, stride := data.shape[s.p.Axis], data.stride(s.p.Axis)
	for position := range s.x.size {
		if v, ok := s.resolved(position, size); ok {
			offsets = append(offsets, int64(offset+int(v)*stride))
			positions = append(positions, int64(position))
		}
		for d := len(coordinates) - 1; d >= 0; d-- {
			step := 0
			if d != s.p.Axis {
				step = data.stride(d)
			}
			coordinates[d]++
			if offset += step; coordinates[d] < s.x.shape[d] {
				break
			}
			offset -= coordinates[d] * step
			coordinates[d] = 0
		}
	}
	return kept{positions, [3]int{1, s.x.size, 1}, []int{len(positions)}}, indexList(offsets, len(offsets), 1)
}

// indexList is a list as indices that are loaded.
func indexList(list []int64, shape ...int) indices {
	mem := num.Bytes(list)
	v := view{name: "indices", dtype: tensor.Int64, width: 8, mem: mem, shape: shape, packed: true, kind: num.Int64, size: len(list)}
	return indices{view: v, loaded: mem}
}

// of is what is left of a view that is like updates.
func (k *kept) of(v *view) view {
	left := v.anew(k.shape)
	p, x := plan.Params{Op: plan.Gather, Axis: 1}, indexList(k.positions, len(k.positions))
	whole, items := shaped(packed(v), k.all[:]...), shaped(left, k.all[0], len(k.positions), k.all[2])
	if left.size > 0 {
		_ = run((*kernel.Call).Gather, &p, &whole, &items, &x, startState{}) // all positions are good
	}
	return left
}

// toUpdates writes what belongs to the updates that are left to a view like all of
// them, and zeros to the rest.
func (k *kept) toUpdates(out, left *view) error {
	rows := slices.Repeat([]int64{-1}, k.all[1]) // in left, of each update
	for i, t := range k.positions {
		rows[t] = int64(i)
	}
	p := plan.Params{Op: plan.Gather, Axis: 1, Settings: plan.Settings{OutOfRange: plan.ZeroFill, NonNegative: true}}
	x, to := indexList(rows, len(rows)), out.blank()
	from, items := shaped(*left, k.all[0], len(k.positions), k.all[2]), shaped(to, k.all[:]...)
	return out.store(&to, run((*kernel.Call).Gather, &p, &from, &items, &x, startState{}))
}

// ontoData runs what changes a view like data, which begins as packed or blank makes it.
func (r *keptUpdates) ontoData(out *view, begin func(*view) view, run func(out *view) error) error {
	if !r.flat {
		return run(out)
	}
	to := begin(out)
	f := flat(to)
	return out.store(&to, run(&f))
}
