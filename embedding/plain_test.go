package embedding_test

import (
	"math"

	"gorgonia.org/gather/embedding"
)

// A plainTable is a table as the formulas stand, row by row and number by number. It
// shares nothing with what it is compared to.
type plainTable[T float32 | float64] struct {
	w     [][]T
	s     []T // of row-wise Adagrad
	m, v  [][]T
	steps int
}

func newPlainTable[T float32 | float64](weights []T, rows, inner int, begin T) *plainTable[T] {
	p := &plainTable[T]{}
	for r := range rows {
		p.w = append(p.w, append([]T(nil), weights[r*inner:(r+1)*inner]...))
		p.m, p.v, p.s = append(p.m, make([]T, inner)), append(p.v, make([]T, inner)), append(p.s, begin)
		for c := range inner {
			p.m[r][c] = begin
		}
	}
	return p
}

// plainRule is the numbers of an optimiser.
type plainRule struct {
	name                                         string
	rate, eps, beta1, beta2, l2, clip, decay, at float64
}

// A plainGradient is the gradient of a row that one position has brought.
type plainGradient[T float32 | float64] struct {
	row int
	g   []T
}

// sum adds up the gradients of each row, and keeps the order of the rows.
func plainSum[T float32 | float64](all []plainGradient[T]) (order []int, sums map[int][]T) {
	sums = map[int][]T{}
	for _, one := range all {
		if sums[one.row] == nil {
			sums[one.row] = make([]T, len(one.g))
			order = append(order, one.row)
		}
		for c, x := range one.g {
			sums[one.row][c] += x
		}
	}
	return order, sums
}

// sixteenSums is the sum over a row in its documented order.
func sixteenSums[T float32 | float64](terms []T) T {
	var sums [16]T
	for c, x := range terms {
		sums[c%16] += x
	}
	for n := 8; n >= 1; n /= 2 {
		for i := range n {
			sums[i] += sums[i+n]
		}
	}
	return sums[0]
}

// plainStep is one step on some tables, each with the gradients of its positions.
func plainStep[T float32 | float64](rule plainRule, tables []*plainTable[T], gradients [][]plainGradient[T]) {
	orders, sums := make([][]int, len(tables)), make([]map[int][]T, len(tables))
	norm := 0.0
	for i := range tables {
		orders[i], sums[i] = plainSum(gradients[i])
		squared := 0.0
		for _, row := range orders[i] {
			var squares []float64
			for _, x := range sums[i][row] {
				squares = append(squares, float64(float64(x)*float64(x)))
			}
			squared += sixteenSums(squares)
		}
		norm += squared
	}
	scale := 1.0
	if norm = math.Sqrt(norm); rule.clip > 0 && norm > rule.clip {
		scale = rule.clip / norm
	}
	for i, t := range tables {
		t.steps++
		for _, row := range orders[i] {
			t.change(rule, row, sums[i][row], T(scale))
		}
	}
}

func plainRoot[T float32 | float64](x T) T { return T(math.Sqrt(float64(x))) }

// change changes a row by its gradient.
func (t *plainTable[T]) change(rule plainRule, row int, sum []T, scale T) {
	w, step := t.w[row], float64(t.steps)
	var squares, g []T
	for c, x := range sum {
		x = T(scale * x)
		if rule.l2 != 0 {
			x += T(T(rule.l2) * w[c])
		}
		g, squares = append(g, x), append(squares, T(x*x))
	}
	eps := T(rule.eps)
	switch rule.name {
	case "SGD":
		for c := range w {
			w[c] -= T(T(rule.rate) * g[c])
		}
	case "Adagrad":
		rate := T(rule.rate / (1 + (step-1)*rule.decay))
		for c := range w {
			t.m[row][c] += squares[c]
			w[c] -= T(rate * (g[c] / (plainRoot(t.m[row][c]) + eps)))
		}
	case "RowWiseAdagrad":
		t.s[row] += sixteenSums(squares) / T(len(w))
		rate := T(rule.rate) / (plainRoot(t.s[row]) + eps)
		for c := range w {
			w[c] -= T(rate * g[c])
		}
	case "Adam":
		rate := T(rule.rate * math.Sqrt(1-math.Pow(rule.beta2, step)) / (1 - math.Pow(rule.beta1, step)))
		for c := range w {
			t.m[row][c] += T(T(1-rule.beta1) * (g[c] - t.m[row][c]))
			t.v[row][c] += T(T(1-rule.beta2) * (squares[c] - t.v[row][c]))
			w[c] -= T(rate * (t.m[row][c] / (plainRoot(t.v[row][c]) + eps)))
		}
	}
}

// plainBag is the result of a bag of some rows, and the gradients of its positions
// when that of the result is g. Rows below 0 are none; weights may be nil.
func plainBag[T float32 | float64](t *plainTable[T], mode embedding.Mode, rows []int, weights []T, inner int) (out []T, gradients func(g []T) []plainGradient[T]) {
	if mode == embedding.SqrtN || mode == embedding.Mean && weights != nil {
		mode, weights = embedding.Sum, plainDivided(mode, rows, weights)
	}
	out = make([]T, inner)
	count, winners := 0, make([]int, inner)
	for p, row := range rows {
		if row < 0 {
			continue
		}
		for c, x := range t.w[row] {
			switch {
			case mode == embedding.Max && (count == 0 || x > out[c]):
				out[c], winners[c] = x, 1
			case mode == embedding.Max:
				if x == out[c] {
					winners[c]++
				}
			case weights != nil:
				out[c] += T(weights[p] * x)
			default:
				out[c] += x
			}
		}
		count++
	}
	if mode == embedding.Mean && count > 0 {
		for c := range out {
			out[c] /= T(count)
		}
	}
	won := map[int][]bool{}
	for p, row := range rows {
		for c := range out {
			won[p] = append(won[p], row >= 0 && t.w[row][c] == out[c])
		}
	}
	return out, func(g []T) (all []plainGradient[T]) {
		for p, row := range rows {
			if row < 0 {
				continue
			}
			part := make([]T, inner)
			for c, x := range g {
				switch {
				case mode == embedding.Mean:
					part[c] = x / T(count)
				case mode == embedding.Max && won[p][c]:
					part[c] = x / T(winners[c])
				case mode == embedding.Max:
				case weights != nil:
					part[c] = T(weights[p] * x)
				default:
					part[c] = x
				}
			}
			all = append(all, plainGradient[T]{row, part})
		}
		return all
	}
}

// plainDivided are the weights of a bag over their sum, or over the root of that of their
// squares, or 0.
func plainDivided[T float32 | float64](mode embedding.Mode, rows []int, weights []T) []T {
	divided, sum := make([]T, len(rows)), 0.0
	at := func(p int) float64 {
		if weights == nil {
			return 1
		}
		return float64(weights[p])
	}
	for p, row := range rows {
		switch w := at(p); {
		case row < 0:
		case mode == embedding.SqrtN:
			sum += float64(w * w)
		default:
			sum += w
		}
	}
	if mode == embedding.SqrtN {
		sum = math.Sqrt(sum)
	}
	for p := range divided {
		if sum != 0 {
			divided[p] = T(at(p) / sum)
		}
	}
	return divided
}
