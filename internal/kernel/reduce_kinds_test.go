package kernel

import (
	"bytes"
	"math/rand/v2"
	"sync/atomic"
	"testing"

	"gorgonia.org/gather/internal/num"
	"gorgonia.org/gather/internal/race"
	"gorgonia.org/gather/internal/simd"
)

// combineForm is one of the forms that a reduction takes.
type combineForm struct {
	name                 string
	form                 form
	batch, size, n, rows int // rows is Inner
	k                    int
	idx32                bool
}

var combineForms = []combineForm{
	{name: "items", form: byElements, batch: 3, size: 7, n: 61, rows: 1, k: 1},
	{name: "items by int32", form: byTuples, batch: 2, size: 9, n: 45, rows: 1, k: 1, idx32: true},
	{name: "one item a block", form: byTuples, batch: 40, size: 3, n: 1, rows: 1, k: 1},
	{name: "one element for many items", form: byElements, batch: 3, size: 1, n: 61, rows: 1, k: 1},
	{name: "lines", form: byElements, batch: 2, size: 5, n: 6, rows: 37, k: 1, idx32: true},
	{name: "short lines", form: byElements, batch: 2, size: 5, n: 6, rows: 3, k: 1},
	{name: "rows", form: byTuples, batch: 1, size: 5, n: 40, rows: 53, k: 1},
	{name: "short rows", form: byTuples, batch: 2, size: 5, n: 20, rows: 5, k: 1, idx32: true},
	{name: "items by tuples", form: byTuples, batch: 1, size: 4, n: 700, rows: 1, k: 2},
	{name: "few items of far blocks", form: byElements, batch: 130, size: page, n: 5, rows: 1, k: 1},
	{name: "one item of far blocks", form: byTuples, batch: 37, size: page, n: 1, rows: 1, k: 1, idx32: true},
	{name: "long rows", form: byTuples, batch: 1, size: 2, n: 3, rows: 300, k: 1},
}

// run combines, and returns what data holds then. Data and items stand between
// guard words.
func (f combineForm) run(t *testing.T, kind num.Kind, r num.Reduction) (got, want []byte) {
	t.Helper()
	rng := rand.New(rand.NewPCG(uint64(kind), uint64(r)))
	w := kind.Width()
	if f.size == page { // in bytes
		f.size /= w
	}
	span := f.size * f.rows
	if f.k == 2 {
		span *= 3
	}
	count := f.batch * f.n
	if f.form == byElements {
		count *= f.rows
	}
	data, items := newGuarded(f.batch*span*w, 16), newGuarded(f.batch*f.n*f.rows*w, 48)
	drawElements(rng, kind, data.mem)
	drawElements(rng, kind, items.mem)
	c := newCall()
	defer c.Put()
	c.form, c.Data, c.Items = f.form, data.mem, items.mem
	c.Batch, c.Outer, c.N, c.Inner, c.Span = f.batch, 1, f.n, f.rows, span
	c.Axes = append(c.Axes, Axis{f.size, span / f.size})
	if f.k == 2 {
		c.Axes = append(c.Axes, Axis{3, f.rows})
	}
	idx := make([]int64, count*f.k)
	for i := range idx {
		size := c.Axes[i%f.k].Size
		idx[i] = int64(rng.IntN(2*size) - size)
	}
	want = bytes.Clone(data.mem)
	combine := combined(kind, r)
	for p := range f.batch * f.n * f.rows {
		tuple, col := p/f.rows, p%f.rows
		if f.form == byElements {
			tuple = p
		}
		at := p/(f.n*f.rows)*span + col
		for a, axis := range c.Axes {
			at += (int(idx[tuple*f.k+a]) + axis.Size) % axis.Size * axis.Stride
		}
		combine(want[at*w:], items.mem[p*w:])
	}
	c.Idx = num.Bytes(idx)
	if f.idx32 {
		narrow := make([]int32, len(idx))
		for i, v := range idx {
			narrow[i] = int32(v)
		}
		c.Idx, c.Idx32 = num.Bytes(narrow), true
	}
	if bad := c.reduce(kind, r); bad >= 0 {
		t.Fatalf("index %d is bad", bad)
	}
	data.check(t, "data")
	items.check(t, "items")
	return data.mem, want
}

