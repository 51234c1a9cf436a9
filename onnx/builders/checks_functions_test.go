package builders

import (
	"math"
	"math/rand"
	"slices"
)

// near draws numbers between the kinks of the functions below: at multiples of a
// half, and none within 0.05 of them.
func near(rng *rand.Rand) float64 {
	return float64(rng.Intn(12)-6)/2 + 0.05 + 0.4*rng.Float64()
}

func attribute(name string, x any) map[string]any { return map[string]any{name: x} }

// functionChecks are those of the functions of single numbers and of what bounds
// numbers.
func functionChecks() []check {
	logistic := func(x float64) float64 { return 1 / (1 + math.Exp(-x)) }
	exponential := func(alpha float64) func(x float64) float64 {
		return func(x float64) float64 {
			if x < 0 {
				return alpha * (math.Exp(x) - 1)
			}
			return x
		}
	}
	var list []check
	for _, c := range []struct {
		op    string
		opset int
		attrs map[string]any
		f     func(x float64) float64
	}{
		{"Reciprocal", 13, nil, func(x float64) float64 { return 1 / x }},
		{"Sin", 7, nil, math.Sin}, {"Cos", 7, nil, math.Cos}, {"Tan", 22, nil, math.Tan},
		{"Floor", 13, nil, math.Floor}, {"Ceil", 13, nil, math.Ceil}, {"Round", 11, nil, math.Round},
		{"Sign", 13, nil, func(x float64) float64 { return math.Copysign(1, x) }},
		{"Gelu", 20, nil, func(x float64) float64 { return x / 2 * (1 + math.Erf(x/math.Sqrt2)) }},
		{"Gelu", 20, attribute("approximate", "none"), func(x float64) float64 { return x / 2 * (1 + math.Erf(x/math.Sqrt2)) }},
		{"Gelu", 20, attribute("approximate", "tanh"), func(x float64) float64 {
			return x / 2 * (1 + math.Tanh(math.Sqrt(2/math.Pi)*(x+0.044715*math.Pow(x, 3))))
		}},
		{"LeakyRelu", 16, attribute("alpha", float32(0.25)), func(x float64) float64 { return max(x, 0.25*x) }},
		{"ThresholdedRelu", 10, nil, func(x float64) float64 {
			if x > 1 {
				return x
			}
			return 0
		}},
		{"Elu", 6, nil, exponential(1)}, {"Elu", 22, attribute("alpha", float32(0.5)), exponential(0.5)},
		{"Selu", 6, map[string]any{"alpha": float32(1.5), "gamma": float32(2)}, func(x float64) float64 { return 2 * exponential(1.5)(x) }},
		{"Celu", 28, attribute("alpha", float32(2)), func(x float64) float64 { return 2 * exponential(1)(x/2) }},
		{"Swish", 24, attribute("alpha", float32(1.5)), func(x float64) float64 { return x * logistic(1.5*x) }},
		{"HardSigmoid", 6, attribute("alpha", float32(0.25)), func(x float64) float64 { return min(max(x/4+0.5, 0), 1) }},
		{"HardSwish", 14, nil, func(x float64) float64 { return x * min(max(x+3, 0), 6) / 6 }},
		{"Softplus", 22, nil, func(x float64) float64 { return math.Log(1 + math.Exp(x)) }},
		{"Softsign", 22, nil, func(x float64) float64 { return x / (1 + math.Abs(x)) }},
		{"Mish", 18, nil, func(x float64) float64 { return x * math.Tanh(math.Log(1+math.Exp(x))) }},
		{"Clip", 6, map[string]any{"min": float32(-1), "max": float32(0.5)}, func(x float64) float64 { return min(max(x, -1), 0.5) }},
		{"Clip", 6, attribute("min", float32(-1)), func(x float64) float64 { return max(x, -1) }},
		{"Clip", 13, nil, func(x float64) float64 { return x }},
	} {
		for _, shape := range shapesOf[:4] {
			list = append(list, check{op: c.op, opset: c.opset, attrs: c.attrs, shapes: [][]int{shape}, want: singly(c.f), at: near})
		}
	}
	largest := func(x, y float64) float64 { return max(x, y) }
	for _, shapes := range pairsOf {
		list = append(list,
			check{op: "Max", opset: 8, shapes: shapes, want: pairwise(largest)},
			check{op: "Min", opset: 13, shapes: shapes, want: pairwise(func(x, y float64) float64 { return min(x, y) })},
			check{op: "Mean", opset: 8, shapes: shapes, want: pairwise(func(x, y float64) float64 { return (x + y) / 2 })},
			check{op: "Sum", opset: 8, shapes: shapes, want: pairwise(func(x, y float64) float64 { return x + y })},
			check{op: "Mod", opset: 13, attrs: attribute("fmod", int64(1)), shapes: shapes, want: pairwise(math.Mod), at: away},
			check{op: "Mod", opset: 28, shapes: shapes, want: pairwise(func(x, y float64) float64 { return x - math.Floor(x/y)*y }), at: away})
	}
	list = append(list,
		check{op: "Max", opset: 13, shapes: [][]int{{2, 3}}, want: underShape(2, 3)},
		check{op: "Max", opset: 13, shapes: [][]int{{2, 3}, {3}, {2, 1}}, want: func(in []array) array {
			return pairwise(largest)([]array{pairwise(largest)(in[:2]), in[2]})
		}},
		check{op: "PRelu", opset: 16, shapes: [][]int{{2, 3, 4}, {3, 1}}, want: pairwise(func(x, y float64) float64 { return max(x, 0) + y*min(x, 0) }), at: away},
		check{op: "Clip", opset: 11, shapes: [][]int{{3, 4}, {}}, want: pairwise(largest)},
		check{op: "Clip", opset: 13, shapes: [][]int{{3, 4}, {1}, {1}}, want: func(in []array) array {
			return pairwise(func(x, y float64) float64 { return min(x, y) })([]array{pairwise(largest)(in[:2]), in[2]})
		}},
	)
	return list
}

