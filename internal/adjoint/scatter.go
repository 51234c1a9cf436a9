package adjoint

import (
	"gorgonia.org/gather/internal/kernel"
	"gorgonia.org/gather/internal/num"
	"gorgonia.org/gather/internal/par"
)

// Scatter is what a scatter combines, and what is asked about it. All memory is
// packed. It is made once, and read.
type Scatter struct {
	// Call has the indices, and the axes that they address, with strides in rows.
	Call     *kernel.Call
	Geometry Geometry
	Kind     num.Kind
	NoInit   bool
	Data     []byte // what the scatter changes: old values
	Updates  []byte
	Grad     []byte // that of the result
	Tangent  []byte // a change of data or of updates
	// Out is like updates or like data, whichever has the answer. If it is like
	// data, it may be the memory that it starts from.
	Out []byte
}

// GradUpdates is the gradient of the updates of a scatter. The kind must have
// gradients, and be ordered for Min and Max. As all methods below it returns the
// position of the first bad index, or -1.
//
//	None      out[p] = grad[t] if p is the last update of its target t, else 0
//	Mul       out[p] = grad[t] conj(the product of all factors of t but updates[p])
//	Min, Max  out[p] = grad[t] / n if updates[p] is the result of t, else 0,
//	          where n is how many terms are the result; NaN equals NaN
//	Mean      out[p] = grad[t] / n, where n is how many terms t has
//
// Without NoInit the old value is a factor, the first one, and a term.
func (s *Scatter) GradUpdates(r num.Reduction) int {
	g := gradients[s.Kind]
	switch r {
	case num.None:
		if g := s.geometry(); g.lineByLine {
			return s.lastRows(&g)
		}
		return s.run(false, g.gradSet(s))
	case num.Mul:
		return s.run(false, g.gradMul(s))
	case num.Mean:
		return s.run(false, g.gradMeanUpdates(s))
	}
	return s.run(false, g.(ties).gradMinMax(s, r, true))
}

// GradData is the gradient of the data of a scatter by Min, Max or Mean, where it is that of
// the result for what is no target, and for a target t
//
//	Min, Max  out[t] = grad[t] / n if data[t] is the result, else 0
//	Mean      out[t] = grad[t] / n
//
// with n as in GradUpdates. Min and Max are without NoInit. Of a Mean with NoInit this is no gradient, but the change
// of a mean from that of the sum.
func (s *Scatter) GradData(r num.Reduction) int {
	g := gradients[s.Kind]
	s.copyRest(s.Grad)
	if r == num.Mean {
		return s.run(false, g.divideByCount(s, 2))
	}
	return s.run(false, g.(ties).gradMinMax(s, r, false))
}

// rest is the part of memory like data that the tiles leave out: blocks without updates, or all
// if there are many targets without, which are left out then.
func (s *Scatter) rest(mem []byte) []byte {
	if g := s.geometry(); !g.sparse {
		return mem[g.Blocks*g.Rows*g.Inner*s.Kind.Width():]
	}
	return mem
}

// copyRest copies the rest.
func (s *Scatter) copyRest(from []byte) {
	if to, from := s.rest(s.Out), s.rest(from); len(to) > 0 && &to[0] != &from[0] {
		kernel.Copy(to, from, 1, len(to))
	}
}

// HasGradients reports whether values of a kind have gradients.
func HasGradients(kind num.Kind) bool { return gradients[kind] != nil }

// programs are what to do with a tile, for elements of one kind.
type programs interface {
	gradSet(s *Scatter) func(*tile)
	gradMul(s *Scatter) func(*tile)
	gradMeanUpdates(s *Scatter) func(*tile)
	divideByCount(s *Scatter, least int) func(*tile)
	tangent(s *Scatter, scaled bool) func(*tile)
	scaledOthers(s *Scatter) func(*tile)
	hvpMul(s *Scatter) func(*tile)
	conjugate(mem []byte)
	negate(mem []byte)
}

var gradients = [num.Kinds]programs{
	num.Float16:    withOrder[byFunction, uint16, uint16]{loops[byFunction, uint16]{float16Field}},
	num.BFloat16:   withOrder[byFunction, uint16, uint16]{loops[byFunction, uint16]{bfloat16Field}},
	num.Float32:    withOrder[native, float32, uint32]{loops[native, float32]{float32Field}},
	num.Float64:    withOrder[native, float64, uint64]{loops[native, float64]{float64Field}},
	num.Complex64:  loops[byFunction, complex64]{complex64Field},
	num.Complex128: loops[byFunction, complex128]{complex128Field},
}

// loops are the programs for elements of a type.
type loops[A arithmetic, T scalar] struct{ *field[T] }

// gradMeanUpdates gives the updates of a target equal parts of its gradient.
func (l loops[A, T]) gradMeanUpdates(s *Scatter) func(*tile) {
	grad, all := num.As[T](s.Grad), num.As[T](s.Out)
	return func(t *tile) {
		parts, out := scratchFor[T](t, 0), newUpdates(t, all, 5)
		l.quotients(parts, load(t, grad, 0), t.count(s.old()), t.width(), 1)
		t.forwards(func(at []int64, base, item int) {
			parts, o := parts[base:], out[item:][:len(at)]
			for i, a := range at {
				o[i] = parts[a]
			}
		})
		storeUpdates(t, all, out)
	}
}

// old is how many old values a result is made of.
func (s *Scatter) old() int {
	if s.NoInit {
		return 0
	}
	return 1
}

// divideByCount divides what a target has by how many terms it is made of, from so many on.
func (l loops[A, T]) divideByCount(s *Scatter, least int) func(*tile) {
	grad, out := num.As[T](s.Grad), num.As[T](s.Out)
	return func(t *tile) {
		d := into(t, out, grad, 0)
		l.quotients(d, d, t.count(s.old()), t.width(), least)
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
	par.Each(len(mem)/width, par.Grains(len(mem), 1), func(lo, hi int) { gradients[kind].negate(mem[lo*width : hi*width]) })
}

// Conjugate replaces numbers by their conjugates.
func Conjugate(kind num.Kind, mem []byte) { gradients[kind].conjugate(mem) }
