package kernel

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"testing"

	"gorgonia.org/gather/internal/num"
	"gorgonia.org/gather/internal/race"
	"gorgonia.org/gather/internal/simd"
	"gorgonia.org/gather/internal/turns"
)

// reduceShape is a scatter by elements or by tuples, with k axes.
type reduceShape struct {
	batch, size, n, inner, k int
	elements                 bool
}

// reduceShapes have blocks that are many or few, dense or not, and rows so many that
// there is a map of them.
var reduceShapes = []reduceShape{
	{300, 50, 70, 1, 1, true}, {300, 50, 9, 1, 1, true}, {700, 9, 3, 1, 1, true}, // marked, sparse, short
	{1, 5000, 9000, 1, 1, true}, {1, 40, 50, 300, 1, true}, {1, 400, 50, 40, 1, true}, {6, 40, 50, 20, 1, true}, {50, 30, 40, 3, 1, true},
	{1, 2, 1<<15 - 1, 1, 1, true}, {1, 2, 1 << 15, 1, 1, true}, // as many sums as integers of 16 bits have room for, and more
	{40, 4096, 1, 1, 1, true}, {30, 4096, 5, 1, 1, true}, {20, 4096, 20, 1, 1, true}, {3, 40, 700, 3, 1, true}, // few in far blocks, many on short lines
	{2000, 3, 1, 1, 1, true}, {1, 20, 3000, 1, 1, false}, {1, 3000, 1200, 70, 1, false}, {1, 30, 12, 70, 1, false}, {5, 60, 700, 40, 2, false}, {1, 60, 900, 1, 2, false},
}

func (s reduceShape) sizes() []int { return []int{s.size, 3}[:s.k] }

func (s reduceShape) span() int {
	if s.k == 2 {
		return s.size * s.inner * 3
	}
	return s.size * s.inner
}

func (s reduceShape) items() int { return s.batch * s.n * s.inner }

func (s reduceShape) indices(rng *rand.Rand) []int64 {
	tuples := s.batch * s.n
	if s.elements {
		tuples *= s.inner
	}
	idx := make([]int64, tuples*s.k)
	for i := range idx {
		idx[i] = int64(rng.IntN(2*s.sizes()[i%s.k]) - s.sizes()[i%s.k])
	}
	return idx
}

// target is the place in data of item i.
func (s reduceShape) target(idx []int64, i int) int {
	p, col := i/s.inner, i%s.inner
	at := 0
	if s.elements {
		at = (int(idx[i]) + s.size) % s.size * s.inner
	} else {
		at = (int(idx[p*s.k]) + s.size) % s.size * s.span() / s.size
		if s.k == 2 {
			at += (int(idx[p*s.k+1]) + 3) % 3 * s.inner
		}
	}
	return p/s.n*s.span() + at + col
}

// targets are the places of all items.
func (s reduceShape) targets(idx []int64) []int {
	all := make([]int, s.items())
	for i := range all {
		all[i] = s.target(idx, i)
	}
	return all
}

// call describes it.
func (s reduceShape) call(idx []int64, data, updates []byte) *testCall {
	c := newCall()
	c.Data, c.Items, c.Idx = data, updates, num.Bytes(idx)
	c.Batch, c.Outer, c.N, c.Inner, c.Span = s.batch, 1, s.n, s.inner, s.span()
	if s.elements {
		c.form = byElements
	}
	for a, size := range s.sizes() {
		stride := s.inner
		if s.k == 2 && a == 0 {
			stride *= 3
		}
		c.Axes = append(c.Axes, Axis{Size: size, Stride: stride})
	}
	return c
}

// eachPlace runs a reduction in place and not, each in its turn on the implementations and
// with the numbers of threads. A bad index leaves data in place as it was.
func (s reduceShape) eachPlace(t *testing.T, what string, number int, idx []int64, old, updates, want []byte, run func(c *testCall) int) {
	got := newGuarded(len(old), 8)
	for i, place := range []string{"out of place", "in place", "in place, checked before", "bad"} {
		inTurn(t, number+3*i, func(t *testing.T) {
			c := s.call(idx, got.mem, updates)
			expected, bad := want, -1
			switch place {
			case "out of place":
				c.Old = old
				fill(got.mem)
			default:
				copy(got.mem, old)
				c.Atomic = place != "in place, checked before"
			}
			if place == "bad" {
				spoiled := append([]int64(nil), idx...)
				bad = len(idx) - 1 - len(idx)/3
				spoiled[bad], spoiled[len(idx)-1] = int64(s.size), int64(s.size)
				if s.k == 2 && bad%2 == 1 {
					spoiled[bad] = 3
				}
				c.Idx = num.Bytes(spoiled)
				expected = old
			}
			found := run(c)
			c.Put()
			what := fmt.Sprintf("%+v, %s, %s", s, what, place)
			if found != bad || !bytes.Equal(got.mem, expected) {
				t.Errorf("%s: wrong values, or bad index %d, want %d", what, found, bad)
			}
			got.check(t, what)
		})
	}
}

// smallNumbers is memory of numbers that are no NaN in any kind.
func smallNumbers(rng *rand.Rand, bytes int) []byte {
	mem := make([]byte, bytes)
	drawBytes(rng, mem)
	for i := range mem {
		mem[i] %= 100
	}
	return mem
}

// someOnly leaves out all but one in n combinations under the race detector: goroutines
// share the work of all kinds and reductions alike, and each shape has some of them.
func someOnly(n int, of ...int) bool {
	sum := 0
	for _, i := range of {
		sum += i
	}
	return race.Enabled && sum%n > 0 || !turns.Case(n, sum)
}

// TestWithoutOldValues reduces without the old values of what the indices address.
func TestWithoutOldValues(t *testing.T) {
	number := 0
	for shape, s := range reduceShapes {
		rng := rand.New(rand.NewPCG(11, 12))
		idx := s.indices(rng)
		targets := s.targets(idx)
		for _, kind := range []num.Kind{num.Int8, num.Uint16, num.Int32, num.Uint64, num.Float32, num.Float64, num.Float16, num.BFloat16, num.Complex128} {
			w := kind.Width()
			old, updates := smallNumbers(rng, s.batch*s.span()*w), smallNumbers(rng, s.items()*w)
			for r := num.Add; r < num.Reductions; r++ {
				loops := simd.Go.Combine[kind][r]
				if loops.Rows == nil || someOnly(5, shape, int(kind), int(r)) {
					continue
				}
				want, neutral := bytes.Clone(old), num.Neutral(kind, r)
				for _, at := range targets {
					copy(want[at*w:], neutral[:w])
				}
				var zero int64
				for i, at := range targets {
					loops.Rows(num.Pointer(want[at*w:]), num.Pointer(updates[i*w:]), &zero, &zero, 1, w, 0, 0)
				}
				number++
				s.eachPlace(t, fmt.Sprintf("kind %d, reduction %d", kind, r), number, idx, old, updates, want, func(c *testCall) int {
					c.NoInit = true
					return c.reduce(kind, r)
				})
			}
		}
	}
}
