package builders

import (
	"math"
	"slices"
)

// pairsOf are shapes that broadcast to each other, of ranks 0 to 5.
var pairsOf = [][][]int{
	{{}, {}}, {{4}, {4}}, {{4}, {}}, {{}, {2, 3}}, {{1}, {3}}, {{2, 3}, {3}}, {{3}, {2, 3}}, {{2, 3}, {2, 1}}, {{2, 1}, {1, 3}},
	{{2, 3, 4}, {3, 1}}, {{2, 3, 4}, {2, 3, 4}}, {{2, 1, 4}, {3, 1}}, {{2, 2, 3, 2}, {2, 1, 1}}, {{2, 3, 2, 2, 3}, {3, 1, 2, 1}}, {{1, 1}, {2, 3}},
}

// shapesOf are shapes of ranks 0 to 5.
var shapesOf = [][]int{{}, {5}, {2, 3}, {2, 3, 4}, {2, 3, 1, 4}, {2, 2, 3, 2, 2}}

func checks() []check {
	var list []check
	for op, f := range map[string]func(x, y float64) float64{
		"Add": func(x, y float64) float64 { return x + y },
		"Sub": func(x, y float64) float64 { return x - y },
		"Mul": func(x, y float64) float64 { return x * y },
		"Div": func(x, y float64) float64 { return x / y },
		"Pow": math.Pow,
	} {
		for _, shapes := range pairsOf {
			at := away
			if op == "Pow" {
				at = positives
			}
			list = append(list, check{op: op, opset: 14, shapes: shapes, want: pairwise(f), at: at})
		}
	}
	for op, f := range map[string]func(x float64) float64{
		"Neg": func(x float64) float64 { return -x }, "Abs": math.Abs, "Exp": math.Exp, "Log": math.Log, "Sqrt": math.Sqrt,
		"Tanh": math.Tanh, "Sigmoid": func(x float64) float64 { return 1 / (1 + math.Exp(-x)) }, "Erf": math.Erf,
		"Relu": func(x float64) float64 { return max(x, 0) },
	} {
		for _, shape := range shapesOf {
			at := away
			if op == "Log" || op == "Sqrt" {
				at = positives
			}
			list = append(list, check{op: op, opset: 13, shapes: [][]int{shape}, want: singly(f), at: at})
		}
	}
	for _, op := range []string{"Softmax", "LogSoftmax"} {
		for _, shape := range shapesOf[1:] {
			for axis := range shape {
				var rest []int
				for d := axis; d < len(shape); d++ {
					rest = append(rest, d)
				}
				attrs := map[string]any{"axis": int64(axis)}
				list = append(list,
					check{op: op, opset: 13, attrs: attrs, shapes: [][]int{shape}, want: exponentials(op == "LogSoftmax", axis)},
					check{op: op, opset: 12, attrs: attrs, shapes: [][]int{shape}, want: exponentials(op == "LogSoftmax", rest...)})
			}
			list = append(list, check{op: op, opset: 17, shapes: [][]int{shape}, want: exponentials(op == "LogSoftmax", len(shape)-1)})
		}
	}
	return slices.Concat(list, reduceChecks(), shapeChecks(), productChecks(), functionChecks(), extremeChecks(), normalChecks(), lineChecks(), windowChecks(), padChecks(), einsumChecks(), convTransposeChecks(), blockChecks(), topKChecks())
}

