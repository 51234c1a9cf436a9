package bag

import (
	"gorgonia.org/gather/internal/num"
	"gorgonia.org/gather/internal/simd"
)

// Bags of the kinds for which there is no assembly: integers, complex numbers and
// 16-bit floats, row by row in Go.

// rowArithmetic is what bags need of a kind: it works on rows of equal length.
type rowArithmetic[T any] struct {
	add    func(sum, row []T)
	scaled func(sum, row []T, scale T)
	most   func(most, row []T)       // nil for complex numbers
	divide func(to, from []T, n int) // nil for integers, whose mean is made otherwise
	conj   func(x T) T
}

func init() {
	for _, r := range []num.Reduction{num.Add, num.Mean, num.Max} {
		reducers[num.Float32][r], reducers[num.Float64][r] = reduceFloats[float32], reduceFloats[float64]
		gradientAdders[num.Float32][r], gradientAdders[num.Float64][r] = addFloats[float32], addFloats[float64]
	}
	dots[num.Float32], dots[num.Float64] = dotFloats[float32], dotFloats[float64]
	gradientAdders[num.Float32][num.Max], gradientAdders[num.Float64][num.Max] = addTiesOfFloats[float32], addTiesOfFloats[float64]
	registerInts[int8](num.Int8)
	registerInts[int16](num.Int16)
	registerInts[int32](num.Int32)
	registerInts[int64](num.Int64)
	registerInts[uint8](num.Uint8)
	registerInts[uint16](num.Uint16)
	registerInts[uint32](num.Uint32)
	registerInts[uint64](num.Uint64)
	registerHalves(num.Float16, num.Float16To32, num.Float16From32)
	registerHalves(num.BFloat16, num.BFloat16To32, num.BFloat16From32)
	register(num.Complex64, complexArithmetic(func(n int) complex64 { return complex(float32(n), 0) },
		func(x complex64) complex64 { return complex(real(x), -imag(x)) }))
	register(num.Complex128, complexArithmetic(func(n int) complex128 { return complex(float64(n), 0) },
		func(x complex128) complex128 { return complex(real(x), -imag(x)) }))
}

func register[T any](kind num.Kind, a rowArithmetic[T]) {
	reduces, gradients := &reducers[kind], &gradientAdders[kind]
	reduces[num.Add] = func(r *reduction, bags, columns interval) int { return reduceRowsOf(r, bags, columns, a) }
	gradients[num.Add] = func(r *adjoint, _ int, columns interval) int { return addRowsOf(r, columns, a) }
	dots[kind] = func(r *weightsGradient, lo, hi int) int { return dotRowsOf(r, lo, hi, a) }
	if a.divide != nil {
		reduces[num.Mean], gradients[num.Mean] = reduces[num.Add], gradients[num.Add]
	}
	if a.most != nil {
		reduces[num.Max] = reduces[num.Add]
	}
}

func registerHalves(kind num.Kind, to func(uint16) float32, from func(float32) uint16) {
	a := halfArithmetic(to, from)
	register(kind, a)
	registerTies(kind, halfTies(to, from), a.add)
}

func registerTies[T any](kind num.Kind, rows tieRows[T], add func(sum, row []T)) {
	gradientAdders[kind][num.Max] = func(r *adjoint, _ int, columns interval) int { return addTies(r, columns, rows, add) }
}

type integer interface {
	int8 | int16 | int32 | int64 | uint8 | uint16 | uint32 | uint64
}

func registerInts[T integer](kind num.Kind) {
	register(kind, rowArithmetic[T]{
		add:    addNumbers[T],
		scaled: addScaledNumbers[T],
		most: func(most, row []T) {
			for i, x := range row {
				most[i] = max(most[i], x)
			}
		},
		conj: itself[T],
	})
	reducers[kind][num.Mean] = meanIntegers[T]
}

func addNumbers[T integer | complex64 | complex128](sum, row []T) {
	for i, x := range row {
		sum[i] += x
	}
}

func addScaledNumbers[T integer | complex64 | complex128](sum, row []T, scale T) {
	for i, x := range row {
		sum[i] += scale * x
	}
}

