package kernel

import "gorgonia.org/gather/internal/simd"

// A step works on some updates, from the item on, whose targets are base+at[i].
type step func(at []int64, base, item int)

// forwards takes the updates in their order.
func (t *tile) forwards(do step) {
	if n := t.cols.len(); t.own() {
		for l := range t.runs() {
			t.ownRun(l, do)
		}
	} else {
		for l := range t.at {
			t.row(l, n, do)
		}
	}
}

// backwards takes the last update first. The step must, too.
func (t *tile) backwards(do step) {
	if n := t.cols.len(); t.own() {
		for l := t.runs() - 1; l >= 0; l-- {
			t.ownRun(l, do)
		}
	} else {
		for l := len(t.at) - 1; l >= 0; l-- {
			t.row(l, n, do)
		}
	}
}

// runs is how many runs of neighbours the updates with targets of their own are.
func (t *tile) runs() int {
	if t.cols.len() == t.c.Inner {
		return 1
	}
	return t.lines.len()
}

func (t *tile) ownRun(l int, do step) {
	n, inner := t.cols.len(), t.c.Inner
	switch {
	case t.sorted:
		do(t.at, 0, 0) // see items
	case n == inner:
		do(t.at, 0, t.lines.lo*inner)
	default:
		do(t.at[l*n:][:n], 0, (t.lines.lo+l)*inner+t.cols.lo)
	}
}

// row takes a line of n updates whose target is a row. No two of them meet.
func (t *tile) row(l, n int, do step) {
	item, base := t.line(l), int(t.at[l])*n
	for n > simd.OffsetsAtOnce {
		do(inOrder[:simd.OffsetsAtOnce], base, item)
		item, base, n = item+simd.OffsetsAtOnce, base+simd.OffsetsAtOnce, n-simd.OffsetsAtOnce
	}
	do(inOrder[:n], base, item)
}

// line is where the tile's part of its line l of updates begins in what is like
// updates.
func (t *tile) line(l int) int {
	if t.sorted {
		l = int(t.places[l])
	}
	return (t.lines.lo+l)*t.c.Inner + t.cols.lo
}
