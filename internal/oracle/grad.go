package oracle

import "fmt"

// ScatterElementsGrad returns the gradients of ScatterElements with respect to data and updates, where g is the gradient of
// its result. They are closed forms in the writers of each position; see grads.
func ScatterElementsGrad[T any](g, data Array[T], indices Array[int64], updates Array[T], axis int, rule Rule, arith Arith[T]) (gData, gUpdates Array[T], bad *BadIndex) {
	t, _, bad := elements(data.Shape, indices, axis, rule.policy())
	if bad != nil {
		return gData, gUpdates, bad
	}
	gData, gUpdates = grads(g, data, updates, t, rule, arith)
	return gData, gUpdates, nil
}

// ScatterNDGrad returns the gradients of ScatterND with respect to data and updates.
func ScatterNDGrad[T any](g, data Array[T], indices Array[int64], updates Array[T], rule Rule, arith Arith[T]) (gData, gUpdates Array[T], bad *BadIndex) {
	t, _, bad := tuples(data.Shape, indices, 0, rule.policy())
	if bad != nil {
		return gData, gUpdates, bad
	}
	gData, gUpdates = grads(g, data, updates, t, rule, arith)
	return gData, gUpdates, nil
}

// ScatterUpdateGrad returns the gradients of ScatterUpdate with respect to data and updates.
func ScatterUpdateGrad[T any](g, data Array[T], indices Array[int64], updates Array[T], axis int, rule Rule, arith Arith[T]) (gData, gUpdates Array[T], bad *BadIndex) {
	t, _, bad := alongAxis(data.Shape, indices, axis, 0, rule.policy())
	if bad != nil {
		return gData, gUpdates, bad
	}
	gData, gUpdates = grads(g, data, updates, t, rule, arith)
	return gData, gUpdates, nil
}

// grads goes over the positions j of data. With S(j) the writers of j, x = data[j], g = g[j]:
//
//	S(j) empty   d/dx = g
//	none         d/dx = 0          d/dw[p] = g for the last p of S(j), else 0
//	add          d/dx = g          d/dw[p] = g
//	sub          d/dx = g          d/dw[p] = -g
//	mul          d/dx = g·∏ w      d/dw[p] = g·x·∏ w[q] over the q ≠ p; the other factors conjugated
//	min, max     d/dx = g·[x=y]/N  d/dw[p] = g·[w[p]=y]/N, N the number of those equal to the result y, NaN to NaN
//	mean         d/dx = g/N        d/dw[p] = g/N, N the number of terms
//
// An update that is skipped has the gradient 0. Without init, x is no term and no factor: d/dx = 0 wherever S(j) is not empty.
func grads[T any](g, data, updates Array[T], t target, rule Rule, arith Arith[T]) (gData, gUpdates Array[T]) {
	gData, gUpdates = New[T](data.Shape...), New[T](updates.Shape...)
	writers := writersOf(data.Shape, updates.Shape, t)
	for j := range Coordinates(data.Shape) {
		ps := writers.At(j...)
		if len(ps) == 0 {
			gData.Set(g.At(j...), j...)
			continue
		}
		// terms are what the result of j is made of: the updates, and last of all x unless there is no init.
		var terms []T
		for _, p := range ps {
			terms = append(terms, updates.At(p...))
		}
		if !rule.NoInit && rule.Reduction != None {
			terms = append(terms, data.At(j...))
		}
		partials := partialsOf(g.At(j...), terms, rule.Reduction, arith)
		for i, p := range ps {
			gUpdates.Set(partials[i], p...)
		}
		gData.Set(arith.Zero, j...)
		if len(partials) > len(ps) {
			gData.Set(partials[len(ps)], j...)
			// x is what the updates are subtracted from, so it alone has the plus sign.
			if rule.Reduction == Sub {
				gData.Set(g.At(j...), j...)
			}
		}
	}
	return gData, gUpdates
}

// partialsOf returns g times the partial derivative of the result with respect to each term.
func partialsOf[T any](g T, terms []T, reduction Reduction, arith Arith[T]) []T {
	partials := make([]T, len(terms))
	for i := range terms {
		switch reduction {
		case None:
			partials[i] = arith.Zero
			if i == len(terms)-1 {
				partials[i] = g
			}
		case Add:
			partials[i] = g
		case Sub:
			partials[i] = arith.Sub(arith.Zero, g)
		case Mul:
			partials[i] = g
			for other, factor := range terms {
				if other != i {
					partials[i] = arith.Mul(partials[i], arith.Conj(factor))
				}
			}
		case Min, Max:
			partials[i] = arith.Zero
			if y, n := extreme(terms, reduction, arith); arith.Same(terms[i], y) {
				partials[i] = arith.Div(g, n)
			}
		case Mean:
			partials[i] = arith.Div(g, len(terms))
		default:
			panic(fmt.Sprintf("oracle: unknown reduction %v", reduction))
		}
	}
	return partials
}

// extreme returns the least or greatest of the terms and how many of them equal it.
func extreme[T any](terms []T, reduction Reduction, arith Arith[T]) (y T, n int) {
	op := arith.Min
	if reduction == Max {
		op = arith.Max
	}
	y = terms[0]
	for _, term := range terms[1:] {
		y = op(y, term)
	}
	for _, term := range terms {
		if arith.Same(term, y) {
			n++
		}
	}
	return y, n
}
