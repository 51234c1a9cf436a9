package update

import (
	"math"
	"math/rand/v2"

	"gorgonia.org/gather/internal/bag"
	"gorgonia.org/gather/internal/memtest"
	"gorgonia.org/gather/internal/num"
)

// updateCase is a table, its states, and the sources of a step.
type updateCase[T float32 | float64] struct {
	Description
	table, first, second []T
	sources              []plainSource[T]
}

// plainSource is a source, and which bag each position belongs to: -1 for none.
type plainSource[T float32 | float64] struct {
	rows    []int64
	bags    []int
	count   int // bags; 0: none, and a position has a gradient of its own
	mean    bool
	grads   []T
	weights []T
}

func kindOf[T float32 | float64]() num.Kind {
	if len(num.Bytes(make([]T, 1))) == 4 {
		return num.Float32
	}
	return num.Float64
}

// newUpdateCase draws a case with n positions or so in each source.
func newUpdateCase[T float32 | float64](rng *rand.Rand, rows, inner, sources, n int) *updateCase[T] {
	draw := func(n int) []T {
		all := make([]T, n)
		for i := range all {
			all[i] = T(memtest.DrawFloat(rng))
		}
		return all
	}
	positive := func(n int) []T {
		all := draw(n)
		for i, x := range all {
			all[i] = T(math.Abs(float64(x)))
		}
		return all
	}
	c := &updateCase[T]{table: draw(rows * inner), first: positive(rows * inner), second: positive(rows * inner)}
	c.Kind, c.Rows, c.Inner = kindOf[T](), rows, inner
	c.Optimizer = Optimizer(rng.IntN(int(optimizers)))
	if c.Optimizer == RowWiseAdagrad {
		c.first = positive(rows)
	}
	c.Rate, c.Eps, c.Scale, c.Beta1, c.Beta2 = rng.Float64(), []float64{0, 1e-8, 0.1}[rng.IntN(3)], 1, 0.9, 0.999
	if rng.IntN(2) == 0 {
		c.L2 = 0.01
	}
	if rng.IntN(2) == 0 {
		c.Scale = rng.Float64()
	}
	for range sources {
		s := plainSource[T]{}
		if rng.IntN(2) == 0 {
			s.count = 1 + rng.IntN(n+1)
			s.mean = rng.IntN(2) == 0
		}
		number := 0
		for range rng.IntN(n + 1) {
			row := int64(rng.IntN(rows))
			switch rng.IntN(20) {
			case 0:
				row = []int64{-1, int64(rows), math.MinInt64, math.MaxInt64}[rng.IntN(4)]
			case 1, 2, 3, 4, 5:
				row %= 3 // some rows often
			}
			for s.count > 0 && rng.IntN(3) == 0 && number+1 < s.count {
				number++
			}
			s.rows, s.bags = append(s.rows, row), append(s.bags, number)
		}
		if s.count > 0 {
			s.grads = draw(s.count * inner)
		} else {
			s.grads = draw(len(s.rows) * inner)
		}
		if rng.IntN(3) == 0 {
			s.weights = draw(len(s.rows))
		}
		c.sources = append(c.sources, s)
		source := Source{Rows: s.rows, Grad: num.Bytes(s.grads), Mean: s.mean}
		if s.weights != nil {
			source.Weights = num.Bytes(s.weights)
		}
		if s.count > 0 {
			segments := make([]int64, len(s.bags))
			for i, b := range s.bags {
				segments[i] = int64(b)
			}
			source.Borders = &bag.Borders{Bags: s.count, Segments: num.Bytes(segments)}
		}
		c.Sources = append(c.Sources, source)
	}
	return c
}

// sums are the gradients of each row, and the rows in the order of their first
// positions.
func (c *updateCase[T]) sums() (order []int64, sums map[int64][]T) {
	sums = map[int64][]T{}
	for _, s := range c.sources {
		counts := make([]int, s.count)
		for p, row := range s.rows {
			if row >= 0 && row < int64(c.Rows) && s.count > 0 {
				counts[s.bags[p]]++
			}
		}
		for p, row := range s.rows {
			if row < 0 || row >= int64(c.Rows) {
				continue
			}
			if sums[row] == nil {
				sums[row] = make([]T, c.Inner)
				order = append(order, row)
			}
			at := p
			if s.count > 0 {
				at = s.bags[p]
			}
			for i := range c.Inner {
				g := s.grads[at*c.Inner+i]
				if s.mean {
					g /= T(counts[at])
				}
				if s.weights != nil {
					g = T(s.weights[p] * g)
				}
				sums[row][i] += g
			}
		}
	}
	return order, sums
}

func plainTotal[T float32 | float64](terms []T) T {
	var sums [16]T
	for i, x := range terms {
		sums[i%16] += x
	}
	for half := 8; half > 0; half /= 2 {
		for i := range half {
			sums[i] += sums[half+i]
		}
	}
	return sums[0]
}

// apply is the plain loops. It returns the norm, squared.
func (c *updateCase[T]) apply() (norm float64) {
	order, sums := c.sums()
	if c.Inner == 0 {
		return 0 // nothing, not the mean of no squares
	}
	sqrt := func(x T) T { return T(math.Sqrt(float64(x))) }
	rate, eps := T(c.Rate), T(c.Eps)
	for _, row := range order {
		var all []float64
		for _, x := range sums[row] {
			all = append(all, float64(float64(x)*float64(x)))
		}
		norm += plainTotal(all)
		var squares []T
		g := make([]T, c.Inner)
		for i := range g {
			g[i] = T(T(c.Scale) * sums[row][i])
			if c.L2 != 0 {
				g[i] += T(T(c.L2) * c.table[int(row)*c.Inner+i])
			} else {
				g[i] += 0
			}
			squares = append(squares, T(g[i]*g[i]))
		}
		if c.Optimizer == RowWiseAdagrad {
			s := &c.first[row]
			*s += plainTotal(squares) / T(c.Inner)
			rate = T(c.Rate) / (sqrt(*s) + eps)
		}
		for i, g := range g {
			at := int(row)*c.Inner + i
			w := &c.table[at]
			switch c.Optimizer {
			case SGD, RowWiseAdagrad:
				*w -= T(rate * g)
			case Adagrad:
				c.first[at] += squares[i]
				*w -= T(rate * (g / (sqrt(c.first[at]) + eps)))
			case Adam:
				m, v := &c.first[at], &c.second[at]
				*m += T(T(1-c.Beta1) * (g - *m))
				*v += T(T(1-c.Beta2) * (squares[i] - *v))
				*w -= T(rate * (*m / (sqrt(*v) + eps)))
			}
		}
	}
	return norm
}