func reduceChecks() []check {
	var list []check
	for _, op := range []string{"ReduceSum", "ReduceMean"} {
		for _, axes := range [][]int64{{0}, {1}, {2}, {3}, {2, 3}, {0, 2}, {1, 3}, {0, 1, 2, 3}, {-2}} {
			var plain []int
			for _, a := range axes {
				plain = append(plain, (int(a)+4)%4)
			}
			for _, keep := range []bool{false, true} {
				flag := int64(0)
				if keep {
					flag = 1
				}
				want := summed(op == "ReduceMean", keep, plain...)
				shapes := [][]int{{2, 2, 3, 2}}
				list = append(list,
					check{op: op, opset: 18, attrs: map[string]any{"keepdims": flag}, shapes: shapes, lists: [][]int64{axes}, want: want},
					check{op: op, opset: 11, attrs: map[string]any{"keepdims": flag, "axes": axes}, shapes: shapes, want: want})
			}
		}
		for _, shape := range shapesOf {
			var every []int
			for d := range shape {
				every = append(every, d)
			}
			list = append(list, check{op: op, opset: 18, attrs: map[string]any{"keepdims": int64(0)}, shapes: [][]int{shape}, want: summed(op == "ReduceMean", false, every...)})
		}
		list = append(list, check{op: op, opset: 18, attrs: map[string]any{"noop_with_empty_axes": int64(1)}, shapes: [][]int{{2, 3}}, lists: [][]int64{{}}, want: summed(false, true)})
	}
	return list
}

