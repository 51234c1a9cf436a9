package builders

import (
	"math"
	"slices"
)

// An array is a tensor of the oracle: plain, slow, and with nothing in common
// with what it is compared to.
type array struct {
	shape  []int
	values []float64
}

// made fills an array from a function of the coordinates.
func made(shape []int, at func(c []int) float64) array {
	a := array{shape: shape}
	n := 1
	for _, d := range shape {
		n *= d
	}
	for i := range n {
		a.values = append(a.values, at(coordinates(i, shape)))
	}
	return a
}

func coordinates(i int, shape []int) []int {
	c := make([]int, len(shape))
	for d := len(shape) - 1; d >= 0; d-- {
		c[d] = i % shape[d]
		i /= shape[d]
	}
	return c
}

func (a array) at(c ...int) float64 {
	i := 0
	for d, n := range a.shape {
		i = i*n + c[d]
	}
	return a.values[i]
}

// spread is the element that broadcasting puts at coordinates c.
func (a array) spread(c []int) float64 {
	own := slices.Clone(c[len(c)-len(a.shape):])
	for d, n := range a.shape {
		if n == 1 {
			own[d] = 0
		}
	}
	return a.at(own...)
}

// spreadShape is the shape of two arrays that are broadcast to each other.
func spreadShape(a, b []int) []int {
	shape := make([]int, max(len(a), len(b)))
	for d := range shape {
		shape[d] = 1
		for _, s := range [][]int{a, b} {
			if e := d - len(shape) + len(s); e >= 0 && s[e] != 1 {
				shape[d] = s[e]
			}
		}
	}
	return shape
}

// pairwise is arithmetic with broadcasting.
func pairwise(f func(x, y float64) float64) func(in []array) array {
	return func(in []array) array {
		return made(spreadShape(in[0].shape, in[1].shape), func(c []int) float64 { return f(in[0].spread(c), in[1].spread(c)) })
	}
}

func singly(f func(x float64) float64) func(in []array) array {
	return func(in []array) array {
		return made(in[0].shape, func(c []int) float64 { return f(in[0].at(c...)) })
	}
}

// underShape is the same values under another shape.
func underShape(shape ...int) func(in []array) array {
	return func(in []array) array { return array{append([]int{}, shape...), in[0].values} }
}

// moved takes every element from other coordinates.
func moved(shape []int, from func(c []int) []int) func(in []array) array {
	return func(in []array) array {
		return made(shape, func(c []int) float64 { return in[0].at(from(c)...) })
	}
}

// summed sums over axes, and divides by the number of terms for a mean.
func summed(mean, keep bool, axes ...int) func(in []array) array {
	return func(in []array) array {
		var shape, kept []int
		terms := 1
		for d, n := range in[0].shape {
			if slices.Contains(axes, d) {
				kept = append(kept, 1)
				terms *= n
			} else {
				kept, shape = append(kept, n), append(shape, n)
			}
		}
		sums := made(kept, func([]int) float64 { return 0 })
		for i, v := range in[0].values {
			c := coordinates(i, in[0].shape)
			at := 0
			for d, n := range kept {
				at = at*n + c[d]%n
			}
			sums.values[at] += v
		}
		for i := range sums.values {
			if mean {
				sums.values[i] /= float64(terms)
			}
		}
		if !keep {
			sums.shape = append([]int{}, shape...)
		}
		return sums
	}
}

// exponentials is a softmax over axes.
func exponentials(log bool, axes ...int) func(in []array) array {
	return func(in []array) array {
		exp := singly(math.Exp)(in)
		total := summed(false, true, axes...)([]array{exp})
		return made(exp.shape, func(c []int) float64 {
			y := exp.at(c...) / total.spread(c)
			if log {
				return math.Log(y)
			}
			return y
		})
	}
}

// products is MatMul for operands of rank 2 and more.
func products(in []array) array {
	a, b := in[0], in[1]
	r, q := len(a.shape), len(b.shape)
	shape := append(spreadShape(a.shape[:r-2], b.shape[:q-2]), a.shape[r-2], b.shape[q-1])
	return made(shape, func(c []int) float64 {
		sum := 0.0
		batch := c[:len(c)-2]
		for k := range a.shape[r-1] {
			x, y := slices.Clone(batch), slices.Clone(batch)
			x, y = append(x, c[len(c)-2], k), append(y, k, c[len(c)-1])
			sum += a.spread(clip(x, a.shape)) * b.spread(clip(y, b.shape))
		}
		return sum
	})
}

// clip keeps as many of the last coordinates as a shape has.
func clip(c, shape []int) []int { return c[len(c)-len(shape):] }
