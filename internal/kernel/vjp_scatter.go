package kernel

import (
	"gorgonia.org/gather/internal/num"
	"gorgonia.org/gather/internal/par"
)

// Terms are what a scatter combines, and what is asked about it. All memory is
// packed.
type Terms struct {
	NoInit  bool
	Data    []byte // what the scatter changes: old values
	Updates []byte
	Grad    []byte // that of the result
	Tangent []byte // a change of data or of updates
	// Out is like updates or like data, whichever has the answer. If it is like
	// data, it may be the memory that it starts from.
	Out []byte
}

// GradUpdates is the gradient of the updates of a scatter. The kind must have
// gradients, and be ordered for Min and Max. As all methods below it returns the
// position in Idx of the first bad index, or -1, in the forms Block and Elements.
//
//	None      out[p] = grad[t] if p is the last update of its target t, else 0
//	Mul       out[p] = grad[t] conj(the product of all factors of t but updates[p])
//	Min, Max  out[p] = grad[t] / n if updates[p] is the result of t, else 0,
//	          where n is how many terms are the result; NaN equals NaN
//	Mean      out[p] = grad[t] / n, where n is how many terms t has
//
// Without NoInit the old value is a factor, the first one, and a term.
func (c *Call) GradUpdates(kind num.Kind, r num.Reduction, v *Terms) int {
	g := gradients[kind]
	switch r {
	case num.None:
		return c.tiles(kind.Width(), false, g.last(v))
	case num.Mul:
		return c.tiles(kind.Width(), false, g.others(v))
	case num.Mean:
		return c.tiles(kind.Width(), false, g.shared(v))
	}
	return c.tiles(kind.Width(), false, g.tied(v, kind, r, true))
}

// GradData is the gradient of the data of a scatter, where it is that of the
// result for what is no target, and for a target t
//
//	None      out[t] = 0
//	Min, Max  out[t] = grad[t] / n if data[t] is the result, else 0
//	Mean      out[t] = grad[t] / n
//
// with n as in GradUpdates. Of a Mean with NoInit this is no gradient, but the change
// of a mean from that of the sum.
func (c *Call) GradData(kind num.Kind, r num.Reduction, v *Terms) int {
	g := gradients[kind]
	c.startFrom(v.Out, v.Grad, kind)
	switch r {
	case num.None:
		return c.tiles(kind.Width(), false, g.cleared(v))
	case num.Mean:
		return c.tiles(kind.Width(), false, g.divided(v, 2))
	}
	return c.tiles(kind.Width(), false, g.tied(v, kind, r, false))
}

// startFrom gives what the tiles leave out what it has to be.
func (c *Call) startFrom(out, from []byte, kind num.Kind) {
	left := out[:0]
	if !c.picks() {
		left = out[:c.Batch*c.Outer*c.Span*kind.Width()]
	}
	if len(out) > len(left) && &out[0] != &from[0] {
		copyAll(out[len(left):], from[len(left):])
	}
}

// HasGradients reports whether values of a kind have gradients.
func HasGradients(kind num.Kind) bool { return gradients[kind] != nil }

// programs are what to do with a tile, for elements of one kind.
type programs interface {
	last(v *Terms) func(*tile)
	others(v *Terms) func(*tile)
	shared(v *Terms) func(*tile)
	tied(v *Terms, kind num.Kind, r num.Reduction, updates bool) func(*tile)
	cleared(v *Terms) func(*tile)
	divided(v *Terms, least int) func(*tile)
	tangent(v *Terms) func(*tile)
	scaledTangent(v *Terms) func(*tile)
	scaledOthers(v *Terms) func(*tile)
	otherTwo(v *Terms) func(*tile)
	conjugate(mem []byte)
	negate(mem []byte)
}

var gradients = [num.Kinds]programs{
	num.Float16:    withOrder[byFunction, uint16]{loops[byFunction, uint16]{float16Field}},
	num.BFloat16:   withOrder[byFunction, uint16]{loops[byFunction, uint16]{bfloat16Field}},
	num.Float32:    withOrder[native, float32]{loops[native, float32]{float32Field}},
	num.Float64:    withOrder[native, float64]{loops[native, float64]{float64Field}},
	num.Complex64:  loops[byFunction, complex64]{complex64Field},
	num.Complex128: loops[byFunction, complex128]{complex128Field},
}

// loops are the programs for elements of a type.
type loops[A arithmetic, T scalar] struct{ *field[T] }

// give gives all updates of a target what is in values.
func give[T any](t *tile, all, values []T) {
	out := newItems(t, all, 5)
	t.forwards(func(at []int64, base, item int) {
		values, o := values[base:], out[item:][:len(at)]
		for i, a := range at {
			o[i] = values[a]
		}
	})
	putItems(t, all, out)
}

// shared gives the updates of a target equal parts of its gradient.
func (l loops[A, T]) shared(v *Terms) func(*tile) {
	grad, out := num.As[T](v.Grad), num.As[T](v.Out)
	return func(t *tile) {
		parts := room[T](t, 0)
		l.quotients(parts, load(t, grad, 0), t.count(old(v)), t.width(), 1)
		give(t, out, parts)
	}
}

// old is how many old values a result is made of.
func old(v *Terms) int {
	if v.NoInit {
		return 0
	}
	return 1
}

// divided divides what a target has by how many terms it is made of, from so many on.
func (l loops[A, T]) divided(v *Terms, least int) func(*tile) {
	grad, out := num.As[T](v.Grad), num.As[T](v.Out)
	return func(t *tile) {
		d := into(t, out, grad, 0)
		l.quotients(d, d, t.count(old(v)), t.width(), least)
		store(t, out, d)
	}
}

// conjugate replaces numbers by their conjugates.
func (l loops[A, T]) conjugate(mem []byte) {
	all := num.As[T](mem)
	for i, x := range all {
		all[i] = conjugate[A](l.field, x)
	}
}

// negate subtracts numbers from 0.
func (l loops[A, T]) negate(mem []byte) {
	all := num.As[T](mem)
	for i, x := range all {
		all[i] = l.sub(0, x)
	}
}

// Negate subtracts numbers from 0.
func Negate(kind num.Kind, mem []byte) {
	width := kind.Width()
	par.Run(eachPart(func(lo, hi int) { gradients[kind].negate(mem[lo*width : hi*width]) }), len(mem)/width, par.Grain(width))
}

// eachPart is work on parts of memory, as pieces.
type eachPart func(lo, hi int)

func (do eachPart) Piece(lo, hi int) int {
	do(lo, hi)
	return -1
}

// Conjugate replaces numbers by their conjugates.
func Conjugate(kind num.Kind, mem []byte) { gradients[kind].conjugate(mem) }

// tied is for kinds with an order alone: see withOrder.
func (l loops[A, T]) tied(*Terms, num.Kind, num.Reduction, bool) func(*tile) {
	panic("kernel: Min or Max of numbers that have no order")
}
