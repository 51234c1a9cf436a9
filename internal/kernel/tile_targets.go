package kernel

import (
	"gorgonia.org/gather/internal/num"
	"gorgonia.org/gather/internal/simd"
)

// findTargetsOf is findTargets for the type of the indices.
func findTargetsOf(t *tile) int {
	if t.c.Idx32 {
		return findTargets[int32](t)
	}
	return findTargets[int64](t)
}

// findTargets fills at, and returns the position of the first bad index, or -1.
func findTargets[I Index](t *tile) int {
	c, idx := t.c, num.As[I](t.c.Idx)
	n, each, axis := t.cols.len(), 1, simd.Axis{}
	if c.Form == Elements {
		each, axis = n, c.axis(0, 1)
		axis.Stride = int64(n)
	}
	t.at = num.Resize(t.at, t.lines.len()*each)
	to := t.at
	for block := t.lines.lo / c.N; block < t.lines.hi/c.N; block++ {
		first, more := block/c.Outer*c.N, c.N // lines of indices
		base := int64((block*c.blockRows() - t.rows.lo) * each)
		for more > 0 {
			now := min(simd.OffsetsAtOnce, more)
			position, place, done := 0, 0, 0
			if c.Form == Block {
				position = first * len(c.Axes)
				done, place = offsets(c, to[:now], idx[position:][:now*len(c.Axes)], 1)
				place += done * len(c.Axes)
			} else {
				now = 1
				position = first*c.Inner + t.cols.lo
				place = rowTargets(to[:n], idx[position:][:n], axis)
				done = place / n
			}
			if done < now {
				return position + place
			}
			if base > 0 {
				for i := range to[:now*each] {
					to[i] += base
				}
			}
			first, more, to = first+now, more-now, to[now*each:]
		}
	}
	return -1
}

// rowTargets is resolveAxis for neighbours, any number of them.
func rowTargets[I Index](to []int64, idx []I, axis simd.Axis) int {
	for done := 0; done < len(idx); {
		now := min(simd.OffsetsAtOnce, len(idx)-done)
		good := simd.Resolve(to[done:][:now], idx[done:][:now], axis, 1)
		if done > 0 {
			for i := range to[done:][:good] {
				to[done+i] += int64(done)
			}
		}
		if done += good; good < now {
			return done
		}
	}
	return len(idx)
}

// pick leaves out the targets without updates, if they are many.
func (t *tile) pick() {
	t.picked = t.picked[:0]
	if !t.c.picks() {
		return
	}
	t.slots = num.Resize(t.slots, t.rows.len()*t.cols.len()/t.width())
	for i, target := range t.at {
		slot := t.slots[target]
		if slot == 0 {
			t.picked = append(t.picked, target)
			slot = int32(len(t.picked))
			t.slots[target] = slot
		}
		t.at[i] = int64(slot - 1)
	}
	for _, target := range t.picked {
		t.slots[target] = 0
	}
}
