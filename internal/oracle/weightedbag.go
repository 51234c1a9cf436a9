package oracle

import "math"

// A Near is numbers, and for each how large the terms are that rounding errors of it are relative to.
type Near struct {
	Values, Terms Array[float64]
}

func (n *Near) add(x float64, at ...int) {
	n.Values.Set(n.Values.At(at...)+x, at...)
	n.Terms.Set(n.Terms.At(at...)+math.Abs(x), at...)
}

func nearOf(shape ...int) Near { return Near{New[float64](shape...), New[float64](shape...)} }

// WeightedBag reduces the rows of each bag by Add, Mean or SqrtN: Σ w·T, Σ w·T / Σ w or Σ w·T / √Σ w². Weights are nil for ones. A
// bag that has positions and a divisor of 0 is zeros.
func WeightedBag(table Array[float64], indices Array[int64], bags [][]int, weights []float64, rule BagRule) (Near, *BadIndex) {
	picked, bad := pickRows(table, indices, rule.Policy)
	if bad != nil {
		return Near{}, bad
	}
	out := nearOf(join([]int{len(bags)}, table.Shape[1:])...)
	for b := range bags {
		counted := count(bags[b], picked)
		divisor := bagDivisor(counted, weights, rule)
		for c := range Coordinates(table.Shape[1:]) {
			at := join([]int{b}, c)
			if len(counted) == 0 && rule.Default >= 0 {
				out.add(table.At(join([]int{rule.Default}, c)...), at...)
			}
			for _, p := range counted {
				if divisor != 0 {
					out.add(weightOf(weights, p)*table.At(join(picked[p:p+1], c)...)/divisor, at...)
				}
			}
		}
	}
	return out, nil
}

// AddWeightedBag is dst plus the gradient of the table, given that of the result: w·g over the divisor.
func AddWeightedBag(dst, grad Array[float64], indices Array[int64], bags [][]int, weights []float64, rule BagRule) (Near, *BadIndex) {
	picked, bad := pickRows(dst, indices, rule.Policy)
	if bad != nil {
		return Near{}, bad
	}
	out := nearOf(dst.Shape...)
	for at := range Coordinates(dst.Shape) {
		out.add(dst.At(at...), at...)
	}
	for b := range bags {
		counted := count(bags[b], picked)
		divisor := bagDivisor(counted, weights, rule)
		for c := range Coordinates(dst.Shape[1:]) {
			g := grad.At(join([]int{b}, c)...)
			if len(counted) == 0 && rule.Default >= 0 {
				out.add(g, join([]int{rule.Default}, c)...)
			}
			for _, p := range counted {
				if divisor != 0 {
					out.add(weightOf(weights, p)*g/divisor, join(picked[p:p+1], c)...)
				}
			}
		}
	}
	return out, nil
}

// WeightsOfBag is the gradient of the weights, given that of the result y: of Add T·g, of Mean (T-y)·g/W, and of SqrtN
// T·g/√Q - w·(y·g)/Q.
func WeightsOfBag(grad, table Array[float64], indices Array[int64], bags [][]int, weights []float64, rule BagRule) (Near, *BadIndex) {
	rule.Default = -1
	y, bad := WeightedBag(table, indices, bags, weights, rule)
	if bad != nil {
		return Near{}, bad
	}
	picked, _ := pickRows(table, indices, rule.Policy)
	out := nearOf(len(picked))
	for b := range bags {
		counted := count(bags[b], picked)
		divisor := bagDivisor(counted, weights, rule)
		for _, p := range counted {
			if divisor == 0 {
				continue
			}
			for c := range Coordinates(table.Shape[1:]) {
				at := join([]int{b}, c)
				g := grad.At(at...)
				out.add(table.At(join(picked[p:p+1], c)...)*g/divisor, p)
				times := 1.0
				switch rule.Reduction {
				case Add:
					continue
				case SqrtN:
					times = weights[p] / divisor
				}
				out.add(-times*y.Values.At(at...)*g/divisor, p)
				// The result is made of larger terms than it may be itself.
				out.Terms.Set(out.Terms.At(p)+math.Abs(times*y.Terms.At(at...)*g/divisor), p)
			}
		}
	}
	return out, nil
}

// bagDivisor is what the sum of a bag is divided by.
func bagDivisor(counted []int, weights []float64, rule BagRule) float64 {
	sum := 0.0
	for _, p := range counted {
		w := weightOf(weights, p)
		if rule.Reduction == SqrtN {
			w *= w
		}
		sum += w
	}
	switch rule.Reduction {
	case Mean:
		return sum
	case SqrtN:
		return math.Sqrt(sum)
	}
	return 1
}

func weightOf(weights []float64, p int) float64 {
	if weights == nil {
		return 1
	}
	return weights[p]
}
