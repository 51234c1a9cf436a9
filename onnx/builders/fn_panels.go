package builders

import (
	"unsafe"

	"gorgonia.org/gather/internal/par"
)

// Gonum's product of matrices works on blocks of 64 by 64, so that its additions of
// vectors are short. One by whole rows takes about half as long.

// fewestColumns is from how many columns of the result on that is so.
const fewestColumns = 64

// panelBytes is a part of the second operand that stays in a cache near the processor.
const panelBytes = 96 << 10

// panelGrain is how many multiplications are worth a goroutine.
const panelGrain = 1 << 18

// axpy adds a times x to y, n elements of each. Its signature is that of BLAS.
type axpy[T float] func(n int, a T, x []T, stepX int, y []T, stepY int)

// panels adds the product of two matrices to c, row by row, out of as many rows of b
// at a time as a cache keeps for the next row. It leaves out what a zero of a is
// multiplied by, which must be finite.
func panels[T float](f product, s multiplication, c, a, b []T, plus axpy[T]) {
	row, column := s.k, 1
	if f.transposeA {
		row, column = 1, s.m
	}
	if f.transposeB {
		b = transposed(b, s.n, s.k)
	}
	high := max(8, panelBytes/(s.n*int(unsafe.Sizeof(b[0]))))
	par.Each(s.m, s.m*s.k*s.n/panelGrain, func(lo, hi int) {
		for start := 0; start < s.k; start += high {
			end := min(start+high, s.k)
			for i := lo; i < hi; i++ {
				sum := c[i*s.n : (i+1)*s.n]
				for l := start; l < end; l++ {
					plus(s.n, a[i*row+l*column], b[l*s.n:(l+1)*s.n], 1, sum, 1)
				}
			}
		}
	})
}

// transposed is a matrix of m rows and n columns with its axes exchanged.
func transposed[T float](x []T, m, n int) []T {
	y := make([]T, len(x))
	for i := range m {
		for j, v := range x[i*n : (i+1)*n] {
			y[j*m+i] = v
		}
	}
	return y
}
