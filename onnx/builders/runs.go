package builders

import (
	"gorgonia.org/gather/internal/par"
	"gorgonia.org/tensor"
)

// runs are the elements of a packed tensor in runs of n neighbours, with their
// places in other tensors, in which an axis of the first has a step of its own.
type runs struct {
	outer tensor.Shape // one run for each of its coordinates
	n     int
	steps [][]int // of the outer axes, for each of the others
	step  []int   // within a run, for each of the others
}

// runsOf makes the runs of a shape that is not empty as long as they can be.
func runsOf(shape tensor.Shape, steps ...[]int) runs {
	shape, steps = merged(shape, steps)
	r := runs{n: 1, steps: steps, step: make([]int, len(steps))}
	if inner := len(shape) - 1; inner >= 0 {
		r.outer, r.n = shape[:inner], shape[inner]
		for i, s := range steps {
			r.steps[i], r.step[i] = s[:inner], s[inner]
		}
	}
	return r
}

// merged makes one axis of neighbours that lie behind each other in all tensors.
func merged(shape tensor.Shape, steps [][]int) (tensor.Shape, [][]int) {
	n := make(tensor.Shape, 0, len(shape))
	s := make([][]int, len(steps))
	for i := range s {
		s[i] = make([]int, 0, len(shape))
	}
	for d, size := range shape {
		if size == 1 {
			continue
		}
		last := len(n) - 1
		joined := last >= 0
		for i := range steps {
			joined = joined && s[i][last] == steps[i][d]*size
		}
		if joined {
			n[last] *= size
		} else {
			n, last = append(n, size), last+1
		}
		for i := range steps {
			s[i] = append(s[i][:last], steps[i][d])
		}
	}
	return n, s
}

// each visits the runs in their order: from at on, with its first place in each of
// the other tensors.
func (r runs) each(visit func(at int, from []int)) { r.between(0, count(r.outer), visit) }

// between visits the runs from number lo up to hi, which does not belong to them.
func (r runs) between(lo, hi int, visit func(at int, from []int)) {
	coordinates, from := make([]int, len(r.outer)), make([]int, len(r.steps))
	rest := lo
	for d := len(r.outer) - 1; d >= 0; d-- {
		coordinates[d], rest = rest%r.outer[d], rest/r.outer[d]
		for i, s := range r.steps {
			from[i] += coordinates[d] * s[d]
		}
	}
	for ; lo < hi; lo++ {
		visit(lo*r.n, from)
		for d := len(r.outer) - 1; d >= 0; d-- {
			turn := 1
			if coordinates[d]++; coordinates[d] == r.outer[d] {
				coordinates[d], turn = 0, 1-r.outer[d]
			}
			for i, s := range r.steps {
				from[i] += turn * s[d]
			}
			if turn == 1 {
				break
			}
		}
	}
}

// grain is how many elements a goroutine should have at least to be worth its
// start.
const grain = 1 << 14

// split visits the runs, or parts of one, in any order and in several goroutines: n
// elements from at on. Each goroutine has a visitor of its own.
func (r runs) split(visitor func() func(at, n int, from []int)) {
	if number := count(r.outer); number > 1 {
		par.Each(number, number*r.n/grain, func(lo, hi int) {
			visit := visitor()
			r.between(lo, hi, func(at int, from []int) { visit(at, r.n, from) })
		})
		return
	}
	par.Each(r.n, r.n/grain, func(lo, hi int) {
		from := make([]int, len(r.step))
		for i, s := range r.step {
			from[i] = lo * s
		}
		visitor()(lo, hi-lo, from)
	})
}
