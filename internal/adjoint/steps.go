package adjoint

import "gorgonia.org/gather/internal/simd"

// A step works on some updates, from update number item on, whose targets are base+at[i].
type step func(at []int64, base, item int)

// forwards takes the updates in their order.
func (t *tile) forwards(do step) {
	for l := range t.runs() {
		t.stepRun(l, do)
	}
}

// backwards takes the last update first. The step must, too.
func (t *tile) backwards(do step) {
	for l := t.runs() - 1; l >= 0; l-- {
		t.stepRun(l, do)
	}
}

// runs is how many runs of neighbours the updates are that have targets of their own, or how
// many lines whose target is a row.
func (t *tile) runs() int {
	switch {
	case t.lineByLine:
		return len(t.targets)
	case t.columns.len() == t.Inner:
		return 1
	}
	return t.lines.len()
}

func (t *tile) stepRun(l int, do step) {
	n := t.columns.len()
	switch {
	case t.lineByLine: // no two updates of a line meet
		item, base := t.line(l), int(t.targets[l])*n
		for done := 0; done < n; done += atOnce {
			do(simd.Iota[:min(atOnce, n-done)], base+done, item+done)
		}
	case t.byRows:
		do(t.targets, 0, 0) // see updatesOf
	case n == t.Inner:
		do(t.targets, 0, t.line(0))
	default:
		do(t.targets[l*n:][:n], 0, t.line(l))
	}
}

// line is where the tile's part of its line l of updates begins in what is like
// updates.
func (t *tile) line(l int) int {
	if t.byRows {
		l = int(t.inTile[l])
	}
	return (t.lines.lo+l)*t.Inner + t.columns.lo
}

// eachInOrder calls do for n numbers in order, as base+at[i].
func eachInOrder(n int, do func(at []int64, base int)) {
	for base := 0; base < n; base += atOnce {
		do(simd.Iota[:min(atOnce, n-base)], base)
	}
}