// folded reduces over axes by a function of two numbers.
func folded(start float64, f func(x, y float64) float64, finish func(x float64) float64, keep bool, axes ...int) func(in []array) array {
	return func(in []array) array {
		zero := summed(false, keep, axes...)(in)
		kept := summed(false, true, axes...)(in).shape
		y := made(kept, func([]int) float64 { return start })
		for i, v := range in[0].values {
			c, at := coordinates(i, in[0].shape), 0
			for d, n := range kept {
				at = at*n + c[d]%n
			}
			y.values[at] = f(y.values[at], v)
		}
		return array{zero.shape, singly(finish)([]array{y}).values}
	}
}

func same(x float64) float64 { return x }

func extremeChecks() []check {
	var list []check
	for op, want := range map[string]func(keep bool, axes ...int) func(in []array) array{
		"ReduceMax": func(keep bool, axes ...int) func(in []array) array {
			return folded(math.Inf(-1), func(x, y float64) float64 { return max(x, y) }, same, keep, axes...)
		},
		"ReduceMin": func(keep bool, axes ...int) func(in []array) array {
			return folded(math.Inf(1), func(x, y float64) float64 { return min(x, y) }, same, keep, axes...)
		},
		"ReduceProd": func(keep bool, axes ...int) func(in []array) array {
			return folded(1, func(x, y float64) float64 { return x * y }, same, keep, axes...)
		},
		"ReduceLogSumExp": func(keep bool, axes ...int) func(in []array) array {
			return folded(0, func(x, y float64) float64 { return x + math.Exp(y) }, math.Log, keep, axes...)
		},
		"ReduceL1": func(keep bool, axes ...int) func(in []array) array {
			return folded(0, func(x, y float64) float64 { return x + math.Abs(y) }, same, keep, axes...)
		},
		"ReduceL2": func(keep bool, axes ...int) func(in []array) array {
			return folded(0, func(x, y float64) float64 { return x + y*y }, math.Sqrt, keep, axes...)
		},
		"ReduceSumSquare": func(keep bool, axes ...int) func(in []array) array {
			return folded(0, func(x, y float64) float64 { return x + y*y }, same, keep, axes...)
		},
	} {
		for _, axes := range [][]int64{{0}, {2}, {3}, {1, 3}, {0, 1, 2, 3}, {-2}} {
			var plain []int
			for _, a := range axes {
				plain = append(plain, (int(a)+4)%4)
			}
			for keep := range 2 {
				attrs := map[string]any{"keepdims": int64(keep)}
				list = append(list,
					check{op: op, opset: 20, attrs: attrs, shapes: [][]int{{2, 2, 3, 2}}, lists: [][]int64{axes}, want: want(keep == 1, plain...), at: away},
					check{op: op, opset: 11, attrs: map[string]any{"keepdims": int64(keep), "axes": axes}, shapes: [][]int{{2, 2, 3, 2}}, want: want(keep == 1, plain...), at: away})
			}
		}
		list = append(list, check{op: op, opset: 18, attrs: map[string]any{"keepdims": int64(0)}, shapes: [][]int{{}}, want: want(false), at: positives})
	}
	return list
}

