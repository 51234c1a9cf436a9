package kernel

import (
	"bytes"
	"math"
	"math/rand/v2"
	"sync/atomic"
	"testing"

	"gorgonia.org/gather/internal/num"
	"gorgonia.org/gather/internal/simd"
)

// TestAddRows sums rows of floats of every length, with many duplicates, and
// demands the same bits of every implementation: those of a loop written here.
func TestAddRows(t *testing.T) {
	addRows(t, num.Float32, func(rng *rand.Rand) float32 { return float32(rng.NormFloat64()) })
	addRows(t, num.Float64, func(rng *rand.Rand) float64 { return rng.NormFloat64() })
}

func addRows[T float32 | float64](t *testing.T, kind num.Kind, draw func(*rand.Rand) T) {
	const rows = 11
	eachImplementation(t, func(t *testing.T, impl *simd.Implementation, calls *atomic.Int64) {
		rng := rand.New(rand.NewPCG(3, 4))
		for inner := 2; inner <= 80; inner++ {
			n := 1 + rng.IntN(100)
			if inner%20 == 0 {
				n = 2*simd.OffsetsAtOnce + 3
			}
			calls.Store(0)
			size := len(num.Bytes([]T{0}))
			data, items := newGuarded(rows*inner*size, 4*(inner%3)), newGuarded(n*inner*size, 4*(inner%2))
			for _, mem := range [][]byte{data.mem, items.mem} {
				for i := range num.As[T](mem) {
					num.As[T](mem)[i] = draw(rng)
				}
			}
			want := append([]T(nil), num.As[T](data.mem)...)
			idx := make([]int64, n)
			for i := range idx {
				idx[i] = int64(rng.IntN(rows))
				for c, u := range num.As[T](items.mem)[i*inner:][:inner] {
					want[int(idx[i])*inner+c] += u
				}
			}
			c := newCall()
			c.Data, c.Items, c.Idx = data.mem, items.mem, num.Bytes(idx)
			c.Batch, c.Outer, c.N, c.Inner, c.Span = 1, 1, n, inner, rows*inner
			c.Axes = append(c.Axes, Axis{Size: rows, Stride: inner})
			if bad := c.reduce(kind, num.Add); bad >= 0 {
				t.Fatalf("index %d is bad", bad)
			}
			c.Put()
			if !bytes.Equal(data.mem, num.Bytes(want)) {
				t.Fatalf("%d columns: got %v, want %v", inner, num.As[T](data.mem), want)
			}
			data.check(t, "data")
			items.check(t, "items")
			if calls.Load() == 0 {
				t.Fatal("the implementation's own loop was not used")
			}
		}
	})
}

// TestOffsets turns tuples of one to five components into offsets, and finds
// the first bad component wherever it is.
func TestOffsets(t *testing.T) {
	sizes, strides := []int{3, 4, 5, 6, 7}, []int{840, 210, 42, 7, 1}
	for k := 1; k <= len(sizes); k++ {
		c := newCall()
		for i := range k {
			c.Axes = append(c.Axes, Axis{Size: sizes[i], Stride: strides[i]})
		}
		const tuples = 9
		idx := make([]int64, tuples*k)
		want := make([]int64, tuples)
		for t := range tuples {
			for i := range k {
				j := (5*t + 3*i) % (2 * sizes[i])
				want[t] += int64(j % sizes[i] * strides[i])
				idx[t*k+i] = int64(j % sizes[i])
				if j >= sizes[i] { // the same place, from the end
					idx[t*k+i] -= int64(sizes[i])
				}
			}
		}
		got := make([]int64, tuples)
		if n, _ := offsets(c.Call, got, idx, 1, 0, 0); n != tuples {
			t.Fatalf("k = %d: only %d tuples of %v are good", k, n, idx)
		}
		for i := range want {
			if got[i] != want[i] {
				t.Fatalf("k = %d: offsets %v, want %v", k, got, want)
			}
		}
		for place := range idx {
			for _, v := range []int64{int64(sizes[place%k]), int64(-sizes[place%k] - 1), math.MinInt64, math.MaxInt64, 1 << 32} {
				spoiled := append([]int64(nil), idx...)
				spoiled[place] = v
				if n, bad := offsets(c.Call, got, spoiled, 1, 0, 0); n*k+bad != place {
					t.Errorf("k = %d: %d at %d is found at %d", k, v, place, n*k+bad)
				}
			}
		}
		c.Put()
	}
}
