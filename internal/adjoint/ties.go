package adjoint

import "gorgonia.org/gather/internal/num"

// ordered is what elements are stored as that have a least and a greatest value, and floatBits
// are the integers of their width.
type (
	ordered   interface{ uint16 | float32 | float64 }
	floatBits interface{ uint16 | uint32 | uint64 }
)

// ties are the programs of withOrder.
type ties interface {
	gradMinMax(s *Scatter, r num.Reduction, ofUpdates bool) func(*tile)
}

// withOrder are the programs for such elements.
type withOrder[A arithmetic, T ordered, U floatBits] struct{ loops[A, T] }

// gradMinMax gives those terms of a target that are its result equal parts of its
// gradient, and the others nothing. NaN is the result wherever it is a term.
//
// Which term it is, no processor can predict, and a branch would take longer than all
// else. Terms are counted, and gradients divided, only where some tie.
func (l withOrder[A, T, U]) gradMinMax(s *Scatter, r num.Reduction, ofUpdates bool) func(*tile) {
	find, neutral := findBest[most, A, T], num.As[T](num.Neutral(s.Kind, r))[0]
	if r == num.Min {
		find = findBest[least, A, T]
	}
	infinity := num.As[U](num.Neutral(s.Kind, num.Min))[0]
	data, grad, all, allUpdates := num.As[U](s.Data), num.As[U](s.Grad), num.As[U](s.Out), num.As[U](s.Updates)
	return func(t *tile) {
		updates, best := updatesOf(t, allUpdates, 5), start(t, s, 0, s.NoInit, neutral)
		mayTie := find(l.field, t, best, num.As[T](num.Bytes(updates)))
		// A copy is read from front to back, and then is in the near caches.
		x := results[U]{infinity, num.As[U](num.Bytes(best)), loadCopy(t, grad, 2)}
		if mayTie {
			t.fillCounts(len(best), 0)
			if !s.NoInit { // each old value is a term of the target in its place
				old := load(t, data, 1)
				eachInOrder(len(old), func(at []int64, base int) { x.count(at, base, old[base:], t.counts) })
			}
			t.forwards(func(at []int64, base, item int) { x.count(at, base, updates[item:], t.counts) })
		}
		if !ofUpdates {
			old, out := load(t, data, 1), result(t, all, 3)
			eachInOrder(len(old), func(at []int64, base int) { x.give(at, base, old[base:], out[base:]) })
			if d := num.As[T](num.Bytes(out)); mayTie {
				l.quotients(d, d, t.counts, 1, 2)
			}
			store(t, all, out)
			return
		}
		out := newUpdates(t, all, 4)
		t.forwards(func(at []int64, base, item int) { x.give(at, base, updates[item:], out[item:]) })
		if mayTie {
			d := num.As[T](num.Bytes(out))
			t.forwards(func(at []int64, base, item int) {
				counts, d := t.counts[base:], d[item:][:len(at)]
				for i, a := range at {
					if n := counts[a]; n > 1 {
						d[i] = l.divide(d[i], n)
					}
				}
			})
		}
		storeUpdates(t, all, out)
	}
}

// findBest makes of best, which begins as the old values, the results. It reports
// whether terms may tie: those that are the result do so when the later one comes.
func findBest[R least | most, A arithmetic, T ordered](f *field[T], t *tile, best, updates []T) (mayTie bool) {
	var way A
	var r R
	betterOf := f.most
	if len(r) == len(least{}) {
		betterOf = f.least
	}
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

// results are those of targets, and their gradients, as bits.
type results[U floatBits] struct {
	infinity   U
	best, grad []U
}

// give gives the terms that are the best of their target its gradient, and 0 to the others.
func (x *results[U]) give(at []int64, base int, terms, out []U) {
	terms, out = terms[:len(at)], out[:len(at)]
	best, grad, infinity := x.best[base:], x.grad[base:], x.infinity
	for i, a := range at {
		out[i] = grad[a] & -num.IsBest(terms[i], best[a], infinity)
	}
}

// count counts the terms that are the best of their target.
func (x *results[U]) count(at []int64, base int, terms []U, counts []int) {
	terms, counts = terms[:len(at)], counts[base:]
	best, infinity := x.best[base:], x.infinity
	for i, a := range at {
		counts[a] += int(num.IsBest(terms[i], best[a], infinity))
	}
}