func shapeChecks() []check {
	one := func(shape ...int) [][]int { return [][]int{shape} }
	axis := func(a int64) map[string]any { return map[string]any{"axis": a} }
	axes := func(a ...int64) map[string]any { return map[string]any{"axes": a} }
	return []check{
		{op: "Reshape", opset: 13, shapes: one(2, 3, 4), lists: [][]int64{{4, -1}}, want: underShape(4, 6)},
		{op: "Reshape", opset: 13, shapes: one(2, 3, 4), lists: [][]int64{{0, 0, 2, 2}}, want: underShape(2, 3, 2, 2)},
		{op: "Reshape", opset: 14, shapes: one(6), lists: [][]int64{{1, 2, 1, 3, 1}}, want: underShape(1, 2, 1, 3, 1)},
		{op: "Reshape", opset: 5, shapes: one(1, 1), lists: [][]int64{{}}, want: underShape()},
		{op: "Reshape", opset: 5, shapes: one(), lists: [][]int64{{-1}}, want: underShape(1)},
		{op: "Reshape", opset: 4, attrs: map[string]any{"shape": ints(3, -1)}, shapes: one(2, 3), want: underShape(3, 2)},
		{op: "Flatten", opset: 13, shapes: one(2, 3, 4), want: underShape(2, 12)},
		{op: "Flatten", opset: 13, attrs: axis(0), shapes: one(2, 3), want: underShape(1, 6)},
		{op: "Flatten", opset: 9, attrs: axis(3), shapes: one(2, 3, 4), want: underShape(24, 1)},
		{op: "Flatten", opset: 11, attrs: axis(-2), shapes: one(2, 3, 4, 2), want: underShape(6, 8)},
		{op: "Flatten", opset: 11, shapes: one(3), want: underShape(3, 1)},
		{op: "Squeeze", opset: 12, attrs: axes(0, -2), shapes: one(1, 3, 1, 1), want: underShape(3, 1)},
		{op: "Squeeze", opset: 13, shapes: one(1, 3, 1, 1), want: underShape(3)},
		{op: "Squeeze", opset: 13, shapes: one(1, 3, 1, 2, 1), lists: [][]int64{{-1, 0}}, want: underShape(3, 1, 2)},
		{op: "Squeeze", opset: 13, shapes: one(1), want: underShape()},
		{op: "Unsqueeze", opset: 12, attrs: axes(0, -1), shapes: one(2, 3), want: underShape(1, 2, 3, 1)},
		{op: "Unsqueeze", opset: 13, shapes: one(2, 3), lists: [][]int64{{3, 1}}, want: underShape(2, 1, 3, 1)},
		{op: "Unsqueeze", opset: 13, shapes: one(), lists: [][]int64{{0}}, want: underShape(1)},
		{op: "Transpose", opset: 13, shapes: one(2, 3, 4), want: moved([]int{4, 3, 2}, func(c []int) []int { return []int{c[2], c[1], c[0]} })},
		{op: "Transpose", opset: 13, attrs: map[string]any{"perm": ints(0, 2, 1, 3)}, shapes: one(2, 3, 4, 2),
			want: moved([]int{2, 4, 3, 2}, func(c []int) []int { return []int{c[0], c[2], c[1], c[3]} })},
		{op: "Transpose", opset: 1, attrs: map[string]any{"perm": ints(3, 0, 4, 1, 2)}, shapes: one(2, 3, 2, 2, 3),
			want: moved([]int{2, 2, 3, 3, 2}, func(c []int) []int { return []int{c[1], c[3], c[4], c[0], c[2]} })},
		{op: "Transpose", opset: 13, shapes: one(3), want: underShape(3)},
		{op: "Expand", opset: 13, shapes: one(3, 1), lists: [][]int64{{2, 1, 4}}, want: moved([]int{2, 3, 4}, func(c []int) []int { return []int{c[1], 0} })},
		{op: "Expand", opset: 8, shapes: one(3, 2), lists: [][]int64{{1}}, want: underShape(3, 2)},
		{op: "Slice", opset: 13, shapes: one(5, 4), lists: [][]int64{{3, -1}, {0, -5}, {0, 1}, {-2, -3}},
			want: moved([]int{2, 2}, func(c []int) []int { return []int{3 - 2*c[0], 3 - 3*c[1]} })},
		{op: "Slice", opset: 10, shapes: one(5, 4, 2), lists: [][]int64{{1, 1}, {100, 2}}, want: moved([]int{4, 1, 2}, func(c []int) []int { return []int{c[0] + 1, c[1] + 1, c[2]} })},
		{op: "Slice", opset: 9, attrs: map[string]any{"starts": ints(1), "ends": ints(-1), "axes": ints(1)}, shapes: one(2, 4), want: moved([]int{2, 2}, func(c []int) []int { return []int{c[0], c[1] + 1} })},
		{op: "Slice", opset: 13, shapes: one(7), lists: [][]int64{{0}, {math.MaxInt64}, nil, {3}}, want: moved([]int{3}, func(c []int) []int { return []int{3 * c[0]} })},
		{op: "Split", opset: 13, attrs: axis(1), shapes: one(2, 5), lists: [][]int64{{2, 3}}, axis: 1, want: moved([]int{2, 5}, func(c []int) []int { return []int{c[0], (c[1] + 2) % 5} })},
		{op: "Split", opset: 11, attrs: axis(-1), among: []string{"a", "b"}, shapes: one(2, 4), axis: 1, want: moved([]int{2, 4}, func(c []int) []int { return []int{c[0], (c[1] + 2) % 4} })},
		{op: "Split", opset: 13, attrs: axis(0), shapes: one(4, 2), lists: [][]int64{{4}}, want: moved([]int{4, 2}, func(c []int) []int { return c })},
		{op: "Split", opset: 18, attrs: map[string]any{"num_outputs": int64(3)}, shapes: one(8, 2), want: moved([]int{8, 2}, func(c []int) []int { return []int{[]int{6, 7, 3, 4, 5, 0, 1, 2}[c[0]], c[1]} })},
		{op: "Concat", opset: 13, attrs: axis(0), shapes: [][]int{{2}, {3}, {1}}, want: joined(0)},
		{op: "Concat", opset: 13, attrs: axis(-1), shapes: [][]int{{2, 3}, {2, 1}}, want: joined(1)},
		{op: "Concat", opset: 3, shapes: [][]int{{2, 2, 3}, {2, 1, 3}}, want: joined(1)},
		{op: "Concat", opset: 13, attrs: axis(2), shapes: [][]int{{2, 1, 1, 3}, {2, 1, 2, 3}, {2, 1, 1, 3}, {2, 1, 1, 3}, {2, 1, 3, 3}, {2, 1, 1, 3}, {2, 1, 1, 3}}, want: joined(2)},
		{op: "Concat", opset: 13, attrs: axis(4), shapes: [][]int{{2, 1, 2, 2, 1}, {2, 1, 2, 2, 2}}, want: joined(4)},
		{op: "Cast", opset: 13, attrs: map[string]any{"to": int64(11)}, shapes: one(2, 3), want: underShape(2, 3)},
		{op: "Cast", opset: 13, attrs: map[string]any{"to": int64(11)}, shapes: one(), want: underShape()},
	}
}

