package kernel

import (
	"math"

	"gorgonia.org/gather/internal/num"
)

// Tree is the geometry of GatherTree: ids are Time×Batch×Beam.
type Tree struct{ Time, Batch, Beam int }

// Run follows every beam back from its last step, as GatherTree in package
// dense says. It returns the place in parents of the first parent that is
// followed and out of range, with its value, or -1. All memory is packed and of
// the kind, which must be one that HasTree.
func (t Tree) Run(kind num.Kind, out, steps, parents, lengths, end []byte) (place int, parent int64) {
	return trees[kind](t, out, steps, parents, lengths, end)
}

// HasTree reports whether ids can be of the kind.
func HasTree(kind num.Kind) bool { return trees[kind] != nil }

var trees = [num.Kinds]func(t Tree, out, steps, parents, lengths, end []byte) (int, int64){
	num.Int8:     tree(integral[int8]),
	num.Int16:    tree(integral[int16]),
	num.Int32:    tree(integral[int32]),
	num.Int64:    tree(integral[int64]),
	num.Uint8:    tree(integral[uint8]),
	num.Uint16:   tree(integral[uint16]),
	num.Uint32:   tree(integral[uint32]),
	num.Uint64:   tree(integral[uint64]),
	num.Float16:  tree(func(v uint16) int64 { return integral(float16To32(v)) }),
	num.BFloat16: tree(func(v uint16) int64 { return integral(bfloat16To32(v)) }),
	num.Float32:  tree(integral[float32]),
	num.Float64:  tree(integral[float64]),
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

func tree[T comparable](number func(T) int64) func(t Tree, out, steps, parents, lengths, end []byte) (int, int64) {
	return func(t Tree, out, steps, parents, lengths, end []byte) (int, int64) {
		o, ids, from, token := num.As[T](out), num.As[T](steps), num.As[T](parents), num.As[T](end)[0]
		for b, length := range num.As[T](lengths) {
			n := int(max(0, min(int64(t.Time), number(length))))
			for w := range t.Beam {
				place := func(step, beam int) int { return (step*t.Batch+b)*t.Beam + beam }
				beam := w
				for step := n - 1; step >= 0; step-- {
					at := place(step, beam)
					o[place(step, w)] = ids[at]
					if step == 0 {
						break
					}
					parent := number(from[at])
					if parent < 0 || parent >= int64(t.Beam) {
						return at, parent
					}
					beam = int(parent)
				}
				ended := false
				for step := range t.Time {
					if ended || step >= n {
						o[place(step, w)] = token
					}
					ended = ended || o[place(step, w)] == token
				}
			}
		}
		return -1, 0
	}
}
