package simd

import (
	"math"
	"unsafe"
)

// UpdateLoop changes n rows of a table by their gradients: row t is that at
// offsets[t], its gradient is at grads[t]. first and second hold the optimiser's
// states, in rows as the table's or, for one number a row, at states[t]. c points
// to the Coefficients. The offsets have been checked; assembly reads distance more
// of them, to prefetch what is there.
type UpdateLoop func(table, first, second *byte, grads **byte, offsets, states *int64, c *byte, n, bytes, distance int)

// UpdateLoops are an implementation's loops over rows of floats of one kind.
type UpdateLoops struct {
	Rules
	// Plain are the same for updates with Scale 1 and L2 0.
	Plain Rules
	// Squares writes down the sum of the squares of each of n rows.
	Squares func(rows **byte, sums *float64, n, bytes int)
}

// Rules are the loops of the optimisers, which package update defines.
type Rules struct{ SGD, Adagrad, RowWiseAdagrad, Adam UpdateLoop }

func updateLoopsGo[T float32 | float64]() *UpdateLoops {
	rules := Rules{sgdRowsGo[T], adagradRowsGo[T], rowWiseAdagradRowsGo[T], adamRowsGo[T]}
	return &UpdateLoops{Rules: rules, Plain: rules, Squares: sumSquaresGo[T]}
}

// Coefficients are the numbers of an update, in the order in which assembly reads
// them.
type Coefficients[T float32 | float64] struct {
	Rate, Eps, Scale, L2 T
	// What of the way to a new value a moving average goes: Adam's 1-β1 and 1-β2.
	First, Second T
	Columns       T
}

// updateColumns is how many columns Go works on at a time.
const updateColumns = 64

// gradients makes what some elements of a row are changed by: the sum of their
// gradients, which begins with 0 (and so is not -0 where there is one alone),
// scaled, with the decay of the elements. Products are rounded before they are
// added.
func (c *Coefficients[T]) gradients(to *[updateColumns]T, g, w []T) {
	var zero T
	scale, l2 := c.Scale, c.L2
	out := to[:len(g)]
	if l2 == 0 { // and not 0 times an element, which may be NaN
		for i, x := range g {
			out[i] = T(scale*(zero+x)) + zero
		}
		return
	}
	w = w[:len(g)]
	for i, x := range g {
		out[i] = T(scale*(zero+x)) + T(l2*w[i])
	}
}

// part is some columns of a row, from one on, and of the states that are like it.
func part[T float32 | float64](row []T, from int) []T {
	return row[from:min(from+updateColumns, len(row))]
}

func sgdRowsGo[T float32 | float64](table, _, _ *byte, grads **byte, offsets, _ *int64, numbers *byte, n, bytes, _ int) {
	c, rows := *(*Coefficients[T])(unsafe.Pointer(numbers)), newUpdatedRows[T](table, grads, offsets, n, bytes)
	var made [updateColumns]T
	for t := range n {
		row, g := rows.row(t, nil, nil)
		for from := 0; from < len(row); from += updateColumns {
			w := part(row, from)
			c.gradients(&made, part(g, from), w)
			addScaledRow(w, made[:len(w)], -c.Rate)
		}
	}
}

func adagradRowsGo[T float32 | float64](table, first, _ *byte, grads **byte, offsets, _ *int64, numbers *byte, n, bytes, _ int) {
	c, rows := *(*Coefficients[T])(unsafe.Pointer(numbers)), newUpdatedRows[T](table, grads, offsets, n, bytes)
	var made [updateColumns]T
	for t := range n {
		row, g := rows.row(t, first, nil)
		sums := view[T](byteAt(first, int(rows.offsets[t])), len(row))
		for from := 0; from < len(row); from += updateColumns {
			w, s := part(row, from), part(sums, from)
			c.gradients(&made, part(g, from), w)
			s = s[:len(w)]
			for i := range w {
				x := made[i%updateColumns]
				sum := s[i] + T(x*x)
				s[i] = sum
				w[i] -= T(c.Rate * (x / (sqrt(sum) + c.Eps)))
			}
		}
	}
}

// sqrt is the square root, rounded once: that in float64 of a float32 is so, too,
// when it is rounded to float32.
func sqrt[T float32 | float64](x T) T { return T(math.Sqrt(float64(x))) }

func rowWiseAdagradRowsGo[T float32 | float64](table, first, _ *byte, grads **byte, offsets, states *int64, numbers *byte, n, bytes, _ int) {
	c, rows := *(*Coefficients[T])(unsafe.Pointer(numbers)), newUpdatedRows[T](table, grads, offsets, n, bytes)
	var made [updateColumns]T
	for t, state := range unsafe.Slice(states, n) {
		row, g := rows.row(t, nil, nil)
		var squares sixteen[T]
		for from := 0; from < len(row); from += updateColumns {
			w := part(row, from)
			c.gradients(&made, part(g, from), w)
			for i := range w {
				x := made[i%updateColumns]
				squares[i%len(squares)] += T(x * x)
			}
		}
		s := (*T)(byteAt(first, int(state)))
		*s += squares.total(plus) / c.Columns
		rate := c.Rate / (sqrt(*s) + c.Eps)
		for from := 0; from < len(row); from += updateColumns {
			w := part(row, from)
			if len(row) > updateColumns { // otherwise they are there
				c.gradients(&made, part(g, from), w)
			}
			addScaledRow(w, made[:len(w)], -rate)
		}
	}
}

func adamRowsGo[T float32 | float64](table, first, second *byte, grads **byte, offsets, _ *int64, numbers *byte, n, bytes, _ int) {
	c, rows := *(*Coefficients[T])(unsafe.Pointer(numbers)), newUpdatedRows[T](table, grads, offsets, n, bytes)
	var made [updateColumns]T
	for t := range n {
		row, g := rows.row(t, first, second)
		means, squares := view[T](byteAt(first, int(rows.offsets[t])), len(row)), view[T](byteAt(second, int(rows.offsets[t])), len(row))
		for from := 0; from < len(row); from += updateColumns {
			w, m, v := part(row, from), part(means, from), part(squares, from)
			c.gradients(&made, part(g, from), w)
			m, v = m[:len(w)], v[:len(w)]
			for i := range w {
				x := made[i%updateColumns]
				mean := m[i] + T(c.First*(x-m[i]))
				square := v[i] + T(c.Second*(T(x*x)-v[i]))
				m[i], v[i] = mean, square
				w[i] -= T(c.Rate * (mean / (sqrt(square) + c.Eps)))
			}
		}
	}
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
		sum[t] = squares.total(plus)
	}
}
