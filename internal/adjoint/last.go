package adjoint

import (
	"gorgonia.org/gather/internal/num"
	"gorgonia.org/gather/internal/par"
)

// The result of a scatter without a reduction has the last update of each target, and not
// its old value. Where targets are rows, so are their gradients.

// last gives the gradient of a target to its last update, and 0 to the others.
func (l loops[A, T]) last(s *Scatter) func(*tile) {
	grad, all := num.As[T](s.Grad), num.As[T](s.Out)
	return func(t *tile) {
		if t.lineByLine {
			lastRows(t, all, grad)
			return
		}
		g, out := loadCopy(t, grad, 0), newUpdates(t, all, 1)
		t.backwards(func(at []int64, base, item int) {
			g, o := g[base:], out[item:][:len(at)]
			for i := len(at) - 1; i >= 0; i-- {
				a := at[i]
				o[i] = g[a]
				g[a] = 0
			}
		})
		storeUpdates(t, all, out)
	}
}

// lastRows is last for lines of updates.
func lastRows[T any](t *tile, out, grad []T) {
	t.fillCounts(t.size(), 0)
	for l := len(t.targets) - 1; l >= 0; l-- {
		at := t.targets[l]
		line := out[t.line(l):][:t.columns.len()]
		if t.counts[at] > 0 {
			par.Clear(line)
			continue
		}
		t.counts[at]++
		par.Copy(line, grad[t.offset(at):][:len(line)])
	}
}

// cleared sets the gradient of a target to 0.
func (l loops[A, T]) cleared(s *Scatter) func(*tile) {
	grad, out := num.As[T](s.Grad), num.As[T](s.Out)
	return func(t *tile) {
		if t.lineByLine {
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

// clearedRows is cleared for rows. Targets that a sparse tile leaves out have been copied.
func clearedRows[T any](t *tile, out, grad []T) {
	if !t.sparse && &out[0] != &grad[0] {
		t.eachRow(func(_, offset, n int) { par.Copy(out[offset:][:n], grad[offset:][:n]) })
	}
	for _, at := range t.targets {
		par.Clear(out[t.offset(at):][:t.columns.len()])
	}
}