// joined puts arrays behind each other along an axis.
func joined(axis int) func(in []array) array {
	return func(in []array) array {
		shape := slices.Clone(in[0].shape)
		for _, a := range in[1:] {
			shape[axis] += a.shape[axis]
		}
		return made(shape, func(c []int) float64 {
			c = slices.Clone(c)
			for _, a := range in {
				if c[axis] < a.shape[axis] {
					return a.at(c...)
				}
				c[axis] -= a.shape[axis]
			}
			panic("unreachable")
		})
	}
}

func productChecks() []check {
	var list []check
	for _, shapes := range [][][]int{
		{{2, 3}, {3, 4}}, {{1, 3}, {3, 1}}, {{2, 2, 3}, {2, 3, 4}}, {{2, 2, 3}, {3, 4}}, {{2, 3}, {2, 3, 4}},
		{{2, 1, 2, 3}, {3, 3, 2}}, {{2, 3, 2, 3}, {2, 3, 3, 2}}, {{2, 1, 2, 1, 3}, {3, 1, 3, 2}},
	} {
		list = append(list, check{op: "MatMul", opset: 13, shapes: shapes, want: products})
	}
	// Operands of rank 1, by way of the matrices they stand for.
	as := func(a, b, y []int) func(in []array) array {
		return func(in []array) array {
			return array{append([]int{}, y...), products([]array{{a, in[0].values}, {b, in[1].values}}).values}
		}
	}
	list = append(list,
		check{op: "MatMul", opset: 1, shapes: [][]int{{3}, {3}}, want: as([]int{1, 3}, []int{3, 1}, nil)},
		check{op: "MatMul", opset: 9, shapes: [][]int{{3}, {3, 4}}, want: as([]int{1, 3}, []int{3, 4}, []int{4})},
		check{op: "MatMul", opset: 9, shapes: [][]int{{2, 3}, {3}}, want: as([]int{2, 3}, []int{3, 1}, []int{2})},
		check{op: "MatMul", opset: 9, shapes: [][]int{{3}, {2, 2, 3, 4}}, want: as([]int{1, 3}, []int{2, 2, 3, 4}, []int{2, 2, 4})},
		check{op: "MatMul", opset: 9, shapes: [][]int{{2, 2, 4, 3}, {3}}, want: as([]int{2, 2, 4, 3}, []int{3, 1}, []int{2, 2, 4})},
	)
	for flags := range 4 {
		a, b := []int{2, 3}, []int{3, 4}
		attrs := map[string]any{"alpha": float32(0.5), "beta": float32(2)}
		if flags&1 == 1 {
			a, attrs["transA"] = []int{3, 2}, int64(1)
		}
		if flags&2 == 2 {
			b, attrs["transB"] = []int{4, 3}, int64(1)
		}
		for _, bias := range [][]int{nil, {}, {1}, {4}, {2, 1}, {1, 4}, {2, 4}} {
			shapes := [][]int{a, b}
			if bias != nil {
				shapes = append(shapes, bias)
			}
			list = append(list, check{op: "Gemm", opset: 11, attrs: attrs, shapes: shapes, want: func(in []array) array {
				turned := func(a array, turn bool) array {
					if !turn {
						return a
					}
					return made([]int{a.shape[1], a.shape[0]}, func(c []int) float64 { return a.at(c[1], c[0]) })
				}
				y := products([]array{turned(in[0], flags&1 == 1), turned(in[1], flags&2 == 2)})
				return made(y.shape, func(c []int) float64 {
					if bias == nil {
						return 0.5 * y.at(c...)
					}
					return 0.5*y.at(c...) + 2*in[2].spread(c)
				})
			}})
		}
	}
	return list
}