// normalised are lines over axes with mean 0, if centred, and mean square 1.
func normalised(centred bool, epsilon float64, axes ...int) func(in []array) array {
	return func(in []array) array {
		x := in[0]
		if centred {
			mean := summed(true, true, axes...)([]array{x})
			x = made(x.shape, func(c []int) float64 { return in[0].at(c...) - mean.spread(c) })
		}
		square := summed(true, true, axes...)([]array{singly(func(x float64) float64 { return x * x })([]array{x})})
		return made(x.shape, func(c []int) float64 { return x.at(c...) / math.Sqrt(square.spread(c)+epsilon) })
	}
}

// timesAndPlus multiplies by the second array and adds the third, if there is one,
// each broadcast or, along axis 1, counted by the channel divided by each.
func timesAndPlus(y array, in []array, channels bool, each int) array {
	return made(y.shape, func(c []int) float64 {
		v := y.at(c...)
		for i, factor := range in[1:] {
			f := 0.0
			if channels {
				f = factor.at(c[1] / each)
			} else {
				f = factor.spread(c)
			}
			v = []float64{v * f, v + f}[i]
		}
		return v
	})
}

func normalChecks() []check {
	layer := func(centred bool, axes ...int) func(in []array) array {
		return func(in []array) array {
			return timesAndPlus(normalised(centred, float64(float32(1e-3)), axes...)(in), in, false, 0)
		}
	}
	epsilon := float32(1e-3)
	attrs := func(axis int64) map[string]any { return map[string]any{"axis": axis, "epsilon": epsilon} }
	instance := func(in []array) array {
		var axes []int
		for d := range in[0].shape[2:] {
			axes = append(axes, d+2)
		}
		return timesAndPlus(normalised(true, float64(epsilon), axes...)(in), in, true, 1)
	}
	// Groups of two channels each: their axis is divided.
	grouped := func(each int) func(in []array) array {
		return func(in []array) array {
			s := in[0].shape
			x := array{slices.Concat([]int{s[0], s[1] / 2, 2}, s[2:]), in[0].values}
			var axes []int
			for d := range s[1:] {
				axes = append(axes, d+2)
			}
			return timesAndPlus(array{s, normalised(true, float64(epsilon), axes...)([]array{x}).values}, in, true, each)
		}
	}
	batch := func(in []array) array {
		return made(in[0].shape, func(c []int) float64 {
			return (in[0].at(c...)-in[3].at(c[1]))/math.Sqrt(in[4].at(c[1])+float64(epsilon))*in[1].at(c[1]) + in[2].at(c[1])
		})
	}
	only := attribute("epsilon", epsilon)
	groups := map[string]any{"epsilon": epsilon, "num_groups": int64(2)}
	return []check{
		{op: "LayerNormalization", opset: 17, attrs: attribute("epsilon", epsilon), shapes: [][]int{{2, 3, 4}, {4}, {4}}, want: layer(true, 2)},
		{op: "LayerNormalization", opset: 17, attrs: attrs(1), shapes: [][]int{{2, 3, 4}, {3, 4}}, want: layer(true, 1, 2)},
		{op: "LayerNormalization", opset: 17, attrs: attrs(-2), shapes: [][]int{{2, 3, 4}, {4}, {3, 1}}, want: layer(true, 1, 2)},
		{op: "LayerNormalization", opset: 17, attrs: attrs(0), shapes: [][]int{{5}, {}, {1}}, want: layer(true, 0)},
		{op: "RMSNormalization", opset: 23, attrs: attrs(-1), shapes: [][]int{{2, 3, 4}, {4}}, want: layer(false, 2)},
		{op: "RMSNormalization", opset: 23, attrs: attrs(0), shapes: [][]int{{2, 3}, {2, 3}}, want: layer(false, 0, 1)},
		{op: "InstanceNormalization", opset: 6, attrs: only, shapes: [][]int{{2, 3, 4}, {3}, {3}}, want: instance},
		{op: "InstanceNormalization", opset: 22, attrs: only, shapes: [][]int{{2, 3, 4, 2}, {3}, {3}}, want: instance},
		{op: "GroupNormalization", opset: 21, attrs: groups, shapes: [][]int{{2, 4, 3}, {4}, {4}}, want: grouped(1)},
		{op: "GroupNormalization", opset: 18, attrs: groups, shapes: [][]int{{2, 4, 3, 2}, {2}, {2}}, want: grouped(2)},
		{op: "BatchNormalization", opset: 7, attrs: only, shapes: [][]int{{2, 3, 4}, {3}, {3}, {3}, {3}}, want: batch, at: positives},
		{op: "BatchNormalization", opset: 15, attrs: only, shapes: [][]int{{2, 3}, {3}, {3}, {3}, {3}}, want: batch, at: positives},
	}
}

