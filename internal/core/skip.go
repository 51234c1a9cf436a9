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

// kept is which updates of a scatter are left without those that are skipped.
type kept struct {
	positions []int64
	dims      [3]int // of all updates: before the positions, these, and behind them
	shape     []int  // of the updates that are left
}

// keptUpdates is what is left of a scatter without the updates that are skipped. Of a
// ScatterElements it is a ScatterND into flat data: what is left of the indices has no shape
// of its own.
type keptUpdates struct {
	scatter
	kept
	all bool // nothing is skipped
}

// skip makes the scatter, whose indices are loaded, one that has no bad index.
func (s *scatter) skip() keptUpdates {
	if s.p.OutOfRange != plan.Skip || s.x.whole || firstBad(&s.p, &s.data, &s.x) < 0 {
		return keptUpdates{scatter: scatter{s.p.WithPolicy(plan.Reject), s.data, s.x, s.updates}, all: true}
	}
	first, n := firstAxis(&s.p), s.x.axes(&s.p)
	behind, tuples := first+n, make([]int64, s.x.size)
	r := rule{s.data.shape[first:behind], plan.Settings{OutOfRange: plan.Skip, NonNegative: s.p.NonNegative}}
	for i := range tuples {
		tuples[i] = s.x.at(i)
	}
	leaveOut(&r, tuples, tuples)
	good, positions := make([]int64, 0, len(tuples)), make([]int64, 0, len(tuples)/n)
	for t := range len(tuples) / n {
		if tuple := tuples[t*n:][:n]; tuple[n-1] >= 0 {
			good, positions = append(good, tuple...), append(positions, int64(t))
		}
	}
	if s.p.Op.Elements() {
		return s.keptElements(tuples, positions)
	}
	shape := []int{len(positions)}
	if s.p.Op.Tuples() {
		shape = append(shape, n)
	}
	outer, inner := s.data.shape[:first], s.data.shape[behind:]
	dims := [3]int{product(outer), len(tuples) / n, product(inner)}
	k := kept{positions, dims, slices.Concat(outer, []int{len(positions)}, inner)}
	left := scatter{s.p.WithPolicy(plan.Reject), s.data, indexList(good, shape...), k.of(&s.updates)}
	return keptUpdates{scatter: left, kept: k}
}

// keptElements is skip for single elements, of which those at some positions are left.
func (s *scatter) keptElements(indices, positions []int64) keptUpdates {
	for i, index := range indices {
		indices[i] = max(index, 0) // any element, which is skipped
	}
	all := scatter{s.p, s.data, indexList(indices, s.x.shape...), s.updates}
	targets, _ := all.targets() // all indices are good
	good := make([]int64, len(positions))
	for i, position := range positions {
		good[i] = int64(targets[position])
	}
	k := kept{positions, [3]int{1, len(indices), 1}, []int{len(positions)}}
	nd := plan.Params{Op: plan.ScatterND, Settings: s.p.WithPolicy(plan.Reject).Settings}
	left := scatter{nd, shaped(packed(&s.data), s.data.size), indexList(good, len(good), 1), k.of(&s.updates)}
	return keptUpdates{scatter: left, kept: k}
}

// likeData is a packed view like data in the shape that is left of data.
func (k *keptUpdates) likeData(v view) view { return shaped(v, k.data.shape...) }

// indexList is a list as indices that are loaded.
func indexList(list []int64, shape ...int) indices {
	mem := num.Bytes(list)
	v := view{name: "indices", dtype: tensor.Int64, width: 8, mem: mem, shape: shape, packed: true, kind: num.Int64, size: len(list)}
	return indices{view: v, loaded: mem}
}

// of is what is left of a view that is like updates.
func (k *kept) of(v *view) view {
	left := v.anew(k.shape)
	k.gather(left, packed(v), k.dims[1], k.positions)
	return left
}

// toUpdates writes what belongs to the updates that are left to a packed view like all of
// them, and zeros to the rest.
func (k *kept) toUpdates(out, left view) {
	rows := slices.Repeat([]int64{-1}, k.dims[1]) // in left, of each update
	for i, t := range k.positions {
		rows[t] = int64(i)
	}
	k.gather(out, left, len(k.positions), rows)
}

// gather writes those of n rows that are listed, and zeros for -1.
func (k *kept) gather(to, from view, n int, rows []int64) {
	if to.size == 0 {
		return
	}
	p := plan.Params{Op: plan.Gather, Axis: 1, Settings: plan.Settings{OutOfRange: plan.ZeroFill, NonNegative: true}}
	x := indexList(rows, len(rows))
	data, items := shaped(from, k.dims[0], n, k.dims[2]), shaped(to, k.dims[0], len(rows), k.dims[2])
	_ = run((*kernel.Call).Gather, &p, &items, &data, &items, &x, startState{}) // no index is refused
}
