package kernel

import "gorgonia.org/gather/internal/num"

// Gradients are the loops of a scatter's derivatives, for elements of one kind.
// All memory is packed; targets gives the place in data of each update, in
// row-major order of the updates. The loops run in one goroutine.
type Gradients interface {
	// Last gives a target's gradient to its last writer, and 0 to the others:
	//
	//	out[p] = grad[targets[p]] if no q > p has the same target, else 0
	Last(out, grad []byte, targets []int)
	// Negate is out[p] = 0 - out[p].
	Negate(out []byte)
	// Conjugate is out[p] = conj(out[p]).
	Conjugate(out []byte)
	// Divide is out[j] /= counts[j], where counts[j] is not 0.
	Divide(out []byte, counts []int)
	// Share is out[p] = grad[t] / counts[t], where t = targets[p].
	Share(out, grad []byte, targets, counts []int)

	// CountTies counts the terms that equal the result, data among them if init
	// is set.
	CountTies(t *Ties, init bool)
	// DivideTied is out[j] /= counts[j] where data equals the result, else 0.
	DivideTied(out []byte, t Ties)
	// ShareTied is out[p] = grad[t] / counts[t] where the update equals the
	// result at its target t, else 0.
	ShareTied(out, grad []byte, t Ties)

	// Others is, for each update, the gradient of its target by the conjugate of
	// all factors but the update.
	Others(out, grad []byte, p Product)
	// Tangent is the change of the products for a change of the updates.
	Tangent(out, change []byte, p Product)
	// OtherTwo is, for each update, the gradient of its target by the conjugate
	// of the change of the product of all factors but the update.
	OtherTwo(out, change, grad []byte, p Product)
	// Scale is out[t] = a[t] * conj(b[t]) where t is a target, else 0.
	Scale(out, a, b []byte, targets []int)
}

// Ties says which terms of a least or greatest value equal it. NaN equals NaN:
// it is the result wherever it is a term.
type Ties struct {
	Result, Data, Updates []byte
	Targets               []int
	counts                []int // for each element of the result
}

// GradientsOf is the gradients of a kind, or nil if it has none.
func GradientsOf(kind num.Kind) Gradients { return gradients[kind] }

var gradients = [num.Kinds]Gradients{
	num.Float16:  halves(float16To32, float16From32),
	num.BFloat16: halves(bfloat16To32, bfloat16From32),
	num.Float32: field[float32]{
		one: 1, add: combine[add, float32], sub: combine[sub, float32], mul: combine[mul, float32],
		divide: func(a float32, n int) float32 { return a / float32(n) },
		conj:   itself[float32], same: sameReal[float32],
	},
	num.Float64: field[float64]{
		one: 1, add: combine[add, float64], sub: combine[sub, float64], mul: combine[mul, float64],
		divide: func(a float64, n int) float64 { return a / float64(n) },
		conj:   itself[float64], same: sameReal[float64],
	},
	num.Complex64: field[complex64]{
		one:    1,
		add:    func(a, b complex64) complex64 { return a + b },
		sub:    func(a, b complex64) complex64 { return a - b },
		mul:    func(a, b complex64) complex64 { return a * b },
		divide: func(a complex64, n int) complex64 { return a / complex(float32(n), 0) },
		conj:   func(a complex64) complex64 { return complex(real(a), -imag(a)) },
	},
	num.Complex128: field[complex128]{
		one:    1,
		add:    func(a, b complex128) complex128 { return a + b },
		sub:    func(a, b complex128) complex128 { return a - b },
		mul:    func(a, b complex128) complex128 { return a * b },
		divide: func(a complex128, n int) complex128 { return a / complex(float64(n), 0) },
		conj:   func(a complex128) complex128 { return complex(real(a), -imag(a)) },
	},
}

// field is the arithmetic that gradients need. Complex numbers have no order,
// hence no ties, and need no same.
type field[T any] struct {
	one           T
	add, sub, mul func(a, b T) T
	divide        func(a T, n int) T
	conj          func(a T) T
	same          func(a, b T) bool
}

// halves is the arithmetic of a 16-bit float, given by its conversions.
func halves(to func(uint16) float32, from func(float32) uint16) field[uint16] {
	return field[uint16]{
		one:    from(1),
		add:    inFloat32(to, from, combine[add, float32]),
		sub:    inFloat32(to, from, combine[sub, float32]),
		mul:    inFloat32(to, from, combine[mul, float32]),
		divide: func(a uint16, n int) uint16 { return from(to(a) / float32(n)) },
		conj:   itself[uint16],
		same:   func(a, b uint16) bool { return sameReal(to(a), to(b)) },
	}
}

func itself[T any](a T) T { return a }

func sameReal[T float32 | float64](a, b T) bool { return a == b || a != a && b != b }

func (f field[T]) Last(out, grad []byte, targets []int) {
	o, g := num.As[T](out), num.As[T](grad)
	taken := make([]bool, len(g))
	for p := len(targets) - 1; p >= 0; p-- {
		t := targets[p]
		if taken[t] {
			var zero T
			o[p] = zero
			continue
		}
		o[p], taken[t] = g[t], true
	}
}

func (f field[T]) Negate(out []byte) {
	var zero T
	o := num.As[T](out)
	for p, v := range o {
		o[p] = f.sub(zero, v)
	}
}

func (f field[T]) Conjugate(out []byte) {
	o := num.As[T](out)
	for p, v := range o {
		o[p] = f.conj(v)
	}
}

func (f field[T]) Divide(out []byte, counts []int) {
	o := num.As[T](out)
	for j, n := range counts {
		if n > 1 {
			o[j] = f.divide(o[j], n)
		}
	}
}

func (f field[T]) Share(out, grad []byte, targets, counts []int) {
	o, g := num.As[T](out), num.As[T](grad)
	for p, t := range targets {
		o[p] = f.divide(g[t], counts[t])
	}
}

func (f field[T]) CountTies(t *Ties, init bool) {
	y, w := num.As[T](t.Result), num.As[T](t.Updates)
	t.counts = make([]int, len(y))
	if init {
		for j, x := range num.As[T](t.Data) {
			if f.same(x, y[j]) {
				t.counts[j]++
			}
		}
	}
	for p, j := range t.Targets {
		if f.same(w[p], y[j]) {
			t.counts[j]++
		}
	}
}

func (f field[T]) DivideTied(out []byte, t Ties) {
	o, y := num.As[T](out), num.As[T](t.Result)
	for j, x := range num.As[T](t.Data) {
		if f.same(x, y[j]) {
			o[j] = f.divide(o[j], t.counts[j])
		} else {
			var zero T
			o[j] = zero
		}
	}
}

func (f field[T]) ShareTied(out, grad []byte, t Ties) {
	o, g, y, w := num.As[T](out), num.As[T](grad), num.As[T](t.Result), num.As[T](t.Updates)
	for p, j := range t.Targets {
		if f.same(w[p], y[j]) {
			o[p] = f.divide(g[j], t.counts[j])
		} else {
			var zero T
			o[p] = zero
		}
	}
}
