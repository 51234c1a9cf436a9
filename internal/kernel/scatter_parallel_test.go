package kernel

import (
	"bytes"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"sync/atomic"
	"testing"

	"gorgonia.org/gather/internal/num"
	"gorgonia.org/gather/internal/par"
	"gorgonia.org/gather/internal/race"
	"gorgonia.org/gather/internal/simd"
	"gorgonia.org/gather/internal/turns"
)

// TestOwners scatters rows with any number of goroutines, into many pages and
// into few, and demands the same bits of all.
func TestOwners(t *testing.T) {
	for _, s := range []struct{ rows, n, inner, k int }{{9, 3000, 33, 1}, {5000, 4000, 64, 1}, {80, 900, 64, 2}} {
		rng := rand.New(rand.NewPCG(7, 8))
		idx := make([]int64, s.n*s.k)
		for i := range idx {
			idx[i] = rng.Int64N(int64(2*s.rows)) - int64(s.rows)
		}
		blocks := s.rows
		if s.k == 2 {
			blocks *= s.rows
		}
		start, updates := make([]float32, blocks*s.inner), make([]float32, s.n*s.inner)
		for _, values := range [][]float32{start, updates} {
			for i := range values {
				values[i] = rng.Float32() + 0.5
			}
		}
		got, want := bytes.Clone(num.Bytes(start)), bytes.Clone(num.Bytes(start))
		for r := num.None; r <= num.Max; r++ {
			copy(want, num.Bytes(start))
			values := num.As[float32](want)
			for t := range s.n {
				at := 0
				for _, j := range idx[t*s.k:][:s.k] {
					at = at*s.rows + int(j+int64(s.rows))%s.rows
				}
				for c, u := range updates[t*s.inner:][:s.inner] {
					target := &values[at*s.inner+c]
					if r == num.None {
						*target = u
					} else {
						*target = combinedReal(r, *target, u)
					}
				}
			}
			onThreads(t, func(t *testing.T) {
				if !turns.Case(2, int(r)+runtime.GOMAXPROCS(0)) {
					return
				}
				eachImplementation(t, func(t *testing.T, _ *simd.Implementation, _ *atomic.Int64) {
					copy(got, num.Bytes(start))
					c := newCall()
					defer c.Put()
					c.Data, c.Items, c.Idx = got, num.Bytes(updates), num.Bytes(idx)
					c.Batch, c.Outer, c.N, c.Inner, c.Span = 1, 1, s.n, s.inner, blocks*s.inner
					for a := range s.k {
						stride := s.inner
						if s.k == 2 && a == 0 {
							stride *= s.rows
						}
						c.Axes = append(c.Axes, Axis{Size: s.rows, Stride: stride})
					}
					bad := 0
					if r == num.None {
						bad = c.scatter(4)
					} else {
						bad = c.reduce(num.Float32, r)
					}
					if bad >= 0 || !bytes.Equal(got, want) {
						t.Errorf("%+v %v: wrong values, bad index %d", s, r, bad)
					}
				})
			})
		}
	}
}

// TestManyPartitions gives a few goroutines more partitions than they are, as happens
// when GOMAXPROCS falls while a call is on its way: nobody may be left out.
func TestManyPartitions(t *testing.T) {
	const rows, n, inner = 5000, 2048, 64
	idx, updates := make([]int64, n), make([]float32, n*inner)
	for i := range idx {
		idx[i] = int64(i * 7 % rows)
	}
	for i := range updates {
		updates[i] = float32(i%100 + 1)
	}
	onThreads(t, func(t *testing.T) {
		data := make([]float32, rows*inner)
		c := newCall()
		defer c.Put()
		c.Data, c.Items, c.Idx = num.Bytes(data), num.Bytes(updates), num.Bytes(idx)
		c.Batch, c.Outer, c.N, c.Inner, c.Span = 1, 1, n, inner, rows*inner
		c.Axes = append(c.Axes, Axis{Size: rows, Stride: inner})
		c.Width = 4
		var s scatter
		s.describe(c.describe(), true)
		s.partitions, s.row.change = 13, simd.Go.Combine[num.Float32][num.Add].Rows
		if bad := par.Run(&s, s.partitions, s.partitions); bad >= 0 {
			t.Fatalf("index %d is bad", bad)
		}
		for i, j := range idx {
			if got, want := data[int(j)*inner], updates[i*inner]; got != want {
				t.Fatalf("row %d: got %v, want %v", j, got, want)
			}
		}
	})
}

