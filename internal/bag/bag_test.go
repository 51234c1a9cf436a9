package bag

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"gorgonia.org/gather/internal/memtest"
	"gorgonia.org/gather/internal/num"
	"gorgonia.org/gather/internal/quant"
	"gorgonia.org/gather/internal/race"
	"gorgonia.org/gather/internal/simd"
)

// results are the plain loops.
func (c *testCase[T]) results() []T {
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
func (c *testCase[T]) gradients() []T {
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
func (c *testCase[T]) dots() []T {
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

// equal reports whether memory holds the values, bit for bit, but that all NaN are
// alike: a plain loop may take the payload of either of two.
func (c *testCase[T]) equal(mem []byte, want []T) error {
	if bytes.Equal(mem, num.Bytes(want)) {
		return nil
	}
	for i, x := range num.As[T](mem) {
		if !bytes.Equal(num.Bytes([]T{x}), num.Bytes(want[i:i+1])) && !(c.nan(x) && c.nan(want[i])) {
			return fmt.Errorf("element %d is %v, want %v", i, x, want[i])
		}
	}
	return nil
}

// check runs the case and compares what it did, in this implementation and with
// this many threads. It returns what was written.
func (c *testCase[T]) check(t *testing.T, rng *rand.Rand) []byte {
	t.Helper()
	table, dst := memtest.Copy(c.table, rng), memtest.Copy(c.before, rng)
	out, dots := memtest.Copy(c.junk[:c.Bags*c.Inner], rng), memtest.Copy(c.junk[:len(c.picked)], rng)
	weights := memtest.Copy(c.weights, rng)
	b := c.Description
	b.Table = table.Mem
	if b.Weights != nil {
		b.Weights = weights.Mem
	}
	if bad := b.Check(); bad != c.firstBad && !c.SkipBad {
		t.Fatalf("%s: Check returns %d, want %d", c.name, bad, c.firstBad)
	}
	all := [][]byte{}
	verify := func(what string, bad int, got memtest.Guarded, want func() []T) {
		t.Helper()
		if bad != c.firstBad {
			t.Fatalf("%s: %s: the first bad index is at %d, want %d", c.name, what, bad, c.firstBad)
		}
		got.Check(t, c.name+": "+what)
		if bad < 0 {
			if err := c.equal(got.Mem, c.plain(what, want)); err != nil {
				t.Fatalf("%s: %s: %v", c.name, what, err)
			}
			all = append(all, got.Mem)
		}
	}
	verify("results", b.Reduce(out.Mem), out, c.results)
	if HasGradient(c.kind, c.Reduction) {
		verify("gradients", b.AddGradient(dst.Mem, num.Bytes(c.grads)), dst, c.gradients)
	}
	if c.Reduction == num.Add {
		verify("dots", b.WeightsGradient(dots.Mem, num.Bytes(c.grads)), dots, c.dots)
	}
	if !bytes.Equal(table.Mem, num.Bytes(c.table)) {
		t.Fatalf("%s: the table was changed", c.name)
	}
	same := bytes.Join(all, nil)
	if b.Idx != nil && len(c.table) > 0 { // the results of rows that lie apart
		pitch := c.Inner + 1 + rng.IntN(3)
		apart := make([]T, (c.Rows-1)*pitch+c.Inner)
		for i := range apart {
			apart[i] = c.table[i%len(c.table)]
		}
		for row := range c.Rows {
			copy(apart[row*pitch:], c.table[row*c.Inner:][:c.Inner])
		}
		table, out, dots = memtest.Copy(apart, rng), memtest.Copy(c.junk[:c.Bags*c.Inner], rng), memtest.Copy(c.junk[:len(c.picked)], rng)
		b.Table, b.Pitch = table.Mem, pitch*c.kind.Width()
		verify("results", b.Reduce(out.Mem), out, c.results)
		if c.Reduction == num.Add {
			verify("dots", b.WeightsGradient(dots.Mem, num.Bytes(c.grads)), dots, c.dots)
		}
	}
	return same
}

// testBags compares cases of one kind, in every implementation and with several
// numbers of threads, with the plain loops and with each other.
func testBags[T comparable](t *testing.T, k plainKind[T], seed uint64, shapes []shape) {
	rng := rand.New(rand.NewPCG(seed, uint64(k.kind)))
	for _, red := range []num.Reduction{num.Add, num.Mean, num.Max} {
		if has := Has(k.kind, red); has != (red != num.Max || k.max != nil) {
			t.Fatalf("kind %d, reduction %d: %v", k.kind, red, has)
		}
		if !Has(k.kind, red) {
			continue
		}
		for i, s := range shapes {
			if slow() && (i+int(k.kind)+int(red))%4 > 0 {
				continue // another kind or reduction has this one
			}
			c := newTestCase(rng, k, s, red)
			var first []byte
			memtest.OnThreads(t, func(t *testing.T) {
				for _, impl := range simd.Implementations {
					restore := simd.Use(impl)
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

func TestBagsOfFloats(t *testing.T) {
	shapes := append(shapes(slow()),
		shape{bags: 2000, rows: 4000, inner: 96, size: few(9)},
		shape{bags: 2, rows: 9, inner: 40000, size: exactly(5)}, // more than a part of a row
		shape{bags: 1, rows: 3000, inner: 64, size: exactly(8000)},
	)
	testBags(t, plainReal(num.Float32, func(rng *rand.Rand) float32 { return float32(memtest.DrawFloat(rng)) }), 1, shapes)
	testBags(t, plainReal(num.Float64, memtest.DrawFloat), 2, shapes)
}

func TestBagsOfOtherKinds(t *testing.T) {
	shapes := shapes(true)
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
	testBags(t, plainHalf(num.Float16, num.Float16To32, num.Float16From32), 11, shapes)
	testBags(t, plainHalf(num.BFloat16, num.BFloat16To32, num.BFloat16From32), 12, shapes)
	testBags(t, plainComplex(num.Complex64, func(re, im float64) complex64 { return complex(float32(re), float32(im)) }), 13, shapes)
	testBags(t, plainComplex(num.Complex128, func(re, im float64) complex128 { return complex(re, im) }), 14, shapes)
}

// TestSumIsLike demands that the sum that a mean with weights is has all else of the mean.
func TestSumIsLike(t *testing.T) {
	mem := make([]byte, 16)
	d := Description{
		Kind: num.Float64, Reduction: num.Mean, Table: mem, Rows: 2, Inner: 1, Pitch: 8, Stored: quant.Rows{Storage: 1}, Idx: mem, Idx32: true,
		NonNegative: true, SkipBad: true, Weights: mem, Borders: Borders{Bags: 1, PerBag: 2}, Default: 1, Empty: mem,
	}
	for i, v := 0, reflect.ValueOf(d); i < v.NumField(); i++ {
		if v.Field(i).IsZero() {
			t.Fatalf("%s is not filled by this test", v.Type().Field(i).Name)
		}
	}
	var n Normal
	sum := n.Sum(&d)
	d.Reduction, d.Weights = num.Add, sum.Weights
	if !reflect.DeepEqual(sum, d) {
		t.Errorf("the sum is %+v, want %+v", sum, d)
	}
}

// TestGradientOfWholeParts has rows of exactly as many bytes as are worked on at a time: behind the
// last one, which has the gradient of an empty bag, is nothing.
func TestGradientOfWholeParts(t *testing.T) {
	const inner, rows = partBytes / 4, 9
	d := Description{Kind: num.Float32, Reduction: num.Add, Rows: rows, Inner: inner, Idx: num.Bytes([]int64{0}), Default: rows - 1}
	d.Borders = Borders{Bags: 2, Offsets: num.Bytes([]int64{0, 1})}
	dst, grad := make([]float32, rows*inner), slices.Repeat([]float32{1, 2}, inner)
	want := slices.Concat(grad[:inner], make([]float32, (rows-2)*inner), grad[inner:])
	if bad := d.AddGradient(num.Bytes(dst), num.Bytes(grad)); bad >= 0 || !slices.Equal(dst, want) {
		t.Error("the gradients of two bags are not in the first row and the last")
	}
}

// TestBagsOfFarTables has bags of which some rows at a time are reduced in passes, in order and by indices.
func TestBagsOfFarTables(t *testing.T) {
	const inner, bags = passBytes/4 + 3, 5
	const rows = farTable/4/inner + 7
	rng := rand.New(rand.NewPCG(5, 6))
	table := make([]float32, rows*inner)
	for i := range table {
		table[i] = rng.Float32() - 0.5
	}
	idx, offsets := make([]int64, rows), []int64{0, 3, rows / 3, rows / 3, rows - 20}
	for _, random := range []bool{false, true} {
		d := Description{Kind: num.Float32, Table: num.Bytes(table), Rows: rows, Inner: inner, Default: -1}
		d.Borders = Borders{Bags: bags, Offsets: num.Bytes(offsets)}
		for p := range idx {
			if idx[p] = int64(p); random {
				idx[p] = rng.Int64N(rows)
				d.Idx = num.Bytes(idx)
			}
		}
		for _, r := range []num.Reduction{num.Add, num.Max} {
			want := make([]float32, bags*inner)
			for b, from := range offsets {
				for p, to := from, append(offsets, rows)[b+1]; p < to; p++ {
					for c, x := range table[idx[p]*inner:][:inner] {
						if sum := &want[b*inner+c]; r == num.Add {
							*sum += x
						} else if p == from || x > *sum {
							*sum = x
						}
					}
				}
			}
			out := make([]float32, bags*inner)
			d.Reduction = r
			if bad := d.Reduce(num.Bytes(out)); bad >= 0 || !slices.Equal(out, want) {
				t.Errorf("indices %v, reduction %d: the results of %d rows are not those of a plain loop", random, r, rows)
			}
		}
	}
}

// TestEqualBagsOfHalves has bags that are added together, in more groups than one, and compares with Go's loops.
func TestEqualBagsOfHalves(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 8))
	const rows = 50
	for n := range 300 {
		d := Description{Kind: []num.Kind{num.Float16, num.BFloat16}[n%2], Reduction: []num.Reduction{num.Add, num.Mean, num.Min, num.Max}[n/2%4], Rows: rows, Inner: 1 + rng.IntN(18), Default: -1}
		d.Borders = Borders{Bags: 1 + rng.IntN(1200), PerBag: 2 + rng.IntN(4)*rng.IntN(13)}
		table, idx := make([]uint16, rows*d.Inner), make([]int32, d.Bags*d.PerBag)
		for i := range table {
			if table[i] = uint16(rng.Uint32()); table[i]&0x7c00 == 0x7c00 {
				table[i] &^= 0x4000 // no NaN, of which either payload may stay
			}
		}
		for i := range idx {
			if idx[i] = rng.Int32N(rows); n%3 == 0 && rng.IntN(20) == 0 {
				idx[i], d.SkipBad = rows, true
			}
		}
		d.Table, d.Idx, d.Idx32 = num.Bytes(table), num.Bytes(idx), true
		restore := simd.Use(simd.Go)
		want := make([]byte, 2*d.Bags*d.Inner)
		bad := d.Reduce(want)
		restore()
		for _, impl := range simd.Implementations {
			restore, out := simd.Use(impl), make([]byte, len(want))
			if got := d.Reduce(out); got != bad || !bytes.Equal(out, want) {
				t.Errorf("%s: kind %d, reduction %d, %d bags of %d rows of %d, skips %v: other results than those of Go", impl.Name, d.Kind, d.Reduction, d.Bags, d.PerBag, d.Inner, d.SkipBad)
			}
			restore()
		}
	}
}

// TestFewRowsApart has means of a few rows of a large table whose rows lie apart: they are not those of contiguous rows.
func TestFewRowsApart(t *testing.T) {
	const rows, inner, pitch = 100, 5, 7
	table := make([]int64, (rows-1)*pitch+inner)
	for i := range table {
		table[i] = int64(i)
	}
	idx := []int64{3, -1, 50, 50}
	out, want := make([]int64, inner), make([]int64, inner)
	for c := range want {
		for _, row := range []int64{3, 99, 50, 50} {
			want[c] += row*pitch + int64(c)
		}
		want[c] /= 4
	}
	d := Description{
		Kind: num.Int64, Reduction: num.Mean, Table: num.Bytes(table), Pitch: 8 * pitch, Rows: rows, Inner: inner, Idx: num.Bytes(idx), Default: -1,
		Borders: Borders{Bags: 1, PerBag: 4},
	}
	if bad := d.Reduce(num.Bytes(out)); bad >= 0 || !slices.Equal(out, want) {
		t.Errorf("the means are %v, want %v", out, want)
	}
}
