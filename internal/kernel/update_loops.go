package kernel

import (
	"math"
	"unsafe"
)

// updateLoop changes n rows of a table by their gradients: row t is that at
// offsets[t], its gradient is at grads[t]. first and second hold the optimiser's
// states, in rows as the table's or, for one number a row, at states[t]. c points
// to the coefficients. The offsets have been checked; assembly reads distance more
// of them, to prefetch what is there.
type updateLoop func(table, first, second *byte, grads **byte, offsets, states *int64, c *byte, n, bytes, distance int)

// updateLoops are an implementation's loops over rows of floats of one kind.
type updateLoops struct {
	steps [optimizers]updateLoop
	// squares writes down the sum of the squares of each of n rows.
	squares func(rows **byte, sums *float64, n, bytes int)
}

func updateLoopsGo[T float32 | float64]() *updateLoops {
	return &updateLoops{
		steps:   [optimizers]updateLoop{sgdRowsGo[T], adagradRowsGo[T], rowWiseAdagradRowsGo[T], adamRowsGo[T]},
		squares: sumSquaresGo[T],
	}
}

// coefficients are the numbers of an update, in the order in which assembly reads
// them.
type coefficients[T float32 | float64] struct {
	rate, eps, scale, l2 T
	// What of the way to a new value a moving average goes: Adam's 1-β1 and 1-β2.
	first, second T
	columns       T
}

// gradient is what an element of a row is changed by: the sum of its gradients,
// which begins with 0 (and so is not -0 where there is one alone), scaled, with the
// decay of the element. Products are rounded before they are added.
func (c *coefficients[T]) gradient(g, w T) T {
	var zero, decay T
	if c.l2 != 0 {
		decay = T(c.l2 * w)
	}
	return T(c.scale*(zero+g)) + decay
}

// eachUpdated calls do with each row and its gradient, and with its offset in
// elements.
func eachUpdated[T float32 | float64](table *byte, grads **byte, offsets *int64, n, bytes int, do func(w, g []T, t, at int)) {
	var element T
	size := int(unsafe.Sizeof(element))
	length := bytes / size
	gradient := unsafe.Slice(grads, n)
	for t, at := range unsafe.Slice(offsets, n) {
		do(view[T](byteAt(table, int(at)), length), view[T](unsafe.Pointer(gradient[t]), length), t, int(at)/size)
	}
}

// stateRow is the states of the elements of a row.
func stateRow[T float32 | float64](states *byte, at, length int) []T {
	var element T
	return view[T](byteAt(states, at*int(unsafe.Sizeof(element))), length)
}

func sgdRowsGo[T float32 | float64](table, _, _ *byte, grads **byte, offsets, _ *int64, numbers *byte, n, bytes, _ int) {
	c := *(*coefficients[T])(unsafe.Pointer(numbers))
	eachUpdated(table, grads, offsets, n, bytes, func(w, g []T, _, _ int) {
		g = g[:len(w)]
		for i := range w {
			w[i] -= T(c.rate * c.gradient(g[i], w[i]))
		}
	})
}

func adagradRowsGo[T float32 | float64](table, first, _ *byte, grads **byte, offsets, _ *int64, numbers *byte, n, bytes, _ int) {
	c := *(*coefficients[T])(unsafe.Pointer(numbers))
	eachUpdated(table, grads, offsets, n, bytes, func(w, g []T, _, at int) {
		s := stateRow[T](first, at, len(w))
		g = g[:len(w)]
		for i := range w {
			g := c.gradient(g[i], w[i])
			s[i] += T(g * g)
			w[i] -= c.step(g, s[i])
		}
	})
}

// step is what Adagrad and Adam change an element by.
func (c *coefficients[T]) step(g, s T) T { return T(c.rate * (g / (sqrt(s) + c.eps))) }

// sqrt is the square root, rounded once: that in float64 of a float32 is so, too,
// when it is rounded to float32.
func sqrt[T float32 | float64](x T) T { return T(math.Sqrt(float64(x))) }

func rowWiseAdagradRowsGo[T float32 | float64](table, first, _ *byte, grads **byte, offsets, states *int64, numbers *byte, n, bytes, _ int) {
	c := *(*coefficients[T])(unsafe.Pointer(numbers))
	state := unsafe.Slice(states, n)
	eachUpdated(table, grads, offsets, n, bytes, func(w, g []T, t, _ int) {
		g = g[:len(w)]
		var squares sixteen[T]
		for i := range w {
			g := c.gradient(g[i], w[i])
			squares[i%len(squares)] += T(g * g)
		}
		s := (*T)(byteAt(first, int(state[t])))
		*s += squares.total() / c.columns
		rate := c.rate / (sqrt(*s) + c.eps)
		for i := range w {
			w[i] -= T(rate * c.gradient(g[i], w[i]))
		}
	})
}

func adamRowsGo[T float32 | float64](table, first, second *byte, grads **byte, offsets, _ *int64, numbers *byte, n, bytes, _ int) {
	c := *(*coefficients[T])(unsafe.Pointer(numbers))
	eachUpdated(table, grads, offsets, n, bytes, func(w, g []T, _, at int) {
		m, v := stateRow[T](first, at, len(w)), stateRow[T](second, at, len(w))
		g = g[:len(w)]
		for i := range w {
			g := c.gradient(g[i], w[i])
			m[i] += T(c.first * (g - m[i]))
			v[i] += T(c.second * (T(g*g) - v[i]))
			w[i] -= c.step(m[i], v[i])
		}
	})
}

func sumSquaresGo[T float32 | float64](rows **byte, sums *float64, n, bytes int) {
	var element T
	length := bytes / int(unsafe.Sizeof(element))
	sum := unsafe.Slice(sums, n)
	for t, row := range unsafe.Slice(rows, n) {
		var squares sixteen[float64]
		for i, x := range view[T](unsafe.Pointer(row), length) {
			squares[i%len(squares)] += float64(float64(x) * float64(x))
		}
		sum[t] = squares.total()
	}
}