// TestNaNPayloads adds NaNs to NaNs: assembly and Go keep the same one, that of
// data, in rows of any length. Go leaves the choice to the compiler, which has
// another order of operands for other processors and for the race detector.
func TestNaNPayloads(t *testing.T) {
	if len(simd.Implementations) == 1 || race.Enabled {
		t.Skip("there is no assembly to agree with, or Go is compiled otherwise")
	}
	nan := func(payload uint64) (float32, float64) {
		return math.Float32frombits(0x7fc00000 | uint32(payload)), math.Float64frombits(0x7ff8<<48 | payload)
	}
	narrow, wide := nan(1)
	otherNarrow, otherWide := nan(2)
	eachImplementation(t, func(t *testing.T, _ *simd.Implementation, _ *atomic.Int64) {
		for inner := 1; inner <= 40; inner++ {
			for _, n := range []int{1, 30} {
				for size := 1; size <= 2; size++ {
					addNaNs(t, num.Float32, narrow, otherNarrow, n, size, inner)
					addNaNs(t, num.Float64, wide, otherWide, n, size, inner)
				}
			}
		}
	})
}

func addNaNs[T float32 | float64](t *testing.T, kind num.Kind, old, update T, n, size, inner int) {
	t.Helper()
	for k := 1; k <= 2; k++ {
		data, updates := slices.Repeat([]T{old}, size*size*inner), slices.Repeat([]T{update}, n*inner)
		c := newCall()
		c.Data, c.Items, c.Idx = num.Bytes(data), num.Bytes(updates), num.Bytes(make([]int64, n*k))
		c.Batch, c.Outer, c.N, c.Inner, c.Span = 1, 1, n, inner, size*size*inner
		for a := range k {
			c.Axes = append(c.Axes, Axis{Size: size, Stride: size * inner >> a})
		}
		if bad := c.reduce(kind, num.Add); bad >= 0 {
			t.Fatalf("index %d is bad", bad)
		}
		c.Put()
		if want := slices.Repeat([]T{old}, size*size*inner); !bytes.Equal(num.Bytes(data), num.Bytes(want)) {
			t.Fatalf("rows of %d, %d of them, tuples of %d on axes of %d: %x, want %x", inner, n, k, size, num.Bytes(data), num.Bytes(want))
		}
	}
}

// TestOldValues scatters out of place, where blocks are many or few, some of
// them without updates, and goroutines one or more.
func TestOldValues(t *testing.T) {
	for _, s := range []struct{ batch, more, size, n, inner int }{{300, 0, 50, 70, 1}, {5, 7, 9, 40, 3}, {64, 3, 33, 100, 40}, {1, 2, 30, 2000, 50}, {2000, 1, 40, 1, 1}} {
		rng := rand.New(rand.NewPCG(9, 10))
		idx := make([]int32, s.batch*s.n*s.inner)
		for i := range idx {
			idx[i] = int32(rng.IntN(s.size))
		}
		old, updates := make([]float64, (s.batch+s.more)*s.size*s.inner), make([]float64, len(idx))
		for _, values := range [][]float64{old, updates} {
			for i := range values {
				values[i] = rng.Float64()
			}
		}
		want := append([]float64(nil), old...)
		for i, u := range updates {
			block, col := i/(s.n*s.inner), i%s.inner
			want[(block*s.size+int(idx[i]))*s.inner+col] += u
		}
		onThreads(t, func(t *testing.T) {
			eachImplementation(t, func(t *testing.T, _ *simd.Implementation, _ *atomic.Int64) {
				got := newGuarded(8*len(old), 8)
				c := newCall()
				defer c.Put()
				c.Data, c.Items, c.Idx, c.Idx32 = got.mem, num.Bytes(updates), num.Bytes(idx), true
				c.Old = num.Bytes(old)
				c.Batch, c.Outer, c.N, c.Inner, c.Span = s.batch, 1, s.n, s.inner, s.size*s.inner
				c.Axes = append(c.Axes, Axis{Size: s.size, Stride: s.inner})
				c.form = byElements
				if bad := c.reduce(num.Float64, num.Add); bad >= 0 || !bytes.Equal(got.mem, num.Bytes(want)) {
					t.Errorf("%+v: wrong values, bad index %d", s, bad)
				}
				got.check(t, "data")
			})
		})
	}
}

