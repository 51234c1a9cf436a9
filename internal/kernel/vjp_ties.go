package kernel

import "gorgonia.org/gather/internal/num"

// withOrder are the programs for elements that have a least and a greatest value.
type withOrder[A arithmetic, T ordered] struct{ loops[A, T] }

func (l withOrder[A, T]) tied(v *Terms, kind num.Kind, r num.Reduction, updates bool) func(*tile) {
	x := ties[A, T]{l.field, v.NoInit, num.As[T](Neutral(kind, r))[0],
		num.As[T](v.Grad), num.As[T](v.Data), num.As[T](v.Updates), num.As[T](v.Out)}
	find := findBest[most, A, T]
	if r == num.Min {
		find = findBest[least, A, T]
	}
	if updates {
		return func(t *tile) {
			w := items(t, x.updates, 5)
			x.ofUpdates(t, find(l.field, t, x.start(t), w), w)
		}
	}
	return func(t *tile) {
		w := items(t, x.updates, 5)
		x.ofData(t, find(l.field, t, x.start(t), w), w)
	}
}

// ties gives those terms of a target that are its result equal parts of its
// gradient, and the others nothing. NaN is the result wherever it is a term.
//
// Which term it is, no processor can guess, and a branch would take longer than
// all the rest. Nothing is divided where no terms tie.
type ties[A arithmetic, T ordered] struct {
	*field[T]
	noInit                   bool
	neutral                  T
	grad, data, updates, out []T
}

// start is the results before the first update.
func (x *ties[A, T]) start(t *tile) []T {
	if !x.noInit {
		return loadCopy(t, x.data, 0)
	}
	best := room[T](t, 0)
	fill(best, x.neutral)
	return best
}

// findBest makes of best, which begins as the old values, the results.
func findBest[R least | most, A arithmetic, T ordered](f *field[T], t *tile, best, updates []T) []T {
	var r R
	better := f.most
	if len(r) == len(least{}) {
		better = f.least
	}
	var way A
	t.forwards(func(at []int64, base, item int) {
		best, w := best[base:], updates[item:][:len(at)]
		for i, a := range at {
			if len(way) == len(native{}) {
				best[a] = combine[R](best[a], w[i])
			} else {
				best[a] = better(best[a], w[i])
			}
		}
	})
	return best
}

func (x *ties[A, T]) ofUpdates(t *tile, best, updates []T) {
	t.fillCounts(len(best), 0)
	if !x.noInit {
		for j, v := range load(t, x.data, 1) {
			t.counts[j] = tie[A](x.field, v, best[j])
		}
	}
	parts := x.parts(t)
	counts, out := t.counts, newItems(t, x.out, 4)
	several := 0
	t.forwards(func(at []int64, base, item int) {
		counts, best := counts[base:], best[base:]
		o, w := out[item:][:len(at)], updates[item:][:len(at)]
		for i, a := range at {
			u, b := w[i], best[a]
			tied := 0
			if equal[A](x.field, u, b) {
				tied = 1
			}
			if !equal[A](x.field, u, u) && !equal[A](x.field, b, b) {
				tied = 1
			}
			o[i] = parts[(base+int(a)+1)&-tied]
			n := counts[a] + tied
			counts[a] = n
			several |= n
		}
	})
	if several > 1 {
		t.forwards(func(at []int64, base, item int) {
			counts, o := counts[base:], out[item:][:len(at)]
			for i, a := range at {
				if n := counts[a]; n > 1 {
					o[i] = x.divide(o[i], n)
				}
			}
		})
	}
	putItems(t, x.out, out)
}

func (x *ties[A, T]) ofData(t *tile, best, updates []T) {
	t.fillCounts(len(best), 0)
	parts, d := x.parts(t), result(t, x.out, 3)
	for j, v := range load(t, x.data, 1) {
		tied := tie[A](x.field, v, best[j])
		t.counts[j] = tied
		d[j] = parts[(j+1)&-tied]
	}
	counts := t.counts
	several := 0
	t.forwards(func(at []int64, base, item int) {
		counts, best, w := counts[base:], best[base:], updates[item:][:len(at)]
		for i, a := range at {
			u, b := w[i], best[a]
			tied := 0
			if equal[A](x.field, u, b) {
				tied = 1
			}
			if !equal[A](x.field, u, u) && !equal[A](x.field, b, b) {
				tied = 1
			}
			n := counts[a] + tied
			counts[a] = n
			several |= n
		}
	})
	if several > 1 {
		x.quotients(d, d, counts, 1, 2)
	}
	store(t, x.out, d)
}

// parts are the gradients, with a 0 in front for the terms that get nothing.
func (x *ties[A, T]) parts(t *tile) []T {
	grad := load(t, x.grad, 1)
	parts := room[T](t, 2)[:len(grad)+1]
	parts[0] = 0
	copyAny(parts[1:], grad)
	return parts
}

// tie is 1 if two values tie, and 0 if not.
func tie[A arithmetic, T ordered](f *field[T], a, b T) int {
	tied := 0
	if equal[A](f, a, b) {
		tied = 1
	}
	if !equal[A](f, a, a) && !equal[A](f, b, b) {
		tied = 1
	}
	return tied
}
