package kernel

import (
	"bytes"
	"fmt"
	"math/rand"
	"sync/atomic"
	"testing"

	"gorgonia.org/gather/internal/memtest"
	"gorgonia.org/gather/internal/num"
	"gorgonia.org/gather/internal/simd"
)

// block sets up a call in block form: one block of size rows, of which the
// indices address some.
func block(data, items []byte, size, inner int, idx []int64) *testCall {
	c := newCall()
	c.Data, c.Items, c.Idx = data, items, num.Bytes(idx)
	c.Batch, c.Outer, c.N, c.Inner, c.Span = 1, 1, len(idx), inner, size*inner
	c.Axes = append(c.Axes, Axis{Size: size, Stride: inner})
	return c
}

// picked are indices that name the first and the last row, some twice in a row.
func picked(rng *rand.Rand, size int) []int64 {
	idx := []int64{int64(size - 1), 0, 0, -1, int64(-size)}
	for range 15 {
		idx = append(idx, rng.Int63n(int64(size)))
	}
	rng.Shuffle(len(idx), func(i, j int) { idx[i], idx[j] = idx[j], idx[i] })
	return idx
}

// row is the row that an index names.
func row(i int64, size int) int {
	if i < 0 {
		i += int64(size)
	}
	return int(i)
}

// TestRowsStayOnTheirPages copies rows of every size between memory that cannot
// be read beyond its ends.
func TestRowsStayOnTheirPages(t *testing.T) {
	const size = 7
	eachImplementation(t, func(t *testing.T, _ *simd.Implementation, _ *atomic.Int64) {
		for _, atEnd := range []bool{false, true} {
			rng := rand.New(rand.NewSource(1))
			data, items := memtest.Paged(t, 600*size, atEnd), memtest.Paged(t, 600*20, atEnd)
			rng.Read(data)
			for n := 1; n <= 600; n++ {
				if n > 150 && n%8 > 1 {
					continue
				}
				data, items := data, items
				if atEnd {
					data, items = data[(600-n)*size:], items[(600-n)*20:]
				} else {
					data, items = data[:n*size], items[:n*20]
				}
				clear(items)
				idx := picked(rng, size)
				c := block(data, items, size, n, idx)
				bad := c.gather(1)
				c.Put()
				if bad >= 0 {
					t.Fatalf("%d bytes: bad index at %d", n, bad)
				}
				for i, v := range idx {
					if want := data[row(v, size)*n:][:n]; !bytes.Equal(items[i*n:][:n], want) {
						t.Fatalf("%d bytes: row %d is %v, want %v", n, i, items[i*n:][:n], want)
					}
				}
			}
		}
	})
}

// TestSumsStayOnTheirPages does the same for sums of rows.
func TestSumsStayOnTheirPages(t *testing.T) {
	eachImplementation(t, func(t *testing.T, _ *simd.Implementation, _ *atomic.Int64) {
		addOnPages[float32](t, num.Float32, func(rng *rand.Rand) float32 { return float32(rng.NormFloat64()) })
		addOnPages[float64](t, num.Float64, (*rand.Rand).NormFloat64)
		addOnPages[int32](t, num.Int32, func(rng *rand.Rand) int32 { return int32(rng.Uint32()) })
	})
}

func addOnPages[T num.Real](t *testing.T, kind num.Kind, draw func(*rand.Rand) T) {
	const size, most = 7, 100
	width := len(num.Bytes(make([]T, 1)))
	for _, atEnd := range []bool{false, true} {
		rng := rand.New(rand.NewSource(2))
		allData, allItems := num.As[T](memtest.Paged(t, most*size*width, atEnd)), num.As[T](memtest.Paged(t, most*20*width, atEnd))
		for n := 1; n <= most; n++ {
			data, items := allData[:n*size], allItems[:n*20]
			if atEnd {
				data, items = allData[(most-n)*size:], allItems[(most-n)*20:]
			}
			for i := range data {
				data[i] = draw(rng)
			}
			for i := range items {
				items[i] = draw(rng)
			}
			idx := picked(rng, size)
			want := append([]T(nil), data...)
			for i, v := range idx {
				for column := range n {
					want[row(v, size)*n+column] += items[i*n+column]
				}
			}
			c := block(num.Bytes(data), num.Bytes(items), size, n, idx)
			bad := c.reduce(kind, num.Add)
			c.Put()
			if bad >= 0 {
				t.Fatalf("%d elements: bad index at %d", n, bad)
			}
			for i := range want {
				if data[i] != want[i] {
					t.Fatalf("%T, %d elements: element %d is %v, want %v", data[0], n, i, data[i], want[i])
				}
			}
		}
	}
}

// TestRowsInColumns cuts long rows into columns for several goroutines.
func TestRowsInColumns(t *testing.T) {
	const size, inner = 5, 3001
	rng := rand.New(rand.NewSource(3))
	idx := make([]int64, 100)
	for i := range idx {
		idx[i] = rng.Int63n(size)
	}
	items := make([]float32, len(idx)*inner)
	for i := range items {
		items[i] = float32(rng.NormFloat64())
	}
	want := make([]float32, size*inner)
	for i, v := range idx {
		for column := range inner {
			want[int(v)*inner+column] += items[i*inner+column]
		}
	}
	eachImplementation(t, func(t *testing.T, _ *simd.Implementation, _ *atomic.Int64) {
		onThreads(t, func(t *testing.T) {
			data := make([]float32, size*inner)
			c := block(num.Bytes(data), num.Bytes(items), size, inner, idx)
			c.reduce(num.Float32, num.Add)
			c.Put()
			for i := range want {
				if data[i] != want[i] {
					t.Fatalf("element %d is %v, want %v", i, data[i], want[i])
				}
			}
		})
	})
}

// TestMoreTuplesThanTheBuffer has more index tuples than are turned into
// offsets at a time, with a bad one at each place around the seam.
func TestMoreTuplesThanTheBuffer(t *testing.T) {
	const size, inner, n = 6, 40, 1100
	data := make([]byte, size*inner)
	for i := range data {
		data[i] = byte(i + 1)
	}
	eachImplementation(t, func(t *testing.T, _ *simd.Implementation, _ *atomic.Int64) {
		for _, outer := range []int{1, 3} {
			for _, inner := range []int{1, 40} {
				for _, wrong := range []int{-1, 0, 1, 510, 511, 512, 513, 1023, 1024, 1025, n - 1} {
					memtest.Case(t, fmt.Sprintf("%d blocks, rows of %d, bad at %d", outer, inner, wrong), func(t *testing.T) {
						idx := make([]int64, n)
						for i := range idx {
							idx[i] = int64(i % 6)
						}
						if wrong >= 0 {
							idx[wrong] = 6
						}
						for _, fill := range []bool{false, true} {
							many := bytes.Repeat(data[:size*inner], outer)
							items := bytes.Repeat([]byte{255}, outer*n*inner)
							c := block(many, items, size, inner, idx)
							c.Outer, c.SkipBad = outer, fill
							bad := c.gather(1)
							c.Put()
							if !fill {
								if bad != wrong {
									t.Errorf("bad index at %d, want %d", bad, wrong)
								}
								continue
							}
							for p := range outer * n {
								want := bytes.Repeat([]byte{0}, inner)
								if t := p % n; t != wrong {
									want = data[t%6*inner:][:inner]
								}
								if !bytes.Equal(items[p*inner:][:inner], want) {
									t.Fatalf("position %d is %v, want %v", p, items[p*inner:][:inner], want)
								}
							}
						}
					})
				}
			}
		}
	})
}
