package bag

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"gorgonia.org/gather/internal/num"
	"gorgonia.org/gather/internal/race"
)

// A testCase is a call of a bag, and which positions each bag has.
type testCase[T comparable] struct {
	plainKind[T]
	Description
	name                  string
	positions             [][]int
	picked                []int // the row of each position, or -1
	firstBad              int   // or -1
	table, weights, grads []T
	before                []T // what gradients are added to
	junk                  []T // what is in outputs before
	want                  map[string][]T
}

// plain is what one of the plain loops makes of the case: it does so once.
func (c *testCase[T]) plain(what string, loop func() []T) []T {
	if c.want[what] == nil {
		c.want[what] = loop()
	}
	return c.want[what]
}

// shape says what is special about a case.
type shape struct {
	bags, rows, inner int
	size              func(rng *rand.Rand, bag int) int // of each bag
}

// newTestCase draws a case: the borders in any form, indices of any type, some
// negative and, if the case allows, some bad.
func newTestCase[T comparable](rng *rand.Rand, k plainKind[T], s shape, red num.Reduction) *testCase[T] {
	c := &testCase[T]{plainKind: k, firstBad: -1, want: map[string][]T{}}
	c.Kind, c.Reduction, c.Rows, c.Inner, c.Default = k.kind, red, s.rows, s.inner, -1
	c.Bags = s.bags
	form := rng.IntN(3) // offsets, segments, the same number for all
	n := 0
	if form == 0 && rng.IntN(4) == 0 {
		n = rng.IntN(4) // positions in no bag
	}
	lead := n
	each := s.size(rng, 0)
	for bag := range s.bags {
		size := each
		if form != 2 {
			size = s.size(rng, bag)
		}
		var at []int
		for range size {
			at = append(at, n)
			n++
		}
		c.positions = append(c.positions, at)
	}
	if s.bags == 0 {
		n += rng.IntN(3)
	}
	c.Short = rng.IntN(2) == 0
	offsets, segments := []int64{}, make([]int64, n)
	first := lead
	for bag, at := range c.positions {
		offsets = append(offsets, int64(first))
		first += len(at)
		for _, p := range at {
			segments[p] = int64(bag)
		}
	}
	narrow := func(v []int64) []byte {
		if !c.Short {
			return num.Bytes(v)
		}
		short := make([]int32, len(v))
		for i, x := range v {
			short[i] = int32(x)
		}
		return num.Bytes(short)
	}
	switch form {
	case 0:
		c.Offsets = narrow(offsets)
	case 1:
		c.Segments = narrow(segments)
	case 2:
		c.PerBag = each
	}
	c.SkipBad = rng.IntN(2) == 0
	c.NonNegative = rng.IntN(4) == 0
	c.picked = make([]int, n)
	idx := make([]int64, n)
	bad := rng.IntN(3) == 0
	for p := range idx {
		c.picked[p] = -1
		if s.rows > 0 {
			c.picked[p] = rng.IntN(s.rows)
		}
		idx[p] = int64(c.picked[p])
		switch {
		case s.rows == 0 || bad && rng.IntN(5) == 0:
			idx[p] = []int64{int64(s.rows), -int64(s.rows) - 1, 1 << 30, -1 << 31}[rng.IntN(4)]
			c.picked[p] = -1
		case rng.IntN(3) == 0 && !c.NonNegative:
			idx[p] -= int64(s.rows)
		case rng.IntN(50) == 0 && bad && c.NonNegative:
			idx[p], c.picked[p] = -1, -1
		}
		if c.picked[p] < 0 && c.firstBad < 0 {
			c.firstBad = p
		}
	}
	if c.SkipBad {
		c.firstBad = -1
	}
	if c.Idx32 = rng.IntN(2) == 0; c.Idx32 {
		short := make([]int32, n)
		for i, x := range idx {
			short[i] = int32(x)
		}
		c.Idx = num.Bytes(short)
	} else {
		c.Idx = num.Bytes(idx)
	}
	if n == s.rows && rng.IntN(2) == 0 { // each position its own row
		c.Idx, c.firstBad = nil, -1
		for p := range c.picked {
			c.picked[p] = p
		}
	}
	if s.rows > 0 && rng.IntN(2) == 0 {
		c.Default = rng.IntN(s.rows)
	}
	c.table, c.grads, c.before = draws(rng, k, s.rows*s.inner), draws(rng, k, s.bags*s.inner), draws(rng, k, s.rows*s.inner)
	c.junk = draws(rng, k, max(s.bags*s.inner, n))
	if red == num.Add && rng.IntN(2) == 0 {
		c.weights = draws(rng, k, n)
		c.Weights = num.Bytes(c.weights)
	}
	c.name = fmt.Sprintf("kind %d, %d bags of %d positions, %d rows of %d, reduction %d, form %d, weights %v, fill %v, default %d",
		k.kind, s.bags, n, s.rows, s.inner, red, form, c.weights != nil, c.SkipBad, c.Default)
	return c
}

