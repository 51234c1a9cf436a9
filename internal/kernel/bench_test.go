package kernel

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"gorgonia.org/gather/internal/num"
	"gorgonia.org/gather/internal/simd"
)

// BenchmarkKernel runs every implementation on sixteen index sets in rotation:
// with one set the rows it reads would stay in the cache.
func BenchmarkKernel(b *testing.B) {
	const width = 4
	for _, bench := range []struct {
		name             string
		batch, outer     int
		size, n, inner   int
		elements, reduce bool
	}{
		{name: "rows of 64", batch: 1, outer: 1, size: 1 << 22, n: 1 << 17, inner: 16},
		{name: "rows of 256", batch: 1, outer: 1, size: 1 << 20, n: 1 << 16, inner: 64},
		{name: "rows of 1536", batch: 1, outer: 1, size: 1 << 17, n: 1 << 14, inner: 384},
		{name: "rows of 512, in cache", batch: 1, outer: 1, size: 1 << 12, n: 1 << 12, inner: 128},
		{name: "rows of 16", batch: 1, outer: 1, size: 100000, n: 1 << 18, inner: 4},
		{name: "scalars", batch: 1, outer: 1, size: 100000, n: 1 << 20, inner: 1},
		{name: "last axis", batch: 1, outer: 1024, size: 1024, n: 512, inner: 1},
		{name: "elements, last axis", batch: 1024, outer: 1, size: 1024, n: 1024, inner: 1, elements: true},
		{name: "elements, axis 0", batch: 1, outer: 1, size: 1024, n: 1024, inner: 1024, elements: true},
		{name: "elements, one of 32000", batch: 4096, outer: 1, size: 32000, n: 1, inner: 1, elements: true},
		{name: "elements, 8 of 32000", batch: 1024, outer: 1, size: 32000, n: 8, inner: 1, elements: true},
		{name: "last axis, 16 of 32000", batch: 1, outer: 1024, size: 32000, n: 16, inner: 1},
		{name: "add elements, 8 of 32000", batch: 1024, outer: 1, size: 32000, n: 8, inner: 1, elements: true, reduce: true},
		{name: "add rows of 512", batch: 1, outer: 1, size: 50000, n: 4096, inner: 128, reduce: true},
		{name: "add elements, last axis", batch: 1024, outer: 1, size: 1024, n: 1024, inner: 1, elements: true, reduce: true},
		{name: "add elements, axis 0", batch: 1, outer: 1, size: 1024, n: 1024, inner: 1024, elements: true, reduce: true},
	} {
		data := make([]float32, bench.batch*bench.outer*bench.size*bench.inner)
		items := make([]float32, bench.batch*bench.outer*bench.n*bench.inner)
		indices := bench.batch * bench.n
		if bench.elements {
			indices *= bench.inner
		}
		rng := rand.New(rand.NewPCG(1, 2))
		var sets [16][]int64
		for s := range sets {
			sets[s] = make([]int64, indices)
			for i := range sets[s] {
				sets[s][i] = rng.Int64N(int64(bench.size))
			}
		}
		for i := range data {
			data[i] = float32(i)
		}
		for _, impl := range simd.Implementations {
			b.Run(fmt.Sprintf("%s/impl=%s", bench.name, impl.Name), func(b *testing.B) {
				defer simd.Use(impl)()
				b.SetBytes(int64(width * len(items)))
				b.ReportAllocs()
				for i := range b.N {
					c := newCall()
					c.Data, c.Items, c.Idx = num.Bytes(data), num.Bytes(items), num.Bytes(sets[i%len(sets)])
					c.Batch, c.Outer, c.N, c.Inner = bench.batch, bench.outer, bench.n, bench.inner
					c.Span = bench.size * bench.inner
					c.Axes = append(c.Axes, Axis{Size: bench.size, Stride: bench.inner})
					if bench.elements {
						c.form = byElements
					}
					bad := 0
					if bench.reduce {
						bad = c.reduce(num.Float32, num.Add)
					} else {
						bad = c.gather(width)
					}
					c.Put()
					if bad >= 0 {
						b.Fatal(bad)
					}
				}
			})
		}
	}
}

// BenchmarkElements gathers elements of every width by indices of both kinds, along
// the last and the first axis.
func BenchmarkElements(b *testing.B) {
	const size = 1024
	rng := rand.New(rand.NewPCG(3, 4))
	idx64 := make([]int64, size*size)
	idx32 := make([]int32, size*size)
	for i := range idx64 {
		idx64[i] = rng.Int64N(size)
		idx32[i] = int32(idx64[i])
	}
	for _, axis := range []int{1, 0} {
		for _, width := range []int{1, 2, 4, 8} {
			for _, bits := range []int{32, 64} {
				for _, impl := range simd.Implementations {
					b.Run(fmt.Sprintf("axis=%d/width=%d/index=%d/impl=%s", axis, width, bits, impl.Name), func(b *testing.B) {
						defer simd.Use(impl)()
						data, items := make([]byte, size*size*width), make([]byte, size*size*width)
						b.ResetTimer()
						for range b.N {
							c := newCall()
							c.form = byElements
							c.Data, c.Items, c.Idx = data, items, num.Bytes(idx64)
							if bits == 32 {
								c.Idx, c.Idx32 = num.Bytes(idx32), true
							}
							c.Batch, c.Outer, c.N, c.Inner, c.Span = size, 1, size, 1, size
							if axis == 0 {
								c.Batch, c.Inner, c.Span = 1, size, size*size
							}
							c.Axes = append(c.Axes, Axis{Size: size, Stride: c.Inner})
							if bad := c.gather(width); bad >= 0 {
								b.Fatal(bad)
							}
							c.Put()
						}
					})
				}
			}
		}
	}
}
