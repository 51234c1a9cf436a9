package adjoint

import (
	"gorgonia.org/gather/internal/kernel"
	"gorgonia.org/gather/internal/num"
	"gorgonia.org/gather/internal/par"
)

// The result of a scatter without a reduction has the last update of each target. It gets
// the gradient, and the others get 0.

// gradSet is GradUpdates of None for single elements.
func (l loops[A, T]) gradSet(s *Scatter) func(*tile) {
	grad, all := num.As[T](s.Grad), num.As[T](s.Out)
	return func(t *tile) {
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

// lastRows is GradUpdates of None where tuples address rows: a gather, of zeros for those
// updates that are not the last one of their target.
func (s *Scatter) lastRows(g *geometry) int {
	t := tileOf(g)
	defer t.release()
	t.setBlocks(0, g.Blocks)
	if bad := t.resolve(); bad >= 0 {
		return bad
	}
	rows := g.Blocks * g.Rows
	t.seen = num.Resize(t.seen, rows/64+1) // a bit for each row
	par.Clear(t.seen)
	for l := len(t.targets) - 1; l >= 0; l-- {
		row := t.targets[l]
		bits, bit := &t.seen[row/64], row%64
		t.targets[l] |= -(*bits >> bit & 1) // -1 if it is there
		*bits |= 1 << bit
	}
	c := kernel.Get()
	defer c.Put()
	return c.RowsOf(s.Grad, s.Out, s.Kind.Width(), rows, g.Inner, t.targets).Gather()
}