func draws[T comparable](rng *rand.Rand, k plainKind[T], n int) []T {
	all := make([]T, n)
	for i := range all {
		all[i] = k.draw(rng)
	}
	return all
}

// counted are the positions of a bag that are not left out.
func (c *testCase[T]) counted(bag int) (at []int) {
	for _, p := range c.positions[bag] {
		if c.picked[p] >= 0 {
			at = append(at, p)
		}
	}
	return at
}

func (c *testCase[T]) row(p int) []T { return c.table[c.picked[p]*c.Inner:][:c.Inner] }

func few(most int) func(*rand.Rand, int) int {
	return func(rng *rand.Rand, _ int) int { return rng.IntN(most + 1) }
}

func exactly(n int) func(*rand.Rand, int) int { return func(*rand.Rand, int) int { return n } }

// slow reports whether there is no time for every shape: under the race detector,
// and in short mode, which emulated processors get.
func slow() bool { return race.Enabled || testing.Short() }

// shapes are of all kinds: columns of many numbers, bags that are tiny, huge,
// all empty, one of all.
func shapes(short bool) (all []shape) {
	for inner := 1; inner <= 70; inner++ {
		if short && inner > 20 && inner%8 > 1 {
			continue
		}
		all = append(all, shape{bags: 1 + inner%9, rows: 1 + inner%11, inner: inner, size: few(7)})
	}
	repeat := 12
	if short {
		repeat = 2
	}
	for range repeat { // a call's rows end in the middle of a bag, and behind many that are empty
		all = append(all, shape{bags: 700, rows: 40, inner: 3, size: few(2)}, shape{bags: 1300, rows: 9, inner: 2, size: few(1)})
	}
	return append(all,
		shape{bags: 0, rows: 3, inner: 5, size: exactly(0)},
		shape{bags: 3, rows: 0, inner: 5, size: few(2)},
		shape{bags: 3, rows: 4, inner: 0, size: few(3)},
		shape{bags: 4, rows: 3, inner: 9, size: exactly(0)},
		shape{bags: 700, rows: 40, inner: 3, size: few(2)},
		shape{bags: 1, rows: 50, inner: 33, size: exactly(3000)},
		shape{bags: 1500, rows: 20, inner: 17, size: exactly(1)},
		shape{bags: 600, rows: 30, inner: 8, size: func(rng *rand.Rand, bag int) int {
			if bag == 300 {
				return 2500
			}
			return rng.IntN(3)
		}},
		shape{bags: 5, rows: 7, inner: 100, size: few(40)},
		shape{bags: 5, rows: 7, inner: 300, size: few(40)},
		shape{bags: 3, rows: 7, inner: 513, size: few(20)},
		shape{bags: 3, rows: 5, inner: 600, size: few(9)},
	)
}
