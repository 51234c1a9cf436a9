package adjoint

import (
	"gorgonia.org/gather/internal/num"
	"gorgonia.org/gather/internal/par"
)

// withOrder are the programs for elements that have a least and a greatest value.
type withOrder[A arithmetic, T ordered] struct{ loops[A, T] }

func (l withOrder[A, T]) gradMinMax(s *Scatter, r num.Reduction, updates bool) func(*tile) {
	x := ties[A, T]{l.field, nil, s.NoInit, num.As[T](num.Neutral(s.Kind, r))[0],
		num.As[T](s.Grad), num.As[T](s.Data), num.As[T](s.Updates), num.As[T](s.Out)}
	x.find = findBest[most, A, T]
	if r == num.Min {
		x.find = findBest[least, A, T]
	}
	if updates {
		return x.ofUpdates
	}
	return x.ofData
}

// ties gives those terms of a target that are its result equal parts of its
// gradient, and the others nothing. NaN is the result wherever it is a term.
//
// Which term it is, no processor can predict, and a branch would take longer than all
// else. Terms are counted, and gradients divided, only where some tie.
type ties[A arithmetic, T ordered] struct {
	*field[T]
	find                     func(f *field[T], t *tile, best, updates []T) (mayTie bool)
	noInit                   bool
	neutral                  T
	grad, data, updates, out []T
}

// start is the results before the first update.
func (x *ties[A, T]) start(t *tile) []T {
	if !x.noInit {
		return loadCopy(t, x.data, 0)
	}
	best := scratchFor[T](t, 0)
	fill(best, x.neutral)
	return best
}

// findBest makes of best, which begins as the old values, the results. It reports
// whether terms may tie: those that are the result do so when the later one comes.
func findBest[R least | most, A arithmetic, T ordered](f *field[T], t *tile, best, updates []T) (mayTie bool) {
	var r R
	betterOf := f.most
	if len(r) == len(least{}) {
		betterOf = f.least
	}
	var way A
	t.forwards(func(at []int64, base, item int) {
		best, w := best[base:], updates[item:][:len(at)]
		equals := len(way) != len(native{})
		for i, a := range at {
			u, b := w[i], best[a]
			if len(way) == len(native{}) {
				best[a] = better[R](b, u)
				if u == b || u != u {
					equals = true
				}
			} else {
				best[a] = betterOf(b, u)
			}
		}
		mayTie = mayTie || equals
	})
	return mayTie
}

func (x *ties[A, T]) ofUpdates(t *tile) {
	best, updates := x.start(t), updatesOf(t, x.updates, 5)
	mayTie := x.find(x.field, t, best, updates)
	parts, out := x.parts(t), newUpdates(t, x.out, 4)
	if !mayTie {
		t.forwards(func(at []int64, base, item int) {
			giveBest[A](x.field, at, base, updates[item:], out[item:][:len(at)], best, parts)
		})
		storeUpdates(t, x.out, out)
		return
	}
	x.oldTerms(t, best)
	t.forwards(func(at []int64, base, item int) {
		giveBest[A](x.field, at, base, updates[item:], out[item:][:len(at)], best, parts)
		countBest[A](x.field, at, base, updates[item:], best, t.counts)
	})
	counts := t.counts
	t.forwards(func(at []int64, base, item int) {
		counts, o := counts[base:], out[item:][:len(at)]
		for i, a := range at {
			if n := counts[a]; n > 1 {
				o[i] = x.divide(o[i], n)
			}
		}
	})
	storeUpdates(t, x.out, out)
}

func (x *ties[A, T]) ofData(t *tile) {
	best, updates := x.start(t), updatesOf(t, x.updates, 5)
	mayTie := x.find(x.field, t, best, updates)
	parts, d := x.parts(t), result(t, x.out, 3)
	old := load(t, x.data, 1)
	eachInOrder(len(old), func(at []int64, base int) { giveBest[A](x.field, at, base, old[base:], d[base:], best, parts) })
	if mayTie {
		x.oldTerms(t, best)
		t.forwards(func(at []int64, base, item int) {
			countBest[A](x.field, at, base, updates[item:], best, t.counts)
		})
		x.quotients(d, d, t.counts, 1, 2)
	}
	store(t, x.out, d)
}

// parts are the gradients, with a 0 in front for the terms that get nothing.
func (x *ties[A, T]) parts(t *tile) []T {
	grad := load(t, x.grad, 1)
	parts := scratchFor[T](t, 2)[:len(grad)+1]
	parts[0] = 0
	par.Copy(parts[1:], grad)
	return parts
}

// oldTerms begins the counts with the old values. Each is a term of the target in
// its place.
func (x *ties[A, T]) oldTerms(t *tile, best []T) {
	t.fillCounts(len(best), 0)
	if !x.noInit {
		old := load(t, x.data, 1)
		eachInOrder(len(old), func(at []int64, base int) { countBest[A](x.field, at, base, old[base:], best, t.counts) })
	}
}

// least and most are Min and Max as types of different memory layout: see arithmetic.
type (
	least [1]byte
	most  [2]byte
)

func better[R least | most, T ordered](a, b T) T {
	var r R
	if len(r) == len(least{}) {
		return min(a, b) // NaN if either is
	}
	return max(a, b)
}

// giveBest gives the terms that are the best of their target what is in parts, and
// 0 to the others.
func giveBest[A arithmetic, T ordered](f *field[T], at []int64, base int, terms, out, best, parts []T) {
	terms, out, best = terms[:len(at)], out[:len(at)], best[base:]
	for i, a := range at {
		term, b := terms[i], best[a]
		tie := 0
		if equal[A](f, term, b) {
			tie = 1
		}
		if !equal[A](f, term, term) && !equal[A](f, b, b) {
			tie = 1
		}
		out[i] = parts[(base+int(a)+1)&-tie]
	}
}

// countBest counts the terms that are the best of their target.
func countBest[A arithmetic, T ordered](f *field[T], at []int64, base int, terms, best []T, counts []int) {
	terms, best, counts = terms[:len(at)], best[base:], counts[base:]
	for i, a := range at {
		term, b := terms[i], best[a]
		tie := 0
		if equal[A](f, term, b) {
			tie = 1
		}
		if !equal[A](f, term, term) && !equal[A](f, b, b) {
			tie = 1
		}
		counts[a] += tie
	}
}
