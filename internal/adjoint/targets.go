package adjoint

import (
	"gorgonia.org/gather/internal/num"
	"gorgonia.org/gather/internal/simd"
)

// atOnce is how many indices are resolved at a time, and how many updates of a line a step
// takes.
const atOnce = simd.OffsetsAtOnce

// resolve finds the targets, and returns the position of the first bad index, or -1.
// Indices are read once: another goroutine may change them.
func (t *tile) resolve() int {
	each, resolve, lo, hi, step := 1, t.resolveRows, t.lines.lo/t.N, t.lines.hi/t.N, 1
	if t.indexed {
		each, resolve = t.columns.len(), t.resolveColumns
	}
	if t.Outer == 1 { // no two blocks have the same tuples
		step = hi - lo
	}
	size := t.N * each
	t.targets = num.Resize(t.targets, t.lines.len()*each)
	for block := lo; block < hi; block += step {
		all, first := t.targets[(block-lo)*size:][:step*size], block/t.Outer*t.N // line of indices
		if bad := resolve(all, first); bad >= 0 {
			return bad
		}
	}
	for block := lo; block < hi; block++ {
		if base := int64((block*t.Rows - t.rows.lo) * each); base > 0 {
			all := t.targets[(block-lo)*size:][:size]
			for i := range all {
				all[i] += base
			}
		}
	}
	return -1
}

// resolveRows resolves tuples.
func (t *tile) resolveRows(to []int64, first int) int {
	for done := 0; done < len(to); done += atOnce {
		now := min(atOnce, len(to)-done)
		if n, bad := t.call.Resolve(to[done:][:now], first+done, 1, 0, 0); n < now {
			return (first+done+n)*len(t.call.Axes) + bad
		}
	}
	return -1
}

// resolveColumns resolves the indices of some columns of a block.
func (t *tile) resolveColumns(to []int64, first int) int {
	n := t.columns.len()
	for l := range len(to) / n {
		for done := 0; done < n; done += atOnce {
			now, position := min(atOnce, n-done), (first+l)*t.Inner+t.columns.lo+done
			if good, _ := t.call.Resolve(to[l*n+done:][:now], position, n, done, 1); good < now {
				return position + good
			}
		}
	}
	return -1
}

// findSeen leaves out the targets without updates, if they are many.
func (t *tile) findSeen() {
	t.seen = t.seen[:0]
	if !t.sparse {
		return
	}
	t.slots = num.Resize(t.slots, t.rows.len()*t.columns.len()/t.width())
	for i, target := range t.targets {
		slot := t.slots[target]
		if slot == 0 {
			t.seen = append(t.seen, target)
			slot = int32(len(t.seen))
			t.slots[target] = slot
		}
		t.targets[i] = int64(slot - 1)
	}
	for _, target := range t.seen {
		t.slots[target] = 0
	}
}
