package bag

import (
	"fmt"
	"slices"
	"testing"

	"gorgonia.org/gather/internal/memtest"
	"gorgonia.org/gather/internal/num"
	"gorgonia.org/gather/internal/simd"
	"gorgonia.org/gather/internal/turns"
)

// TestGradientOfMeanOfOne gives every position a bag of its own, in rows of many lengths:
// as many rows are divided as there are positions.
func TestGradientOfMeanOfOne(t *testing.T) {
	gradientOfMeanOfOne[float32](t, num.Float32)
	gradientOfMeanOfOne[float64](t, num.Float64)
}

func gradientOfMeanOfOne[T float32 | float64](t *testing.T, kind num.Kind) {
	const n = 1000
	for i, bytes := range []int{256, 1024, 2048, 4096, 8192, 12288} {
		if !turns.Case(2, i+kind.Width()/8) {
			continue
		}
		inner := bytes / kind.Width()
		grad, idx, dst, wanted := make([]T, n*inner), make([]int64, n), make([]T, n*inner), make([]T, n*inner)
		for p := range idx {
			idx[p] = int64(p * 7 % n)
			for i := range inner {
				grad[p*inner+i] = T(p*inner + i)
			}
			copy(wanted[int(idx[p])*inner:][:inner], grad[p*inner:])
		}
		d := Description{Kind: kind, Reduction: num.Mean, Rows: n, Inner: inner, Idx: num.Bytes(idx), Borders: Borders{Bags: n, PerBag: 1}, Default: -1}
		memtest.OnThreads(t, func(t *testing.T) {
			for _, impl := range simd.Implementations {
				clear(dst)
				restore := simd.Use(impl)
				bad := d.AddGradient(num.Bytes(dst), num.Bytes(grad))
				restore()
				if bad >= 0 {
					t.Fatalf("the index at %d is bad", bad)
				}
				if slices.Equal(dst, wanted) {
					continue
				}
				name := fmt.Sprintf("%s: kind %d, rows of %d bytes", impl.Name, kind, bytes)
				for i, want := range wanted {
					if got := dst[i]; got != want {
						t.Fatalf("%s: row %d, column %d is %v, want %v", name, i/inner, i%inner, got, want)
					}
				}
			}
		})
	}
}
