package builders

import (
	"math"
	"math/rand"
	"slices"
)

// A geometry is a window as the attributes of a node give it, for the oracle.
type geometry struct{ kernel, strides, dilations, pads []int }

func (g geometry) attributes(more map[string]any) map[string]any {
	attrs := map[string]any{"kernel_shape": longsOf(g.kernel), "strides": longsOf(g.strides), "dilations": longsOf(g.dilations), "pads": longsOf(g.pads)}
	for name, x := range more {
		attrs[name] = x
	}
	return attrs
}

func longsOf(list []int) []int64 {
	var l []int64
	for _, n := range list {
		l = append(l, int64(n))
	}
	return l
}

// places are how many places the window has on each axis of X; ceil rounds up.
func (g geometry) places(x []int, ceil bool) []int {
	var out []int
	for d, k := range g.kernel {
		n := 0
		for start := -g.pads[d]; ; start += g.strides[d] {
			extent := (k-1)*g.dilations[d] + 1
			last := start+extent <= x[d+2]+g.pads[d+len(g.kernel)]
			if !last && !(ceil && start < x[d+2] && start+extent-g.strides[d] < x[d+2]+g.pads[d+len(g.kernel)]) {
				break
			}
			n++
		}
		out = append(out, n)
	}
	return out
}

// each visits the coordinates under the window at a place, of which some are in
// the pads and some behind them.
func (g geometry) each(place []int, visit func(k, at []int)) {
	n := 1
	for _, k := range g.kernel {
		n *= k
	}
	for i := range n {
		k := coordinates(i, g.kernel)
		at := make([]int, len(k))
		for d := range k {
			at[d] = place[d]*g.strides[d] - g.pads[d] + k[d]*g.dilations[d]
		}
		visit(k, at)
	}
}

func isInside(at, sizes []int) bool {
	for d, x := range at {
		if x < 0 || x >= sizes[d] {
			return false
		}
	}
	return true
}

// convolved is Conv, sum by sum.
func (g geometry) convolved(group int) func(in []array) array {
	return func(in []array) array {
		x, w := in[0], in[1]
		each, filters := w.shape[1], w.shape[0]/group
		shape := append([]int{x.shape[0], w.shape[0]}, g.places(x.shape, false)...)
		return made(shape, func(c []int) float64 {
			sum := 0.0
			if len(in) > 2 {
				sum = in[2].at(c[1])
			}
			g.each(c[2:], func(k, at []int) {
				for i := range each {
					if isInside(at, x.shape[2:]) {
						sum += x.at(append([]int{c[0], c[1]/filters*each + i}, at...)...) * w.at(append([]int{c[1], i}, k...)...)
					}
				}
			})
			return sum
		})
	}
}

// pooled is the largest element, or the mean.
func (g geometry) pooled(mean, include, ceil bool) func(in []array) array {
	return func(in []array) array {
		x := in[0]
		return made(append(slices.Clone(x.shape[:2]), g.places(x.shape, ceil)...), func(c []int) float64 {
			largest, sum, n := math.Inf(-1), 0.0, 0.0
			g.each(c[2:], func(_, at []int) {
				padded, sizes := slices.Clone(at), slices.Clone(x.shape[2:])
				for d := range padded {
					padded[d] += g.pads[d]
					sizes[d] += g.pads[d] + g.pads[d+len(at)]
				}
				if isInside(at, x.shape[2:]) {
					v := x.at(append(slices.Clone(c[:2]), at...)...)
					largest, sum = max(largest, v), sum+v
					n++
				} else if include && isInside(padded, sizes) {
					n++
				}
			})
			if mean {
				return sum / n
			}
			return largest
		})
	}
}

