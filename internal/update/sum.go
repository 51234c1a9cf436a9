package update

import (
	"sync"

	"gorgonia.org/gather/internal/num"
	"gorgonia.org/gather/internal/simd"
)

// buffer is offsets of gradients, where those of each row end, and a weight for each.
// Behind the offsets is room for loops that look ahead.
type buffer struct {
	offsets [simd.OffsetsAtOnce + simd.Lookahead]int64
	ends    [simd.OffsetsAtOnce + 1]int64
	scales  [simd.OffsetsAtOnce]uint64 // of any kind
}

var buffers = sync.Pool{New: func() any { return new(buffer) }}

// rowSums adds up the gradients of rows that have several, or weights: into rows
// of scratch, one after the other.
type rowSums struct {
	buf    *buffer
	loop   simd.BagLoop
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
			sums.buf = buffers.Get().(*buffer)
			sums.most = rowsAtOnce(s.row)
		}
		grads[i] = &g.scratch[several*s.row]
		several++
		addGradients[T](s, g, &sums, p, last[i])
		sums.buf.ends[sums.ended] = int64(sums.have)
		sums.ended++
		sums.start = sums.have
		if sums.ended == simd.OffsetsAtOnce {
			sums.run(s, g)
		}
	}
	if several > 0 {
		sums.run(s, g)
		buffers.Put(sums.buf)
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

// partBytes is the longest row that is worked on in assembly.
const partBytes = 64 << 10

// rowsAtOnce is how many rows, of so many bytes, one call of a loop takes in: together
// they are some hundred KiB, or one row. A goroutine cannot be stopped in the middle of
// assembly.
func rowsAtOnce(bytes int) int {
	return max(1, min(simd.OffsetsAtOnce, 8*partBytes/max(1, bytes)))
}

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
	clear(r.buf.offsets[r.have:][:simd.Lookahead])
	r.loop(&s.grads[r.source][0], &g.scratch[r.done*s.row], &r.buf.offsets[0], &r.buf.ends[0], num.Pointer(r.buf.scales[:]),
		rows, s.row, s.row, simd.Distance(s.row), r.carry)
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
