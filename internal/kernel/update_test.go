package kernel

import (
	"bytes"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"gorgonia.org/gather/internal/num"
	"gorgonia.org/gather/internal/race"
)

// updateCase is a table, its states, and the sources of a step.
type updateCase[T float32 | float64] struct {
	Update
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
			all[i] = T(drawFloat(rng))
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
		bag := 0
		for range rng.IntN(n + 1) {
			row := int64(rng.IntN(rows))
			switch rng.IntN(20) {
			case 0:
				row = []int64{-1, int64(rows), math.MinInt64, math.MaxInt64}[rng.IntN(4)]
			case 1, 2, 3, 4, 5:
				row %= 3 // some rows often
			}
			for s.count > 0 && rng.IntN(3) == 0 && bag+1 < s.count {
				bag++
			}
			s.rows, s.bags = append(s.rows, row), append(s.bags, bag)
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
			for i, bag := range s.bags {
				segments[i] = int64(bag)
			}
			source.Borders = &Borders{Bags: s.count, Segments: num.Bytes(segments)}
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

// equalFloats reports whether memory holds the values, bit for bit, but that all
// NaN are alike: which of two an operation returns is not defined.
func equalFloats[T float32 | float64](mem []byte, want []T) error {
	for i, x := range num.As[T](mem) {
		if !bytes.Equal(num.Bytes([]T{x}), num.Bytes(want[i:i+1])) && (x == x || want[i] == want[i]) {
			return fmt.Errorf("element %d is %v, want %v", i, x, want[i])
		}
	}
	return nil
}

// check runs two steps of the case in each implementation with several numbers of
// threads, and compares each with the plain loops.
func (c *updateCase[T]) check(t *testing.T, rng *rand.Rand, step *Step) {
	t.Helper()
	want := *c
	want.table, want.first, want.second = append([]T(nil), c.table...), append([]T(nil), c.first...), append([]T(nil), c.second...)
	norm := want.apply()
	name := fmt.Sprintf("%T, optimizer %d, %d rows of %d, %d sources, l2 %v, scale %v", c.table, c.Optimizer, c.Rows, c.Inner, len(c.sources), c.L2, c.Scale)
	onThreads(t, func(t *testing.T) {
		for _, impl := range Implementations {
			restore := Use(impl)
			table, first, second := guardedCopy(c.table, rng), guardedCopy(c.first, rng), guardedCopy(c.second, rng)
			u := c.Update
			u.Table, u.First, u.Second = table.mem, first.mem, second.mem
			if rng.IntN(2) == 0 {
				got := step.NormSquared(&u)
				if math.Float64bits(got) != math.Float64bits(norm) && (got == got || norm == norm) {
					t.Fatalf("%s: %s: squared norm %v, want %v", name, impl.Name, got, norm)
				}
			}
			step.Apply(&u)
			restore()
			for what, m := range map[string]struct {
				got  guarded
				want []T
			}{"table": {table, want.table}, "first": {first, want.first}, "second": {second, want.second}} {
				m.got.check(t, name+": "+what)
				if err := equalFloats(m.got.mem, m.want); err != nil {
					t.Fatalf("%s: %s: %s: %v", name, impl.Name, what, err)
				}
			}
		}
	})
}

func TestUpdates(t *testing.T) {
	updates[float32](t, 1)
	updates[float64](t, 2)
}

func updates[T float32 | float64](t *testing.T, seed uint64) {
	rng := rand.New(rand.NewPCG(seed, 7))
	var step Step // one for all: what it keeps must not be seen
	for inner := 1; inner <= 600; inner++ {
		if inner > 70 && inner%61 != 0 && inner%64 != 0 {
			continue
		}
		for range 4 {
			newUpdateCase[T](rng, 1+rng.IntN(40), inner, 1+rng.IntN(3), 40).check(t, rng, &step)
		}
	}
	newUpdateCase[T](rng, 5000, 64, 2, 4000).check(t, rng, &step) // more rows than a call takes, and pages to deal out
	whole := newUpdateCase[T](rng, 5000, 8, 1, 4000)
	for i := range whole.sources[0].rows { // none is left out
		whole.sources[0].rows[i] = int64(rng.IntN(5000))
	}
	whole.check(t, rng, &step)
	newUpdateCase[T](rng, 3, 200, 1, 3000).check(t, rng, &step)   // many gradients a row
	newUpdateCase[T](rng, 3, 20000, 2, 5).check(t, rng, &step)
	newUpdateCase[T](rng, 2, 1<<17, 2, 5).check(t, rng, &step) // rows too long for assembly
	newUpdateCase[T](rng, 5, 0, 2, 5).check(t, rng, &step)
	newUpdateCase[T](rng, 5, 3, 0, 5).check(t, rng, &step)
	newUpdateCase[T](rng, 5, 3, 2, 0).check(t, rng, &step)
}

// TestUpdatesAllocateOnce: a step allocates nothing after the first, whatever rows
// it names.
func TestUpdatesAllocateOnce(t *testing.T) {
	if race.Enabled {
		t.Skip("the race detector allocates")
	}
	rng := rand.New(rand.NewPCG(3, 4))
	const rows, inner, n = 1000, 64, 4096
	table, first := make([]float32, rows*inner), make([]float32, rows*inner)
	grads := make([]float32, n*inner)
	ids := make([]int64, n)
	sources := []Source{{Rows: ids, Grad: num.Bytes(grads)}}
	u := Update{
		Kind: num.Float32, Optimizer: Adagrad, Table: num.Bytes(table), First: num.Bytes(first), Rows: rows, Inner: inner,
		Rate: 0.1, Eps: 1e-10, Scale: 1, Sources: sources,
	}
	var step Step
	run := func() {
		for i := range ids {
			ids[i] = int64(rng.IntN(rows))
		}
		u.Scale = 1 / (1 + math.Sqrt(step.NormSquared(&u)))
		step.Apply(&u)
	}
	run()
	if n := testing.AllocsPerRun(20, run); n > 0 {
		t.Errorf("%v allocations a step", n)
	}
}

// TestRates holds the rates of a step against their formulas.
func TestRates(t *testing.T) {
	if got, want := AdagradRate(0.5, 0.25, 3), 0.5/1.5; got != want {
		t.Errorf("Adagrad: %v, want %v", got, want)
	}
	if got, want := AdamRate(0.5, 0.5, 0.75, 1), 0.5*0.5/0.5; got != want {
		t.Errorf("Adam: %v, want %v", got, want)
	}
	if got, want := AdamRate(1, 0.5, 0.75, 2), math.Sqrt(1-0.5625)/0.75; got != want {
		t.Errorf("Adam, second step: %v, want %v", got, want)
	}
}