func lineChecks() []check {
	running := func(axis int, exclusive, reverse bool) func(in []array) array {
		return func(in []array) array {
			n := in[0].shape[axis]
			return made(in[0].shape, func(c []int) float64 {
				sum, own := 0.0, c[axis]
				for i := range n {
					at := slices.Clone(c)
					at[axis] = i
					if i < own && !reverse || i > own && reverse || i == own && !exclusive {
						sum += in[0].at(at...)
					}
				}
				return sum
			})
		}
	}
	triangle := func(upper bool, k int) func(in []array) array {
		return func(in []array) array {
			return made(in[0].shape, func(c []int) float64 {
				row, column := c[len(c)-2], c[len(c)-1]
				if upper && column < row+k || !upper && column > row+k {
					return 0
				}
				return in[0].at(c...)
			})
		}
	}
	var list []check
	for exclusive := range 2 {
		for reverse := range 2 {
			attrs := map[string]any{"exclusive": int64(exclusive), "reverse": int64(reverse)}
			for axis := range 3 {
				list = append(list, check{op: "CumSum", opset: 14, attrs: attrs, shapes: [][]int{{2, 3, 4}}, lists: [][]int64{{int64(axis - 3)}},
					want: running(axis, exclusive == 1, reverse == 1)})
			}
		}
	}
	for upper := range 2 {
		for _, k := range []int64{-9, -2, -1, 0, 1, 3, math.MaxInt64} {
			list = append(list, check{op: "Trilu", opset: 14, attrs: attribute("upper", int64(upper)), shapes: [][]int{{2, 3, 4}}, lists: [][]int64{{k}},
				want: triangle(upper == 1, int(max(min(k, 100), -100)))})
		}
	}
	return append(list,
		check{op: "Trilu", opset: 14, shapes: [][]int{{3, 2}}, want: triangle(true, 0)},
		check{op: "CumSum", opset: 11, shapes: [][]int{{5}}, lists: [][]int64{{0}}, want: running(0, false, false)})
}
