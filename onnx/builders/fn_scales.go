package builders

import (
	"fmt"

	"gorgonia.org/gather/internal/par"
)

// scales say which scale and zero point each element of a tensor has: all have one, or
// those along lines have their own, or each block of elements of a line has.
type scales struct {
	way int
	lines
	block int
}

const (
	perTensor = iota
	perAxis
	perBlock
)

func (s scales) String() string {
	switch s.way {
	case perAxis:
		return fmt.Sprintf("by the axis of %d by %d by %d", s.outer, s.n, s.step)
	case perBlock:
		return fmt.Sprintf("by blocks of %d along the axis of %d by %d by %d", s.block, s.outer, s.n, s.step)
	}
	return fmt.Sprint("by one scale for ", s.n)
}

// blocks is how many a line has.
func (s scales) blocks() int { return s.n/s.block + min(s.n%s.block, 1) }

// runs is how many runs of elements there are, whose scales are the same or neighbours.
func (s scales) runs() int {
	switch {
	case s.way == perTensor:
		return 1
	case s.step > 1:
		return s.outer * s.n
	case s.way == perAxis:
		return s.outer
	}
	return s.outer * s.blocks()
}

// run is one of them: n elements from at on, with scales from scale on.
func (s scales) run(i int) (at, n, scale, step int) {
	switch {
	case s.way == perTensor:
		return 0, s.n, 0, 0
	case s.way == perAxis && s.step > 1:
		return i * s.step, s.step, i % s.n, 0
	case s.way == perAxis:
		return i * s.n, s.n, 0, 1
	case s.step > 1:
		line, row := i/s.n, i%s.n
		return i * s.step, s.step, (line*s.blocks() + row/s.block) * s.step, 1
	}
	line, block := i/s.blocks(), i%s.blocks()
	return line*s.n + block*s.block, min(s.block, s.n-block*s.block), i, 0
}

// split visits the runs, or parts of the only one, in any order and in several
// goroutines.
func (s scales) split(visit func(at, n, scale, step int)) {
	if total := s.outer * s.n * s.step; s.way == perTensor {
		par.Each(total, total/grain, func(lo, hi int) { visit(lo, hi-lo, 0, 0) })
	} else if total > 0 {
		par.Each(s.runs(), total/grain, func(lo, hi int) {
			for i := lo; i < hi; i++ {
				visit(s.run(i))
			}
		})
	}
}
