package kernel

import "gorgonia.org/gather/internal/num"

// rowSums adds up the gradients of rows that have several, or weights: into rows
// of scratch, one after the other.
type rowSums struct {
	buf    *bagBuffer
	loop   bagLoop
	most   int // offsets in the buffer, at most
	source int // whose gradients are in the buffer
	have   int // offsets in the buffer
	ended  int // rows that end in the buffer
	done   int // rows before them
	carry  int // 1 if the row after those has some of its sum
	start  int // where in the buffer that row begins
}

// sumRows makes grads the gradients of n rows: their only one, where it is, or
// their sum.
func sumRows[T float32 | float64](s *Step, g *group, from, n int, loops *bagLoops) {
	sums := rowSums{loop: loops.add}
	if s.weighted {
		sums.loop = loops.addScaled
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
			g.scratch = grow(g.scratch, n*s.row)
			sums.buf = bagBuffers.Get().(*bagBuffer)
			sums.most = rowsAtOnceFor(s.row)
		}
		grads[i] = &g.scratch[several*s.row]
		several++
		addGradients[T](s, g, &sums, p, last[i])
		sums.buf.ends[sums.ended] = int64(sums.have)
		sums.ended++
		sums.start = sums.have
		if sums.ended == resolved {
			sums.run(s, g)
		}
	}
	if several > 0 {
		sums.run(s, g)
		bagBuffers.Put(sums.buf)
	}
}

// addGradients puts the gradients of the positions of a row into the buffer.
func addGradients[T float32 | float64](s *Step, g *group, sums *rowSums, p, last int32) {
	buf, places, next, source := sums.buf, g.places, g.next, 0
	for {
		if len(s.grads) > 1 {
			source = g.source(int(p))
		}
		if sums.have == sums.most || source != sums.source {
			sums.run(s, g)
			sums.source = source
		}
		buf.offsets[sums.have] = places[p]
		if s.weighted {
			num.As[T](num.Bytes(buf.scales[:]))[sums.have] = num.As[T](num.Bytes(g.weights))[p]
		}
		sums.have++
		if p == last {
			return
		}
		p = next[p]
	}
}

// rowsAtOnceFor is rowsAtOnce for rows of any length.
func rowsAtOnceFor(bytes int) int { return max(1, rowsAtOnce(bytes)) }

// run runs the loop over what is in the buffer. It calls other functions and is
// not inlined: here a goroutine can be stopped between two loops.
//
//go:noinline
func (r *rowSums) run(s *Step, g *group) {
	rows := r.ended
	if r.have > r.start {
		r.buf.ends[rows] = int64(r.have)
		rows++
	}
	if rows == 0 {
		return
	}
	r.loop(&s.grads[r.source][0], &g.scratch[r.done*s.row], &r.buf.offsets[0], &r.buf.ends[0], pointer(r.buf.scales[:]),
		rows, s.row, s.row, distance(s.row), r.carry)
	r.carry = 0
	if rows > r.ended {
		r.carry = 1
	}
	r.done += r.ended
	r.have, r.ended, r.start = 0, 0, 0
}

// source is the source of a position.
func (g *group) source(p int) int {
	source := 0
	for p >= g.ends[source] {
		source++
	}
	return source
}
