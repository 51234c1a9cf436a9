package builders

// added is ConvTranspose by its definition: each element of X adds its products with the
// filter to the result, of those sizes, where it falls. shift is what the pads in front
// cut off.
func (g geometry) added(group int, shift, sizes []int) func(in []array) array {
	return func(in []array) array {
		x, w := in[0], in[1]
		rank := len(g.kernel)
		each, channels := w.shape[1], x.shape[1]/group
		shape := append([]int{x.shape[0], each * group}, sizes...)
		y := made(shape, func(c []int) float64 {
			if len(in) > 2 {
				return in[2].at(c[1])
			}
			return 0
		})
		for i, v := range x.values {
			from := coordinates(i, x.shape)
			for j, f := range w.values {
				at := coordinates(j, w.shape)
				if at[0] != from[1] {
					continue
				}
				to := []int{from[0], from[1]/channels*each + at[1]}
				inside := true
				for d := range rank {
					p := from[2+d]*g.strides[d] + at[2+d]*g.dilations[d] - shift[d]
					inside = inside && p >= 0 && p < sizes[d]
					to = append(to, p)
				}
				if !inside {
					continue
				}
				k := 0
				for d, n := range shape {
					k = k*n + to[d]
				}
				y.values[k] += v * f
			}
		}
		return y
	}
}

func convTransposeChecks() []check {
	line := func(n int) [][]int { return [][]int{{2, 4, 5}, {4, 3, n}, {3}} }
	one := geometry{kernel: []int{3}, strides: []int{1}, dilations: []int{1}}
	two := geometry{kernel: []int{3}, strides: []int{2}, dilations: []int{2}}
	far := geometry{kernel: []int{2}, strides: []int{3}, dilations: []int{1}}
	plane := geometry{kernel: []int{3, 2}, strides: []int{1, 2}, dilations: []int{2, 1}}
	of := func(g geometry, more map[string]any) map[string]any {
		attrs := map[string]any{"strides": longsOf(g.strides), "dilations": longsOf(g.dilations)}
		for name, v := range more {
			attrs[name] = v
		}
		return attrs
	}
	list := func(list ...int64) []int64 { return list }
	c := func(opset int, g geometry, more map[string]any, shapes [][]int, group int, shift, sizes []int) check {
		return check{op: "ConvTranspose", opset: opset, attrs: of(g, more), shapes: shapes, want: g.added(group, shift, sizes)}
	}
	return []check{
		c(1, one, nil, line(3), 1, []int{0}, []int{7}),
		c(11, two, nil, line(3), 1, []int{0}, []int{13}),
		c(11, far, nil, line(2)[:2], 1, []int{0}, []int{14}),
		c(11, two, map[string]any{"pads": list(2, 1)}, line(3), 1, []int{2}, []int{10}),
		c(11, two, map[string]any{"pads": list(1, 2), "output_padding": list(1)}, line(3), 1, []int{1}, []int{11}),
		c(11, far, map[string]any{"output_padding": list(2)}, line(2), 1, []int{0}, []int{16}),
		c(11, two, map[string]any{"output_shape": list(10)}, line(3), 1, []int{2}, []int{10}),
		c(11, two, map[string]any{"output_shape": list(10), "auto_pad": "SAME_UPPER"}, line(3), 1, []int{1}, []int{10}),
		c(11, two, map[string]any{"output_shape": list(15)}, line(3), 1, []int{0}, []int{15}),
		c(11, two, map[string]any{"auto_pad": "SAME_UPPER"}, line(3), 1, []int{1}, []int{10}),
		c(11, two, map[string]any{"auto_pad": "SAME_LOWER"}, line(3), 1, []int{2}, []int{10}),
		c(22, two, map[string]any{"auto_pad": "VALID", "kernel_shape": list(3)}, line(3), 1, []int{0}, []int{13}),
		c(11, one, map[string]any{"group": int64(2)}, [][]int{{2, 4, 3}, {4, 3, 3}, {6}}, 2, []int{0}, []int{5}),
		c(11, one, map[string]any{"group": int64(4)}, [][]int{{1, 4, 3}, {4, 1, 3}}, 4, []int{0}, []int{5}),
		c(11, plane, nil, [][]int{{2, 2, 3, 2}, {2, 3, 3, 2}, {3}}, 1, []int{0, 0}, []int{7, 4}),
		c(22, plane, map[string]any{"pads": list(1, 0, 2, 1), "output_padding": list(0, 1), "group": int64(2)}, [][]int{{1, 4, 3, 2}, {4, 2, 3, 2}}, 2, []int{1, 0}, []int{4, 4}),
		{op: "ConvTranspose", opset: 11, shapes: [][]int{{1, 2, 2, 1, 2}, {2, 1, 1, 2, 2}},
			want: geometry{kernel: []int{1, 2, 2}, strides: []int{1, 1, 1}, dilations: []int{1, 1, 1}}.added(1, []int{0, 0, 0}, []int{2, 2, 3})},
	}
}

// blockChecks are DepthToSpace and SpaceToDepth by their coordinates.
func blockChecks() []check {
	var list []check
	attrs := func(b int64, mode string) map[string]any {
		a := map[string]any{"blocksize": b}
		if mode != "" {
			a["mode"] = mode
		}
		return a
	}
	for _, c := range []struct {
		opset, b int
		mode     string
	}{{1, 2, ""}, {13, 2, "DCR"}, {11, 2, "CRD"}, {28, 3, "CRD"}, {13, 1, "DCR"}} {
		b := c.b
		n, depth, h, w := 2, 2, 2, 3
		// channel is that of a place in a block.
		channel := func(d, i, j int) int {
			if c.mode == "CRD" {
				return d*b*b + i*b + j
			}
			return (i*b+j)*depth + d
		}
		list = append(list, check{op: "DepthToSpace", opset: c.opset, attrs: attrs(int64(b), c.mode), shapes: [][]int{{n, depth * b * b, h, w}},
			want: moved([]int{n, depth, h * b, w * b}, func(x []int) []int {
				return []int{x[0], channel(x[1], x[2]%b, x[3]%b), x[2] / b, x[3] / b}
			})})
		opset, mode := 28, c.mode
		if mode != "CRD" {
			opset, mode = 13, ""
		}
		list = append(list, check{op: "SpaceToDepth", opset: opset, attrs: attrs(int64(b), mode), shapes: [][]int{{n, depth, h * b, w * b}},
			want: moved([]int{n, depth * b * b, h, w}, func(x []int) []int {
				d, place := x[1]%depth, x[1]/depth
				if mode == "CRD" {
					d, place = x[1]/(b*b), x[1]%(b*b)
				}
				return []int{x[0], d, x[2]*b + place/b, x[3]*b + place%b}
			})})
	}
	return list
}
