package kernel

import "gorgonia.org/gather/internal/num"

// A scatter without a reduction keeps the last update of each target and loses the
// target's old value. Where targets are rows, so are their gradients.

// last lets the last update of a target take its gradient, and leave nothing.
func (l loops[A, T]) last(v *Terms) func(*tile) {
	grad, all := num.As[T](v.Grad), num.As[T](v.Out)
	return func(t *tile) {
		if !t.own() {
			lastRows(t, all, grad)
			return
		}
		g, out := loadCopy(t, grad, 0), newItems(t, all, 1)
		t.backwards(func(at []int64, base, item int) {
			g, o := g[base:], out[item:][:len(at)]
			for i := len(at) - 1; i >= 0; i-- {
				a := at[i]
				o[i] = g[a]
				g[a] = 0
			}
		})
		putItems(t, all, out)
	}
}

// lastRows is last for lines of updates.
func lastRows[T any](t *tile, out, grad []T) {
	t.fillCounts(t.targets(), 0)
	for l := len(t.at) - 1; l >= 0; l-- {
		at := t.at[l]
		line := out[t.line(l):][:t.cols.len()]
		if t.counts[at] > 0 {
			clearAny(line)
			continue
		}
		t.counts[at]++
		copyAny(line, grad[t.target(at):][:len(line)])
	}
}

// cleared leaves nothing to a target.
func (l loops[A, T]) cleared(v *Terms) func(*tile) {
	grad, out := num.As[T](v.Grad), num.As[T](v.Out)
	return func(t *tile) {
		if !t.own() {
			clearedRows(t, out, grad)
			return
		}
		d := into(t, out, grad, 0)
		t.forwards(func(at []int64, base, _ int) {
			d := d[base:]
			for _, a := range at {
				d[a] = 0
			}
		})
		store(t, out, d)
	}
}

// clearedRows is cleared for rows. What a tile that picks leaves out has been copied.
func clearedRows[T any](t *tile, out, grad []T) {
	if !t.c.picks() && &out[0] != &grad[0] {
		t.eachRow(func(_, place, n int) { copyAny(out[place:][:n], grad[place:][:n]) })
	}
	for _, at := range t.at {
		clearAny(out[t.target(at):][:t.cols.len()])
	}
}
