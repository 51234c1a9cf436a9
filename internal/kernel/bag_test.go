package kernel

import (
	"bytes"
	"fmt"
	"math"
	"math/big"
	"math/cmplx"
	"math/rand/v2"
	"testing"

	"gorgonia.org/gather/internal/num"
	"gorgonia.org/gather/internal/race"
)

// plainKind is the arithmetic of a kind for the plain loops that bags are compared
// with.
type plainKind[T comparable] struct {
	kind     num.Kind
	add, mul func(a, b T) T
	div      func(a T, n int) T
	mean     func(all []T) T   // nil: the sum divided
	max      func(a, b T) T    // nil: no order
	same     func(a, b T) bool // NaN and NaN, too
	nan      func(a T) bool
	conj     func(a T) T
	draw     func(rng *rand.Rand) T
}

func plainReal[T num.Real](kind num.Kind, draw func(*rand.Rand) T) plainKind[T] {
	return plainKind[T]{
		kind: kind, draw: draw, conj: itself[T],
		add: func(a, b T) T { return a + b }, mul: func(a, b T) T { return a * b }, max: func(a, b T) T { return max(a, b) },
		div:  func(a T, n int) T { return a / T(n) },
		same: func(a, b T) bool { return a == b || a != a && b != b },
		nan:  func(a T) bool { return a != a },
	}
}

// oddFloats are those that a wrong order of operations, or a wrong comparison,
// shows in.
var oddFloats = []float64{0, math.Copysign(0, -1), 1, -1, math.NaN(), math.Inf(1), math.Inf(-1), 1e-40, -1e-40, 5e-324, 3e38, -3e38, 1e-30}

func drawFloat(rng *rand.Rand) float64 {
	if rng.IntN(40) == 0 {
		return oddFloats[rng.IntN(len(oddFloats))]
	}
	return rng.NormFloat64() * math.Exp(4*rng.NormFloat64())
}

func plainInt[T integer](kind num.Kind) plainKind[T] {
	k := plainReal(kind, func(rng *rand.Rand) T {
		if rng.IntN(2) == 0 {
			return T(rng.IntN(7))
		}
		return T(rng.Uint64()) // sums wrap, means must not
	})
	k.mean = func(all []T) T {
		sum := new(big.Int)
		for _, x := range all {
			if x < 0 {
				sum.Add(sum, big.NewInt(int64(x)))
			} else {
				sum.Add(sum, new(big.Int).SetUint64(uint64(x)))
			}
		}
		mean := new(big.Int).Div(sum, big.NewInt(int64(len(all)))) // Euclidean: toward minus infinity
		if mean.Sign() < 0 {
			return T(mean.Int64())
		}
		return T(mean.Uint64())
	}
	k.div = nil // integers have no gradients but that of Add
	return k
}

func plainHalf(kind num.Kind, to func(uint16) float32, from func(float32) uint16) plainKind[uint16] {
	in := func(f func(a, b float32) float32) func(a, b uint16) uint16 { return inFloat32(to, from, f) }
	return plainKind[uint16]{
		kind: kind, conj: itself[uint16],
		add:  in(func(a, b float32) float32 { return a + b }),
		mul:  in(func(a, b float32) float32 { return a * b }),
		max:  in(func(a, b float32) float32 { return max(a, b) }),
		div:  func(a uint16, n int) uint16 { return from(to(a) / float32(n)) },
		same: func(a, b uint16) bool { return to(a) == to(b) || to(a) != to(a) && to(b) != to(b) },
		nan:  func(a uint16) bool { return to(a) != to(a) },
		draw: func(rng *rand.Rand) uint16 { return from(float32(drawFloat(rng))) },
	}
}

func plainComplex[T complex64 | complex128](kind num.Kind, pair func(re, im float64) T) plainKind[T] {
	return plainKind[T]{
		kind: kind,
		add:  func(a, b T) T { return a + b },
		mul:  func(a, b T) T { return a * b },
		div:  func(a T, n int) T { return a / pair(float64(n), 0) },
		conj: func(a T) T { return pair(real(complex128(a)), -imag(complex128(a))) },
		nan:  func(a T) bool { return cmplx.IsNaN(complex128(a)) },
		draw: func(rng *rand.Rand) T { return pair(rng.NormFloat64(), rng.NormFloat64()) },
	}
}