func windowChecks() []check {
	var list []check
	for _, g := range []geometry{
		{[]int{3}, []int{1}, []int{1}, []int{0, 0}}, {[]int{2}, []int{2}, []int{1}, []int{1, 0}}, {[]int{3}, []int{2}, []int{2}, []int{2, 1}}, {[]int{1}, []int{3}, []int{1}, []int{0, 0}},
	} {
		for _, group := range []int{1, 2} {
			list = append(list,
				check{op: "Conv", opset: 11, attrs: g.attributes(attribute("group", int64(group))), shapes: [][]int{{2, 4, 7}, {6, 4 / group, g.kernel[0]}, {6}}, want: g.convolved(group)})
		}
		list = append(list, poolChecks(g, []int{2, 3, 7})...)
	}
	for _, g := range []geometry{
		{[]int{2, 3}, []int{1, 2}, []int{1, 1}, []int{0, 0, 0, 0}}, {[]int{3, 2}, []int{2, 1}, []int{1, 2}, []int{1, 0, 1, 1}}, {[]int{3, 3}, []int{2, 2}, []int{1, 1}, []int{1, 1, 1, 1}},
	} {
		list = append(list,
			check{op: "Conv", opset: 22, attrs: g.attributes(nil), shapes: [][]int{{2, 2, 5, 4}, append([]int{3, 2}, g.kernel...)}, want: g.convolved(1)},
			check{op: "Conv", opset: 1, attrs: g.attributes(attribute("group", int64(2))), shapes: [][]int{{1, 2, 5, 4}, append([]int{2, 1}, g.kernel...), {2}}, want: g.convolved(2)})
		list = append(list, poolChecks(g, []int{1, 2, 5, 4})...)
	}
	three := geometry{[]int{2, 1, 2}, []int{1, 1, 2}, []int{1, 1, 1}, []int{0, 0, 0, 1, 0, 0}}
	return append(list,
		check{op: "Conv", opset: 11, attrs: three.attributes(nil), shapes: [][]int{{1, 2, 3, 2, 4}, {2, 2, 2, 1, 2}}, want: three.convolved(1)},
		check{op: "MaxPool", opset: 12, attrs: three.attributes(nil), shapes: [][]int{{1, 2, 3, 2, 4}}, want: three.pooled(false, false, false), at: shuffled},
		check{op: "GlobalAveragePool", opset: 1, shapes: [][]int{{2, 3, 4, 2}}, want: summed(true, true, 2, 3)},
		check{op: "GlobalMaxPool", opset: 22, shapes: [][]int{{2, 3, 4}}, want: folded(math.Inf(-1), func(x, y float64) float64 { return max(x, y) }, same, true, 2)},
	)
}

// shuffled draws numbers that are far from each other.
func shuffled(rng *rand.Rand) float64 { return rng.NormFloat64() * 100 }

func poolChecks(g geometry, shape []int) []check {
	var list []check
	for flags := range 4 {
		ceil, include := flags&1, flags>>1
		attrs := g.attributes(map[string]any{"ceil_mode": int64(ceil), "count_include_pad": int64(include)})
		list = append(list, check{op: "AveragePool", opset: 19, attrs: attrs, shapes: [][]int{shape}, want: g.pooled(true, include == 1, ceil == 1)})
		if include == 0 {
			list = append(list, check{op: "MaxPool", opset: 11, attrs: g.attributes(map[string]any{"ceil_mode": int64(ceil)}), shapes: [][]int{shape}, want: g.pooled(false, false, ceil == 1), at: shuffled})
		}
	}
	return list
}

// source is where an element of a padded axis comes from, -1 for none.
func source(mode string, i, begin, n int) int {
	i -= begin
	switch {
	case i >= 0 && i < n:
		return i
	case mode == "constant":
		return -1
	case mode == "edge":
		return min(max(i, 0), n-1)
	case mode == "wrap":
		return (i + 10*n) % n
	case i < 0:
		return -i
	}
	return 2*(n-1) - i
}

func padChecks() []check {
	var list []check
	for _, mode := range []string{"constant", "reflect", "edge", "wrap"} {
		for _, pads := range [][]int64{{0, 0, 0, 0}, {1, 2, 0, 1}, {0, 3, 2, 0}, {-1, 1, 1, -2}, {-1, -1, 0, 0}} {
			list = append(list, check{op: "Pad", opset: 19, attrs: attribute("mode", mode), shapes: [][]int{{3, 4}}, lists: [][]int64{pads},
				want: func(in []array) array {
					x := in[0]
					for d := range 2 {
						begin, end := int(pads[d]), int(pads[d+2])
						cut, rest := max(-begin, 0), max(-end, 0)
						shape := slices.Clone(x.shape)
						n := shape[d] - cut - rest
						shape[d] += begin + end
						from := x
						x = made(shape, func(c []int) float64 {
							at := slices.Clone(c)
							if at[d] = source(mode, c[d], max(begin, 0), n); at[d] < 0 {
								return 0
							}
							at[d] += cut
							return from.at(at...)
						})
					}
					return x
				}})
		}
	}
	for _, repeats := range [][]int64{{1, 1, 1}, {2, 1, 3}, {1, 4, 1}} {
		list = append(list, check{op: "Tile", opset: 13, shapes: [][]int{{2, 3, 2}}, lists: [][]int64{repeats}, want: func(in []array) array {
			shape := slices.Clone(in[0].shape)
			for d, r := range repeats {
				shape[d] *= int(r)
			}
			return made(shape, func(c []int) float64 {
				at := slices.Clone(c)
				for d, n := range in[0].shape {
					at[d] %= n
				}
				return in[0].at(at...)
			})
		}})
	}
	return append(list, check{op: "Pad", opset: 2, attrs: map[string]any{"pads": ints(1, 0)}, shapes: [][]int{{2}}, want: func(in []array) array {
		return array{[]int{3}, append([]float64{0}, in[0].values...)}
	}})
}
