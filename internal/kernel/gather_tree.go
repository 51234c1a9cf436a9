package kernel

import (
	"math"
	"sync"

	"gorgonia.org/gather/internal/num"
	"gorgonia.org/gather/internal/par"
	"gorgonia.org/gather/internal/simd"
)

// Tree is the geometry of GatherTree: ids are Time×Batch×Beam.
type Tree struct{ Time, Batch, Beam int }

// Run follows every beam back from its last step, as GatherTree in package
// dense says. It returns the position in parents of the first parent that is
// followed and out of range, with its value, or -1. All memory is packed and of
// the kind, which must be one that HasTree.
func (t Tree) Run(kind num.Kind, out, steps, parents, lengths, end []byte) (position int, parent int64) {
	return trees[kind](t, out, steps, parents, lengths, end)
}

// HasTree reports whether ids can be of the kind.
func HasTree(kind num.Kind) bool { return trees[kind] != nil }

var trees = [num.Kinds]func(t Tree, out, steps, parents, lengths, end []byte) (int, int64){
	num.Int8:     tree(integral[int8], true, nil),
	num.Int16:    tree(integral[int16], true, nil),
	num.Int32:    tree(integral[int32], true, nil),
	num.Int64:    tree(integral[int64], true, nil),
	num.Uint8:    tree(integral[uint8], true, nil),
	num.Uint16:   tree(integral[uint16], true, nil),
	num.Uint32:   tree(integral[uint32], true, nil),
	num.Uint64:   tree(integral[uint64], true, nil),
	num.Float16:  tree16(num.Float16To32),
	num.BFloat16: tree16(num.BFloat16To32),
	num.Float32:  tree(integral[float32], false, nil),
	num.Float64:  tree(integral[float64], false, nil),
}

// integral is a number as an int64, rounded toward zero. What does not fit, NaN
// too, becomes an end of the range, which is no beam.
func integral[T num.Real](v T) int64 {
	if i := int64(v); T(i) == v && (i < 0) == (v < 0) {
		return i // as it is: a large integer is no float64
	}
	switch f := float64(v); {
	case f != f || f <= math.MinInt64:
		return math.MinInt64
	case f >= math.MaxInt64:
		return math.MaxInt64
	}
	return int64(v)
}

// tree16 is tree for ids of 16 bits, which are numbers only when they are widened: the
// bits of 0 and -0 differ.
func tree16(wide func(uint16) float32) func(t Tree, out, steps, parents, lengths, end []byte) (int, int64) {
	return tree(func(v uint16) int64 { return integral(wide(v)) }, false, func(v, w uint16) bool { return wide(v) == wide(w) })
}

// tree is Run for ids of a type. number makes ids integers, which those that are
// whole are as they stand. equal compares ids that are not numbers as they stand.
func tree[T num.Real](number func(T) int64, whole bool, equal func(v, w T) bool) func(t Tree, out, steps, parents, lengths, end []byte) (int, int64) {
	// A run goes to several goroutines, so it is never on the stack.
	runs := sync.Pool{New: func() any { return new(treeRun[T]) }}
	return func(t Tree, out, steps, parents, lengths, end []byte) (int, int64) {
		r := runs.Get().(*treeRun[T])
		defer func() {
			*r = treeRun[T]{} // lets go of the memory
			runs.Put(r)
		}()
		*r = treeRun[T]{
			Tree: t, number: number, whole: whole, equal: equal,
			out: num.As[T](out), ids: num.As[T](steps), parents: num.As[T](parents), lengths: num.As[T](lengths), end: num.As[T](end)[0],
		}
		if b := par.Run(r, t.Batch, par.Grains(t.Batch, t.Time*t.Beam*len(steps)/max(1, len(r.ids)))); b >= 0 {
			return r.firstBad(b)
		}
		return -1, 0
	}
}

// treeRun is a run, whose pieces are some of the batch.
type treeRun[T num.Real] struct {
	Tree
	number                     func(T) int64
	whole                      bool
	equal                      func(v, w T) bool // nil: ==
	out, ids, parents, lengths []T
	end                        T
}

// steps is how many steps a sequence has.
func (r *treeRun[T]) steps(b int) int {
	return int(max(0, min(int64(r.Time), r.number(r.lengths[b]))))
}

// Piece runs lo to hi of the batch, and returns the first that has a bad parent.
func (r *treeRun[T]) Piece(lo, hi int) int {
	buf := simd.OffsetsPool.Get().(*simd.Offsets)
	defer simd.OffsetsPool.Put(buf)
	beams := num.Resize(buf[:], r.Beam)
	for b := lo; b < hi; b++ {
		n := r.steps(b)
		if !r.follow(b, n, beams) {
			return b
		}
		r.close(b, n, beams)
	}
	return -1
}

// at is where the beams of a step are.
func (r *treeRun[T]) at(b, step int) int { return (step*r.Batch + b) * r.Beam }

// follow goes back step by step, with all beams at once: those of a step lie side
// by side. It reports whether all parents are good.
func (r *treeRun[T]) follow(b, n int, beams []int64) bool {
	for w := range beams {
		beams[w] = int64(w)
	}
	for step := n - 1; step >= 0; step-- {
		at := r.at(b, step)
		out, ids, parents := r.out[at:][:len(beams)], r.ids[at:][:len(beams)], r.parents[at:][:len(beams)]
		for w, beam := range beams {
			out[w] = ids[beam]
			if step == 0 {
				continue
			}
			parent := uint64(int64(parents[beam]))
			if !r.whole {
				parent = uint64(r.number(parents[beam]))
			}
			if parent >= uint64(len(beams)) {
				return false
			}
			beams[w] = int64(parent)
		}
	}
	return true
}

// close writes the end token behind the first one of each beam, and behind the last
// step. ended is memory for a number for each beam.
func (r *treeRun[T]) close(b, n int, ended []int64) {
	par.Clear(ended)
	for step := range r.Time {
		at := r.at(b, step)
		out := r.out[at:][:len(ended)]
		for w := range ended {
			if ended[w] > 0 || step >= n {
				out[w] = r.end
			}
			if r.equal == nil && out[w] == r.end || r.equal != nil && r.equal(out[w], r.end) {
				ended[w] = 1
			}
		}
	}
}

// firstBad is the first bad parent of a sequence, by its beams in order, each
// followed from its last step. If there is none any more, as another goroutine has
// changed it, it is the last one that was followed.
func (r *treeRun[T]) firstBad(b int) (position int, parent int64) {
	for w := range r.Beam {
		beam := w
		for step := r.steps(b) - 1; step > 0; step-- {
			at := r.at(b, step) + beam
			parent = r.number(r.parents[at])
			if position = at; parent < 0 || parent >= int64(r.Beam) {
				return at, parent
			}
			beam = int(parent)
		}
	}
	return max(position, 0), parent
}