// A bagCase is a call of a bag, and which positions each bag has.
type bagCase[T comparable] struct {
	plainKind[T]
	Bag
	name                  string
	positions             [][]int
	picked                []int // the row of each position, or -1
	firstBad              int   // or -1
	table, weights, grads []T
	before                []T // what gradients are added to
}

// bagShape says what is special about a case.
type bagShape struct {
	bags, rows, inner int
	size              func(rng *rand.Rand, bag int) int // of each bag
}

// newBagCase draws a case: the borders in any form, indices of any type, some
// negative and, if the case allows, some bad.
func newBagCase[T comparable](rng *rand.Rand, k plainKind[T], s bagShape, red num.Reduction) *bagCase[T] {
	c := &bagCase[T]{plainKind: k, firstBad: -1}
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
	if form == 1 && rng.IntN(4) == 0 && s.bags > 0 {
		for range rng.IntN(4) { // more positions in no bag
			segments = append(segments, int64(s.bags+rng.IntN(2)))
			n++
		}
		for i := n - 1; i > 0 && segments[i] < segments[i-1]; i-- {
			segments[i], segments[i-1] = segments[i-1], segments[i]
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
	c.Fill = rng.IntN(2) == 0
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
	if c.Fill {
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
	if red == num.Add && rng.IntN(2) == 0 {
		c.weights = draws(rng, k, n)
		c.Weights = num.Bytes(c.weights)
	}
	c.name = fmt.Sprintf("kind %d, %d bags of %d positions, %d rows of %d, reduction %d, form %d, weights %v, fill %v, default %d",
		k.kind, s.bags, n, s.rows, s.inner, red, form, c.weights != nil, c.Fill, c.Default)
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
func (c *bagCase[T]) counted(bag int) (at []int) {
	for _, p := range c.positions[bag] {
		if c.picked[p] >= 0 {
			at = append(at, p)
		}
	}
	return at
}

func (c *bagCase[T]) row(p int) []T { return c.table[c.picked[p]*c.Inner:][:c.Inner] }

// results are the plain loops.
func (c *bagCase[T]) results() []T {
	out := make([]T, c.Bags*c.Inner)
	for bag := range c.Bags {
		at := c.counted(bag)
		for i := range c.Inner {
			to := &out[bag*c.Inner+i]
			if len(at) == 0 {
				if c.Default >= 0 {
					*to = c.table[c.Default*c.Inner+i]
				}
				continue
			}
			var all []T
			for _, p := range at {
				all = append(all, c.row(p)[i])
			}
			if c.Reduction == num.Mean && c.mean != nil {
				*to = c.mean(all)
				continue
			}
			if c.Reduction == num.Max {
				*to = all[0]
				for _, x := range all[1:] {
					*to = c.max(*to, x)
				}
				continue
			}
			for k, x := range all {
				if c.weights != nil {
					x = c.mul(c.weights[at[k]], x)
				}
				*to = c.add(*to, x)
			}
			if c.Reduction == num.Mean {
				*to = c.div(*to, len(at))
			}
		}
	}
	return out
}

// gradients are those of the table.
func (c *bagCase[T]) gradients() []T {
	dst := append([]T(nil), c.before...)
	for bag := range c.Bags {
		at := c.counted(bag)
		for i := range c.Inner {
			g := c.grads[bag*c.Inner+i]
			if len(at) == 0 && c.Default >= 0 {
				to := &dst[c.Default*c.Inner+i]
				*to = c.add(*to, g)
			}
			if len(at) == 0 {
				continue
			}
			most, ties := c.row(at[0])[i], 0
			if c.Reduction == num.Max {
				for _, p := range at[1:] {
					most = c.max(most, c.row(p)[i])
				}
				for _, p := range at {
					if c.same(most, c.row(p)[i]) {
						ties++
					}
				}
			}
			for _, p := range at {
				part := g
				switch {
				case c.Reduction == num.Max && !c.same(most, c.row(p)[i]):
					continue
				case c.Reduction == num.Max:
					part = c.div(g, ties)
				case c.Reduction == num.Mean:
					part = c.div(g, len(at))
				case c.weights != nil:
					part = c.mul(c.conj(c.weights[p]), g)
				}
				to := &dst[c.picked[p]*c.Inner+i]
				*to = c.add(*to, part)
			}
		}
	}
	return dst
}

// dots are the gradients of the weights.
func (c *bagCase[T]) dots() []T {
	out := make([]T, len(c.picked))
	for bag := range c.Bags {
		for _, p := range c.counted(bag) {
			var sums [16]T
			for i, x := range c.row(p) {
				sums[i%16] = c.add(sums[i%16], c.mul(c.conj(x), c.grads[bag*c.Inner+i]))
			}
			for half := 8; half > 0; half /= 2 {
				for i := range half {
					sums[i] = c.add(sums[i], sums[half+i])
				}
			}
			out[p] = sums[0]
		}
	}
	return out
}

// guardedCopy is a copy between guard words, at an odd place but aligned to its elements.
func guardedCopy[T any](values []T, rng *rand.Rand) guarded {
	size := len(num.Bytes(make([]T, 1)))
	g := newGuarded(len(values)*size, size*rng.IntN(9))
	copy(g.mem, num.Bytes(values))
	return g
}

// equal reports whether memory holds the values, bit for bit, but that all NaN are
// alike: a plain loop may take the payload of either of two.
func (c *bagCase[T]) equal(mem []byte, want []T) error {
	for i, x := range num.As[T](mem) {
		if !bytes.Equal(num.Bytes([]T{x}), num.Bytes(want[i:i+1])) && !(c.nan(x) && c.nan(want[i])) {
			return fmt.Errorf("element %d is %v, want %v", i, x, want[i])
		}
	}
	return nil
}

// check runs the case and compares what it did, in this implementation and with
// this many threads. It returns what was written.
func (c *bagCase[T]) check(t *testing.T, rng *rand.Rand) []byte {
	t.Helper()
	table, dst := guardedCopy(c.table, rng), guardedCopy(c.before, rng)
	out, dots := guardedCopy(draws(rng, c.plainKind, c.Bags*c.Inner), rng), guardedCopy(draws(rng, c.plainKind, len(c.picked)), rng)
	weights := guardedCopy(c.weights, rng)
	b := c.Bag
	b.Table = table.mem
	if b.Weights != nil {
		b.Weights = weights.mem
	}
	if bad := b.Check(); bad != c.firstBad && !c.Fill {
		t.Fatalf("%s: Check returns %d, want %d", c.name, bad, c.firstBad)
	}
	all := [][]byte{}
	verify := func(what string, bad int, got guarded, want func() []T) {
		t.Helper()
		if bad != c.firstBad {
			t.Fatalf("%s: %s: the first bad index is at %d, want %d", c.name, what, bad, c.firstBad)
		}
		got.check(t, c.name+": "+what)
		if bad < 0 {
			if err := c.equal(got.mem, want()); err != nil {
				t.Fatalf("%s: %s: %v", c.name, what, err)
			}
			all = append(all, got.mem)
		}
	}
	verify("results", b.Reduce(out.mem), out, c.results)
	if HasBagGradient(c.kind, c.Reduction) {
		verify("gradients", b.AddGradient(dst.mem, num.Bytes(c.grads)), dst, c.gradients)
	}
	if c.Reduction == num.Add {
		verify("dots", b.WeightsGradient(dots.mem, num.Bytes(c.grads)), dots, c.dots)
	}
	if !bytes.Equal(table.mem, num.Bytes(c.table)) {
		t.Fatalf("%s: the table was changed", c.name)
	}
	return bytes.Join(all, nil)
}

// testBags compares cases of one kind, in every implementation and with several
// numbers of threads, with the plain loops and with each other.
func testBags[T comparable](t *testing.T, k plainKind[T], seed uint64, shapes []bagShape) {
	rng := rand.New(rand.NewPCG(seed, uint64(k.kind)))
	for _, red := range []num.Reduction{num.Add, num.Mean, num.Max} {
		if has := HasBag(k.kind, red); has != (red != num.Max || k.max != nil) {
			t.Fatalf("kind %d, reduction %d: %v", k.kind, red, has)
		}
		if !HasBag(k.kind, red) {
			continue
		}
		for i, s := range shapes {
			if slow() && (i+int(k.kind)+int(red))%4 > 0 {
				continue // another kind or reduction has this one
			}
			c := newBagCase(rng, k, s, red)
			var first []byte
			onThreads(t, func(t *testing.T) {
				for _, impl := range Implementations {
					restore := Use(impl)
					got := c.check(t, rng)
					restore()
					if first == nil {
						first = got
					}
					if !race.Enabled && !bytes.Equal(got, first) {
						t.Fatalf("%s: %s: other bits than in Go with one thread", c.name, impl.Name)
					}
				}
			})
		}
	}
}

func few(most int) func(*rand.Rand, int) int {
	return func(rng *rand.Rand, _ int) int { return rng.IntN(most + 1) }
}

func exactly(n int) func(*rand.Rand, int) int { return func(*rand.Rand, int) int { return n } }

// slow reports whether there is no time for every shape: under the race detector,
// and in short mode, which emulated processors get.
func slow() bool { return race.Enabled || testing.Short() }

// bagShapes are of all kinds: columns of many numbers, bags that are tiny, huge,
// all empty, one of all.
func bagShapes(short bool) (all []bagShape) {
	for inner := 1; inner <= 70; inner++ {
		if short && inner > 20 && inner%8 > 1 {
			continue
		}
		all = append(all, bagShape{bags: 1 + inner%9, rows: 1 + inner%11, inner: inner, size: few(7)})
	}
	repeat := 12
	if short {
		repeat = 2
	}
	for range repeat { // a call's rows end in the middle of a bag, and behind many that are empty
		all = append(all, bagShape{bags: 700, rows: 40, inner: 3, size: few(2)}, bagShape{bags: 1300, rows: 9, inner: 2, size: few(1)})
	}
	return append(all,
		bagShape{bags: 0, rows: 3, inner: 5, size: exactly(0)},
		bagShape{bags: 3, rows: 0, inner: 5, size: few(2)},
		bagShape{bags: 3, rows: 4, inner: 0, size: few(3)},
		bagShape{bags: 4, rows: 3, inner: 9, size: exactly(0)},
		bagShape{bags: 700, rows: 40, inner: 3, size: few(2)},
		bagShape{bags: 1, rows: 50, inner: 33, size: exactly(3000)},
		bagShape{bags: 1500, rows: 20, inner: 17, size: exactly(1)},
		bagShape{bags: 600, rows: 30, inner: 8, size: func(rng *rand.Rand, bag int) int {
			if bag == 300 {
				return 2500
			}
			return rng.IntN(3)
		}},
		bagShape{bags: 5, rows: 7, inner: 100, size: few(40)},
		bagShape{bags: 5, rows: 7, inner: 300, size: few(40)},
		bagShape{bags: 3, rows: 7, inner: 513, size: few(20)},
		bagShape{bags: 3, rows: 5, inner: 600, size: few(9)},
	)
}

func TestBagsOfFloats(t *testing.T) {
	shapes := append(bagShapes(slow()),
		bagShape{bags: 2000, rows: 4000, inner: 96, size: few(9)},
		bagShape{bags: 2, rows: 9, inner: 40000, size: exactly(5)}, // more than a part of a row
		bagShape{bags: 1, rows: 3000, inner: 64, size: exactly(8000)},
	)
	testBags(t, plainReal(num.Float32, func(rng *rand.Rand) float32 { return float32(drawFloat(rng)) }), 1, shapes)
	testBags(t, plainReal(num.Float64, drawFloat), 2, shapes)
}

func TestBagsOfOtherKinds(t *testing.T) {
	shapes := bagShapes(true)
	if slow() {
		shapes = shapes[len(shapes)/2:]
	}
	testBags(t, plainInt[int8](num.Int8), 3, shapes)
	testBags(t, plainInt[int16](num.Int16), 4, shapes)
	testBags(t, plainInt[int32](num.Int32), 5, shapes)
	testBags(t, plainInt[int64](num.Int64), 6, shapes)
	testBags(t, plainInt[uint8](num.Uint8), 7, shapes)
	testBags(t, plainInt[uint16](num.Uint16), 8, shapes)
	testBags(t, plainInt[uint32](num.Uint32), 9, shapes)
	testBags(t, plainInt[uint64](num.Uint64), 10, shapes)
	testBags(t, plainHalf(num.Float16, float16To32, float16From32), 11, shapes)
	testBags(t, plainHalf(num.BFloat16, bfloat16To32, bfloat16From32), 12, shapes)
	testBags(t, plainComplex(num.Complex64, func(re, im float64) complex64 { return complex(float32(re), float32(im)) }), 13, shapes)
	testBags(t, plainComplex(num.Complex128, func(re, im float64) complex128 { return complex(re, im) }), 14, shapes)
}
