package update

import (
	"slices"

	"gorgonia.org/gather/internal/num"
	"gorgonia.org/gather/internal/par"
	"gorgonia.org/gather/internal/simd"
)

// rowSums adds up the gradients of rows that have several, or weights: into rows
// of scratch, one after the other.
type rowSums struct {
	w      *par.Window // of gradients
	loop   simd.BagLoop
	most   int // gradients in the window, at most
	source int // whose gradients are in the window
	ended  int // rows that end in the window
	done   int // rows before them
	carry  int // 1 if the row after those has some of its sum
	start  int // where in the window that row begins
}

// sumRows makes grads the gradients of n rows: their only one, where it is, or
// their sum.
func sumRows[T float32 | float64](s *Step, g *group, from, n int, loops *simd.BagLoops) {
	sums := rowSums{loop: loops.Add}
	if s.weighted {
		sums.loop = loops.AddScaled
	}
	several := 0
	first, last, grads, one := g.first[from:][:n], g.last[from:][:n], g.grads[:n], s.grads[0]
	for i, p := range first {
		if p == last[i] && !s.weighted {
			grad := one
			if len(s.grads) > 1 {
				grad = s.grads[g.source(int(p))]
			}
			grads[i] = &grad[g.places[p]]
			continue
		}
		if several == 0 {
			g.scratch = num.Resize(g.scratch, n*s.row)
			sums.most = par.RowsAtOnce(s.row)
			sums.w = par.WindowFor(s.row)
		}
		grads[i] = &g.scratch[several*s.row]
		several++
		addGradients[T](s, g, &sums, p, last[i])
		sums.start = sums.w.Len()
		g.sumEnds[sums.ended] = int64(sums.start)
		sums.ended++
		if sums.ended == simd.OffsetsAtOnce {
			sums.run(s, g)
		}
	}
	if several > 0 {
		sums.run(s, g)
		sums.w.Release()
	}
}

// addGradients puts the gradients of the positions of a row into the window.
func addGradients[T float32 | float64](s *Step, g *group, sums *rowSums, p, last int32) {
	w, places, next, source := sums.w, g.places, g.next, 0
	for {
		if len(s.grads) > 1 {
			source = g.source(int(p))
		}
		if w.Len() == sums.most || source != sums.source {
			sums.run(s, g)
			sums.source = source
		}
		if s.weighted {
			num.As[T](w.Weights())[w.Len()] = num.As[T](num.Bytes(g.weights))[p]
		}
		w.Offsets[w.Len()] = places[p]
		w.Add(1)
		if p == last {
			return
		}
		p = next[p]
	}
}

// run runs the loop over what is in the window.
func (r *rowSums) run(s *Step, g *group) {
	rows := r.ended
	if now := r.w.Ready(true); now > r.start {
		g.sumEnds[rows] = int64(now)
		rows++
	}
	if rows == 0 {
		return
	}
	r.loop(&s.grads[r.source][0], &g.scratch[r.done*s.row], &r.w.Offsets[0], &g.sumEnds[0], num.Pointer(r.w.Weights()),
		rows, s.row, s.row, r.w.Ahead, r.carry)
	r.carry = rows - r.ended
	r.done += r.ended
	r.ended, r.start = 0, 0
	r.w.Drop(r.w.Len())
}

// source is the source of a position.
func (g *group) source(p int) int {
	return slices.IndexFunc(g.ends, func(end int) bool { return p < end })
}
