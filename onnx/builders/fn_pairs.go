package builders

import "gorgonia.org/tensor"

// A loop computes elements of the result from as many of each operand.
type loop[T number, R any] func(dst []R, x, y []T)

// byElement is the loop of a function of two numbers. Those that models spend their
// time with are written out, for a call takes longer than a sum.
func byElement[T number, R any](f func(x, y T) R) loop[T, R] {
	return func(dst []R, x, y []T) {
		for i := range dst {
			dst[i] = f(x[i], y[i])
		}
	}
}

func add[T number](dst, x, y []T) {
	x, y = x[:len(dst)], y[:len(dst)]
	for i := range dst {
		dst[i] = x[i] + y[i]
	}
}

func subtract[T number](dst, x, y []T) {
	x, y = x[:len(dst)], y[:len(dst)]
	for i := range dst {
		dst[i] = x[i] - y[i]
	}
}

func times[T number](dst, x, y []T) {
	x, y = x[:len(dst)], y[:len(dst)]
	for i := range dst {
		dst[i] = x[i] * y[i]
	}
}

func divide[T number](dst, x, y []T) {
	x, y = x[:len(dst)], y[:len(dst)]
	for i := range dst {
		dst[i] = x[i] / y[i]
	}
}

// atOnce is how many elements of a result get one number of an operand at a time.
const atOnce = 512

// pairs runs a loop over the result and the operands, which are broadcast to it.
func pairs[T number, R any](out, a, b *tensor.Dense, f loop[T, R]) {
	dst, left, right := elements[R](out), elements[T](a), elements[T](b)
	if len(dst) == 0 {
		return
	}
	shape := out.Shape()
	r := runsOf(shape, expanded(a.Shape(), shape).steps, expanded(b.Shape(), shape).steps)
	r.split(func() func(at, n int, from []int) {
		switch { // the steps are 0 or 1, and not both 0 where a run has several elements
		case r.step[0] == r.step[1]:
			return func(at, n int, from []int) { f(dst[at:at+n], left[from[0]:], right[from[1]:]) }
		case r.step[0] == 0:
			same := make([]T, min(atOnce, r.n))
			return func(at, n int, from []int) {
				eachRepeat(same, left[from[0]], n, func(i, n int) { f(dst[at+i:at+i+n], same, right[from[1]+i:]) })
			}
		}
		same := make([]T, min(atOnce, r.n))
		return func(at, n int, from []int) {
			eachRepeat(same, right[from[1]], n, func(i, n int) { f(dst[at+i:at+i+n], left[from[0]+i:], same) })
		}
	})
}

// eachRepeat visits n elements in parts no longer than same, which holds x only.
func eachRepeat[T any](same []T, x T, n int, visit func(i, n int)) {
	for i := range min(n, len(same)) {
		same[i] = x
	}
	for i := 0; i < n; i += len(same) {
		visit(i, min(len(same), n-i))
	}
}