// different is the first element that differs, unless both are NaN, or -1.
func different(kind num.Kind, got, want []byte) int {
	if bytes.Equal(got, want) {
		return -1
	}
	w := kind.Width()
	for i := 0; i < len(got); i += w {
		if g, v := got[i:i+w], want[i:i+w]; !bytes.Equal(g, v) && !(isNaN(kind, g) && isNaN(kind, v)) {
			return i / w
		}
	}
	return -1
}

// TestCombinations makes every reduction of every kind in every form, under every
// implementation.
func TestCombinations(t *testing.T) {
	eachImplementation(t, func(t *testing.T, _ *simd.Implementation, calls *atomic.Int64) {
		for kind := num.Bool; kind < num.Kinds; kind++ {
			for r := num.Add; r <= num.Max; r++ {
				if !Has(kind, r) {
					continue
				}
				for _, f := range combineForms {
					calls.Store(0)
					got, want := f.run(t, kind, r)
					if i := different(kind, got, want); i >= 0 {
						w := kind.Width()
						t.Fatalf("kind %d, %v, %s: element %d is %x, want %x", kind, r, f.name, i, got[i*w:][:w], want[i*w:][:w])
					}
					if calls.Load() == 0 {
						t.Fatalf("kind %d, %v, %s: no loop of the implementation was called", kind, r, f.name)
					}
				}
			}
		}
	})
}

// TestHalvesAreTheSameEverywhere demands the same bits, those of NaNs too, of every
// implementation's loops over 16-bit floats.
func TestHalvesAreTheSameEverywhere(t *testing.T) {
	if len(simd.Implementations) == 1 || race.Enabled {
		t.Skip("there is no assembly to agree with, or Go is compiled otherwise")
	}
	for _, kind := range []num.Kind{num.Float16, num.BFloat16} {
		for r := num.Add; r <= num.Max; r++ {
			for _, f := range combineForms {
				var first []byte
				for _, i := range simd.Implementations {
					restore := simd.Use(i)
					got, _ := f.run(t, kind, r)
					restore()
					if first == nil {
						first = bytes.Clone(got)
					}
					for at := 0; at < len(got); at += 2 {
						if !bytes.Equal(got[at:at+2], first[at:at+2]) {
							t.Fatalf("kind %d, %v, %s, %s: element %d is %x, in Go %x", kind, r, f.name, i.Name, at/2, got[at:at+2], first[at:at+2])
						}
					}
				}
			}
		}
	}
}

// TestEveryPairOfHalves combines each 16-bit float with some others, in rows: the
// loops in assembly round as the conversions in Go do.
func TestEveryPairOfHalves(t *testing.T) {
	others := []uint16{0, 0x8000, 1, 0x8001, 0x03ff, 0x0400, 0x3c00, 0x3c01, 0xbc00, 0x7bff, 0xfbff, 0x7c00, 0xfc00, 0x7e00, 0x7d01, 0x7f80, 0xff80, 0x7f81, 0x3f80, 0x0080}
	if race.Enabled {
		others = others[:2] // what is compared is arithmetic, which the race detector only slows down
	}
	data, items, want := make([]uint16, 1<<16), make([]uint16, 1<<16), make([]uint16, 1<<16)
	for _, kind := range []num.Kind{num.Float16, num.BFloat16} {
		for r := num.Add; r <= num.Max; r++ {
			combine := combined(kind, r)
			for _, other := range others {
				for i := range want {
					want[i], items[i] = uint16(i), other
					combine(num.Bytes(want[i:i+1]), num.Bytes(items[i:i+1]))
				}
				eachImplementation(t, func(t *testing.T, _ *simd.Implementation, _ *atomic.Int64) {
					for i := range data {
						data[i] = uint16(i)
					}
					c := newCall()
					c.form, c.Data, c.Items, c.Idx = byTuples, num.Bytes(data), num.Bytes(items), num.Bytes([]int64{0})
					c.Batch, c.Outer, c.N, c.Inner, c.Span = 1, 1, 1, len(data), len(data)
					c.Axes = append(c.Axes, Axis{1, len(data)})
					c.reduce(kind, r)
					c.Put()
					for i := range data {
						if data[i] != want[i] && !(isNaN(kind, num.Bytes(data[i:i+1])) && isNaN(kind, num.Bytes(want[i:i+1]))) {
							t.Fatalf("kind %d: %#04x %v %#04x is %#04x, want %#04x", kind, i, r, other, data[i], want[i])
						}
					}
				})
			}
		}
	}
}
