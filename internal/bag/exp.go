package bag

import (
	"math"
	"unsafe"

	"gorgonia.org/gather/internal/simd"
)

// exp32 is e**x of a difference of float32 that is not above 0, or NaN, and a float32 of
// it is within 1 ulp. It takes a fraction of the time of math.Exp, which is exact to 53 bits,
// and is inlined. Each processor gives the same bits: a product that is converted is not
// fused with the sum that it is in.
func exp32(x float64) float64 {
	const (
		unit = math.Ln2 / 256
		// A sum with shift is rounded to an integer, in the low bits of the mantissa.
		shift = 3 << 51
	)
	if x < -200 { // of which a float32 is 0
		x = -200
	}
	x = float64(x * (1 / unit))
	shifted := x + shift
	k := math.Float64bits(shifted)
	r := x - (shifted - shift)
	// |r| ≤ 1/2, where these terms of the series miss 2**(r/256) by a 10⁹th.
	p := 1 + float64(r*(unit+float64(r*(unit*unit/2))))
	return float64(p * math.Float64frombits(powers[k%256]+k<<44))
}

// powers are the bits of 2**(i/256), without i<<44: k/256 is added to the exponent by
// adding k<<44. They are products of square roots, which each processor rounds alike.
var powers = func() (bits [256]uint64) {
	for i := range bits {
		power, root := 1., 2.
		for bit := 128; bit > 0; bit /= 2 {
			root = math.Sqrt(root)
			if i&bit != 0 {
				power *= root
			}
		}
		bits[i] = math.Float64bits(power) - uint64(i)<<44
	}
	return bits
}()

// Exps writes exp(x - most) of rows of len(most) columns to out, and adds them to sum, each
// column for itself. No element is above the most of its column, unless it is NaN.
func Exps[T Float](out, x []T, most, sum []float64) {
	n, inVectors := len(most), 0
	if simd.Active().Exps != nil && unsafe.Sizeof(x[0]) == 4 {
		inVectors = n &^ 3
	}
	for from := 0; from < inVectors; from += elementsAtOnce {
		columns := min(inVectors-from, elementsAtOnce)
		rows := elementsAtOnce / columns
		for at := 0; at < len(x); at += rows * n {
			to, of := (*float32)(unsafe.Pointer(&out[at+from])), (*float32)(unsafe.Pointer(&x[at+from]))
			expsInVectors(to, of, &most[from], &sum[from], min(rows, (len(x)-at)/n), columns, n)
		}
	}
	block := max(1, grain/n) * n // stays in the near caches
	for at := 0; at < len(x) && inVectors < n; at += block {
		end := min(at+block, len(x))
		for c := inVectors; c < n; c++ {
			sum[c] = exps(out[at:end], x[at:end], c, n, most[c], sum[c])
		}
	}
}

// elementsAtOnce is how many elements one call into assembly takes: Go does not interrupt it.
const elementsAtOnce = simd.RowBytesAtOnce / 4

//go:noinline
func expsInVectors(out, x *float32, most, sum *float64, rows, columns, step int) {
	simd.Active().Exps(out, x, most, sum, &powers[0], rows, columns, step)
}

// exps is Exps of one column, in Go. It returns the sum.
func exps[T Float](out, x []T, column, n int, most, sum float64) float64 {
	out = out[:len(x)]
	if unsafe.Sizeof(most) != unsafe.Sizeof(x[0]) {
		for i := uint(column); i < uint(len(x)); i += uint(n) {
			e := exp32(float64(x[i]) - most)
			sum += e
			out[i] = T(e)
		}
		return sum
	}
	for i := uint(column); i < uint(len(x)); i += uint(n) {
		e := math.Exp(float64(x[i]) - most)
		sum += e
		out[i] = T(e)
	}
	return sum
}