func complexArithmetic[T complex64 | complex128](number func(n int) T, conj func(x T) T) rowArithmetic[T] {
	return rowArithmetic[T]{
		add:    addNumbers[T],
		scaled: addScaledNumbers[T],
		divide: func(to, from []T, n int) {
			for i, x := range from {
				to[i] = x / number(n)
			}
		},
		conj: conj,
	}
}

// halfArithmetic rounds after each step.
func halfArithmetic(to func(uint16) float32, from func(float32) uint16) rowArithmetic[uint16] {
	return rowArithmetic[uint16]{
		add: func(sum, row []uint16) {
			for i, x := range row {
				sum[i] = from(to(sum[i]) + to(x))
			}
		},
		scaled: func(sum, row []uint16, scale uint16) {
			by := to(scale)
			for i, x := range row {
				sum[i] = from(to(sum[i]) + to(from(by*to(x))))
			}
		},
		most: func(most, row []uint16) {
			for i, x := range row {
				most[i] = from(simd.Greater(to(most[i]), to(x)))
			}
		},
		divide: func(out, row []uint16, n int) {
			for i, x := range row {
				out[i] = from(to(x) / float32(n))
			}
		},
		conj: itself[uint16],
	}
}

// reduceRowsOf reduces some columns of some bags.
func reduceRowsOf[T any](r *reduction, bags, columns interval, a rowArithmetic[T]) int {
	weights := num.As[T](r.Weights)
	p := r.First(bags.lo, r.n)
	for bag := bags.lo; bag < bags.hi; bag++ {
		out := num.As[T](r.out[bag*r.row:][columns.lo:columns.hi])
		clear(out)
		count := 0
		for end := r.End(bag, p, r.n); p < end; p++ {
			j, ok := r.rowAt(p)
			if !ok {
				if !r.Fill {
					return p
				}
				continue
			}
			row := num.As[T](r.Table[j*r.row:][columns.lo:columns.hi])
			switch {
			case r.Reduction == num.Max && count == 0:
				copy(out, row)
			case r.Reduction == num.Max:
				a.most(out, row)
			case weights != nil:
				a.scaled(out, row, weights[p])
			default:
				a.add(out, row)
			}
			count++
		}
		switch {
		case count == 0:
			r.fillEmpty(r.out[bag*r.row+columns.lo:], columns)
		case r.Reduction == num.Mean:
			a.divide(out, out, count)
		}
	}
	return -1
}

// blockColumns is how many columns are divided at a time.
const blockColumns = 256

// addRowsOf adds some columns of the gradient of Add or Mean, row by row.
func addRowsOf[T any](r *adjoint, columns interval, a rowArithmetic[T]) int {
	buf := buffers.Get().(*buffer)
	defer buffers.Put(buf)
	if need := blockColumns * r.width; len(buf.scratch) < need {
		buf.scratch = make([]byte, need)
	}
	dst, grad, weights := num.As[T](r.dst), num.As[T](r.grad), num.As[T](r.Weights)
	p := r.First(0, r.n)
	for bag := range r.Bags {
		start, end := p, r.End(bag, p, r.n)
		count := r.count(start, end)
		for lo := columns.lo / r.width; lo < columns.hi/r.width; lo += blockColumns {
			hi := min(lo+blockColumns, columns.hi/r.width)
			g := grad[bag*r.Inner:][lo:hi]
			if count == 0 && r.Default >= 0 {
				a.add(dst[r.Default*r.Inner:][lo:hi], g)
			}
			if count > 0 && r.Reduction == num.Mean {
				part := num.As[T](buf.scratch)[:hi-lo]
				a.divide(part, g, count)
				g = part
			}
			for p = start; p < end; p++ {
				j, ok := r.rowAt(p)
				switch {
				case !ok && !r.Fill:
					return p
				case !ok:
				case weights != nil:
					a.scaled(dst[j*r.Inner:][lo:hi], g, a.conj(weights[p]))
				default:
					a.add(dst[j*r.Inner:][lo:hi], g)
				}
			}
		}
		p = end
	}
	return -1
}

func itself[T any](x T) T { return x }
