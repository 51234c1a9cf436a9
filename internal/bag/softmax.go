package bag

import (
	"sort"
	"sync"
	"unsafe"

	"gorgonia.org/gather/internal/num"
	"gorgonia.org/gather/internal/par"
	"gorgonia.org/gather/internal/simd"
)

// The softmax of segments and its derivatives. Most of the time goes into exponential
// functions: those of rows of float32 are in assembly, in package simd.

// Float are the elements that have exponential functions.
type Float interface{ float32 | float64 }

// Rows are the segments of rows of Columns numbers, each of which is worked on for
// itself: where each segment begins, in ascending order, and behind the last one where
// that ends. What is before the first and behind the end is in none.
type Rows struct {
	Starts  []int
	Columns int
}

// grain is how many elements a goroutine has at least.
const grain = 4096

// each calls do for each segment, with the elements of it and with two sums for each
// column, from several goroutines. A segment is one goroutine's.
func (r Rows) each(do func(lo, hi int, a, b []float64)) {
	last := len(r.Starts) - 1
	if last < 1 || r.Columns == 0 {
		return
	}
	first := r.Starts[0]
	par.Each(r.Starts[last]-first, (r.Starts[last]-first)*r.Columns/grain, func(lo, hi int) {
		memory := sums.Get().(*[]float64)
		defer sums.Put(memory)
		*memory = num.Resize(*memory, 2*r.Columns)
		a, b := (*memory)[:r.Columns], (*memory)[r.Columns:2*r.Columns]
		for s := sort.SearchInts(r.Starts, first+lo); s < last && r.Starts[s] < first+hi; s++ {
			do(r.Starts[s]*r.Columns, r.Starts[s+1]*r.Columns, a, b)
		}
	})
}

// sums is memory for sums of columns, of earlier calls.
var sums = sync.Pool{New: func() any { return new([]float64) }}

// Softmax writes exp(x) of each element over the sum of those of its segment and
// column, with the greatest of them subtracted before.
func Softmax[T Float](out, x []T, r Rows) {
	r.each(func(lo, hi int, most, sum []float64) {
		out, x := out[lo:hi], x[lo:hi]
		if len(most) == 1 {
			scale(out, 1/exps(out, x, 0, 1, Greatest(x), 0))
			return
		}
		n := len(most)
		greatestOfColumns(most, x, sum)
		clear(sum)
		Exps(out, x, most, sum)
		for c := range sum {
			sum[c] = 1 / sum[c]
		}
		for row := out; len(row) > 0; row = row[n:] {
			for c, e := range row[:len(sum)] {
				row[c] = T(float64(e) * sum[c])
			}
		}
	})
}

// greatestOfColumns writes the greatest of each column to most, or NaN. It overwrites memory.
func greatestOfColumns[T Float](most []float64, x []T, memory []float64) {
	n := len(most)
	m := unsafe.Slice((*T)(unsafe.Pointer(unsafe.SliceData(memory))), n)
	copy(m, x)
	kind, row := num.Float64, n*int(unsafe.Sizeof(x[0]))
	if row == 4*n {
		kind = num.Float32
	}
	rows := simd.Active().Combine[kind][num.Max].Rows
	for at := n; at < len(x); at += simd.OffsetsAtOnce * n {
		rows.Run(num.Pointer(num.Bytes(m)), num.Pointer(num.Bytes(x[at:])), &simd.ZeroOffsets[0], &simd.Iota[0], min(simd.OffsetsAtOnce, (len(x)-at)/n), row, row, 0)
	}
	for c, v := range m {
		most[c] = float64(v)
	}
}

// Greatest is the greatest element, and NaN if the first one is: so are the softmax and the loss
// then.
func Greatest[T Float](x []T) float64 {
	most := x[0]
	for _, v := range x[1:] {
		if v > most {
			most = v
		}
	}
	return float64(most)
}

func scale[T Float](x []T, by float64) {
	for i, v := range x {
		x[i] = T(float64(v) * by)
	}
}

// Gradient writes that of x, given that of the softmax y of x:
//
//	y·(g - Σ g·y)
//
// It is its own adjoint.
func Gradient[T Float](out, g, y []T, r Rows) {
	r.each(func(lo, hi int, sum, _ []float64) {
		out, g, y := out[lo:hi], g[lo:hi], y[lo:hi]
		dots(sum, g, y)
		for n := len(sum); len(out) > 0; out, g, y = out[n:], g[n:], y[n:] {
			for c, s := range sum {
				out[c] = T(float64(y[c]) * (float64(g[c]) - s))
			}
		}
	})
}

// Second writes the gradient of y in the inner product of h and Gradient:
//
//	h·(g - Σ g·y) - g·Σ h·y
func Second[T Float](out, h, g, y []T, r Rows) {
	r.each(func(lo, hi int, ofG, ofH []float64) {
		out, h, g, y := out[lo:hi], h[lo:hi], g[lo:hi], y[lo:hi]
		dots(ofG, g, y)
		dots(ofH, h, y)
		for n := len(ofG); len(out) > 0; out, h, g = out[n:], h[n:], g[n:] {
			for c := range ofG {
				out[c] = T(float64(h[c])*(float64(g[c])-ofG[c]) - float64(g[c])*ofH[c])
			}
		}
	})
}

// dots are the inner products of columns.
func dots[T Float](sum []float64, a, b []T) {
	clear(sum)
	for n := len(sum); len(a) > 0; a, b = a[n:], b[n:] {
		for c := range sum {
			sum[c] += float64(a[c]) * float64(b[c])
		}
	}
}