// TestAtomic spoils an index of scatters that must then change nothing, and
// finds the first bad one, however they are divided.
func TestAtomic(t *testing.T) {
	for _, s := range []struct {
		name                      string
		batch, outer, size, n, in int
		elements                  bool
	}{
		{"blocks of many indices", 300, 1, 50, 70, 1, true},
		{"large blocks", 300, 1, 500, 70, 1, true},
		{"one index each", 5000, 1, 1, 1, 1, true},
		{"one index each, of thirty", 5000, 1, 30, 1, 1, true},
		{"lines", 2, 1, 40, 300, 64, true},
		{"one block", 1, 1, 100, 50000, 1, false},
		{"rows", 1, 1, 10, 2000, 33, false},
		{"many rows", 1, 1, 1000, 900, 40, false},
		{"outer blocks", 3, 5, 60, 400, 2, false},
	} {
		rng := rand.New(rand.NewPCG(11, 12))
		indices := s.batch * s.n
		if s.elements {
			indices *= s.in
		}
		good := make([]int64, indices)
		for i := range good {
			good[i] = rng.Int64N(int64(2*s.size)) - int64(s.size)
		}
		start, updates := make([]float32, s.batch*s.outer*s.size*s.in), make([]float32, s.batch*s.outer*s.n*s.in)
		for _, values := range [][]float32{start, updates} {
			for i := range values {
				values[i] = rng.Float32()
			}
		}
		for _, bad := range []int{-1, 0, indices / 3, indices - 1} {
			idx := append([]int64(nil), good...)
			if bad >= 0 {
				idx[bad] = int64(s.size)
				idx[indices-1] = int64(-s.size - 1)
			}
			var want []byte // the values of one goroutine
			for _, r := range []num.Reduction{num.Add, num.Mul, num.None} {
				want = nil
				onThreads(t, func(t *testing.T) {
					got := bytes.Clone(num.Bytes(start))
					c := newCall()
					defer c.Put()
					c.Data, c.Items, c.Idx, c.Atomic = got, num.Bytes(updates), num.Bytes(idx), true
					c.Batch, c.Outer, c.N, c.Inner, c.Span = s.batch, s.outer, s.n, s.in, s.size*s.in
					c.Axes = append(c.Axes, Axis{Size: s.size, Stride: s.in})
					if s.elements {
						c.form = byElements
					}
					place := 0
					if r == num.None {
						place = c.scatter(4)
					} else {
						place = c.reduce(num.Float32, r)
					}
					if place != bad {
						t.Errorf("%s, %v: bad index at %d, want %d", s.name, r, place, bad)
					}
					if bad >= 0 {
						want = num.Bytes(start)
					} else if want == nil {
						want = got
						if bytes.Equal(got, num.Bytes(start)) {
							t.Errorf("%s, %v: nothing happened", s.name, r)
						}
					}
					if !bytes.Equal(got, want) {
						t.Errorf("%s, %v, bad index at %d: wrong values", s.name, r, bad)
					}
				})
			}
		}
	}
}
