package adjoint

import (
	"gorgonia.org/gather/internal/num"
	"gorgonia.org/gather/internal/par"
)

// The factors of a target are its updates and, without NoInit, its old value,
// which comes first.
//
// The gradient of a product with respect to a factor is the product of the
// others. The whole product divided by the factor would be that, but for
// factors of 0, and with another rounding. Instead two passes carry one running
// product for each target: forwards over the updates, that of the factors before
// each update, and backwards, that of the factors behind it. A zero is a factor
// like any other then.
//
// For second derivatives the passes carry a product and its change, which is a
// product of dual numbers:
//
//	(a + ε da) (b + ε db) = ab + ε (da b + a db),  ε² = 0
//
// The change of the product of all factors but one is thereby as cheap as the
// product itself, though it is a sum of products that leave out two.

// ProductTangent is the change of the products for a change of the updates, in
// Out, and 0 for what is no target.
func (s *Scatter) ProductTangent() int { return s.runTangent(gradients[s.Kind].tangent(s, false)) }

// HVPData is grad[t] by the conjugate of what ProductTangent makes of the updates
// without the old values, in Out, and 0 for what is no target.
func (s *Scatter) HVPData() int { return s.runTangent(gradients[s.Kind].tangent(s, true)) }

func (s *Scatter) runTangent(program func(*tile)) int {
	par.Clear(s.rest(s.Out))
	return s.run(true, program)
}

// HVPUpdatesByData is, for each update, grad[t] conj(tangent[t]) by the conjugate
// of the product of the other updates of its target t.
func (s *Scatter) HVPUpdatesByData() int { return s.run(false, gradients[s.Kind].scaledOthers(s)) }

// HVPUpdates is, for each update, the gradient of its target by the conjugate of
// the change of the product of all factors but the update.
func (s *Scatter) HVPUpdates() int { return s.run(true, gradients[s.Kind].hvpMul(s)) }

func (l loops[A, T]) gradMul(s *Scatter) func(*tile) {
	grad := num.As[T](s.Grad)
	return func(t *tile) { l.runOthers(t, s, load(t, grad, 0), s.NoInit) }
}

func (l loops[A, T]) scaledOthers(s *Scatter) func(*tile) {
	grad, tangent := num.As[T](s.Grad), num.As[T](s.Tangent)
	return func(t *tile) {
		scaled := loadCopy(t, grad, 0)
		for j, x := range load(t, tangent, 1) {
			scaled[j] = product[A](l.field, scaled[j], conjugate[A](l.field, x))
		}
		l.runOthers(t, s, scaled, true)
	}
}

func (l loops[A, T]) runOthers(t *tile, s *Scatter, grad []T, noInit bool) {
	f, all := l.field, num.As[T](s.Out)
	out, updates := newUpdates(t, all, 4), updatesOf(t, num.As[T](s.Updates), 5)
	running := start(t, s, 1, noInit, l.one)
	t.forwards(func(at []int64, base, item int) {
		running, o, w := running[base:], out[item:][:len(at)], updates[item:][:len(at)]
		for i, a := range at {
			before := running[a]
			o[i] = before
			running[a] = product[A](f, before, w[i])
		}
	})
	num.Fill(running, l.one)
	t.backwards(func(at []int64, base, item int) {
		running, g, o, w := running[base:], grad[base:], out[item:][:len(at)], updates[item:][:len(at)]
		for i := len(at) - 1; i >= 0; i-- {
			a := at[i]
			behind := running[a]
			o[i] = product[A](f, g[a], conjugate[A](f, product[A](f, o[i], behind)))
			running[a] = product[A](f, behind, w[i])
		}
	})
	storeUpdates(t, all, out)
}

// tangent is the change of products or, scaled, the gradient by its conjugate, without old values.
func (l loops[A, T]) tangent(s *Scatter, scaled bool) func(*tile) {
	grad, out := num.As[T](s.Grad), num.As[T](s.Out)
	return func(t *tile) {
		d := result(t, out, 1)
		l.change(t, s, start(t, s, 0, scaled || s.NoInit, l.one), d, nil)
		if scaled {
			g, width := load(t, grad, 2), t.width()
			for j, n := range t.count(0) { // what is no target stays 0, whatever its gradient
				for i := j * width; n > 0 && i < (j+1)*width; i++ {
					d[i] = product[A](l.field, g[i], conjugate[A](l.field, d[i]))
				}
			}
		}
		store(t, out, d)
	}
}

// change carries the products and their changes d, which begin with 0, over the
// updates. With keep it is told what they are before each.
func (l loops[A, T]) change(t *tile, s *Scatter, running, d []T, keep func(item int, product, change T)) {
	f, updates, tangent := l.field, num.As[T](s.Updates), num.As[T](s.Tangent)
	num.Fill(d, 0)
	t.forwards(func(at []int64, base, item int) {
		running, d := running[base:], d[base:]
		w, dw := updates[item:][:len(at)], tangent[item:][:len(at)]
		for i, a := range at {
			if keep != nil {
				keep(item+i, running[a], d[a])
			}
			d[a] = sum[A](f, product[A](f, d[a], w[i]), product[A](f, running[a], dw[i]))
			running[a] = product[A](f, running[a], w[i])
		}
	})
}

func (l loops[A, T]) hvpMul(s *Scatter) func(*tile) {
	f, grad, out := l.field, num.As[T](s.Grad), num.As[T](s.Out)
	updates, tangent := num.As[T](s.Updates), num.As[T](s.Tangent)
	changes := make([]T, len(out)) // of the products in out
	return func(t *tile) {
		running, d := start(t, s, 0, s.NoInit, l.one), scratchFor[T](t, 1)
		l.change(t, s, running, d, func(item int, product, change T) { out[item], changes[item] = product, change })
		num.Fill(running, l.one)
		num.Fill(d, 0)
		g := load(t, grad, 2)
		t.backwards(func(at []int64, base, item int) {
			running, d, g := running[base:], d[base:], g[base:]
			o, before := out[item:][:len(at)], changes[item:][:len(at)]
			w, dw := updates[item:][:len(at)], tangent[item:][:len(at)]
			for i := len(at) - 1; i >= 0; i-- {
				a := at[i]
				others := sum[A](f, product[A](f, before[i], running[a]), product[A](f, o[i], d[a]))
				o[i] = product[A](f, g[a], conjugate[A](f, others))
				d[a] = sum[A](f, product[A](f, d[a], w[i]), product[A](f, running[a], dw[i]))
				running[a] = product[A](f, running[a], w[i])
			}
		})
	}
}
