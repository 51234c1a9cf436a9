package onnxruntime

import "slices"

// A drawn operator changes the result of a drawing, or returns false if it cannot.
type drawnOperator struct {
	name  string
	since int
	draw  func(d *drawing) bool
}

// drawings are the operators of random models.
var drawings = slices.Concat(
	pointwise("Neg", "Tanh", "Sigmoid", "Relu", "Abs"),
	[]drawnOperator{
		{"Exp", 7, func(d *drawing) bool { return d.set(d.add("Exp", nil, d.add("Tanh", nil, d.x)), d.shape...) }},
		{"Log", 7, func(d *drawing) bool { return d.set(d.add("Log", nil, d.positive(d.x)), d.shape...) }},
		{"Sqrt", 7, func(d *drawing) bool { return d.set(d.add("Sqrt", nil, d.positive(d.x)), d.shape...) }},
		{"Erf", 9, func(d *drawing) bool {
			return d.m.DType == Float && d.set(d.add("Erf", nil, d.x), d.shape...) // ONNX Runtime has it for float alone
		}},
		{"Add", 7, arithmetic("Add")}, {"Sub", 7, arithmetic("Sub")}, {"Mul", 7, arithmetic("Mul")},
		{"Div", 7, arithmetic("Div")}, {"Pow", 7, arithmetic("Pow")},
		{"Softmax", 7, softmax("Softmax")}, {"LogSoftmax", 7, softmax("LogSoftmax")},
		{"ReduceSum", 7, reduction("ReduceSum", 13)}, {"ReduceMean", 7, reduction("ReduceMean", 18)},
		{"MatMul", 7, drawMatMul}, {"Gemm", 7, drawGemm},
		{"Transpose", 7, drawTranspose}, {"Reshape", 7, drawReshape}, {"Reshape computed", 13, drawComputedReshape},
		{"Flatten", 9, drawFlatten}, {"Squeeze", 7, drawSqueeze}, {"Unsqueeze", 7, drawUnsqueeze}, {"Expand", 8, drawExpand},
		{"Slice", 10, drawSlice}, {"Split", 7, drawSplit}, {"Concat", 7, drawConcat},
		{"Cast", 9, drawCast}, {"Where", 9, drawWhere}, {"Dropout", 12, func(d *drawing) bool { return d.set(d.add("Dropout", nil, d.x), d.shape...) }},
		{"Gather", 7, drawGather}, {"GatherElements", 11, drawGatherElements}, {"GatherND", 12, drawGatherND},
		{"ScatterElements", 11, drawScatterElements}, {"ScatterND", 11, drawScatterND},
	},
	functionDrawings,
)

func pointwise(names ...string) (list []drawnOperator) {
	for _, name := range names {
		list = append(list, drawnOperator{name, 7, func(d *drawing) bool { return d.set(d.add(name, nil, d.x), d.shape...) }})
	}
	return list
}

// partner draws a shape that broadcasts to another one.
func (d *drawing) partner(shape []int) []int {
	p := slices.Clone(shape[d.rng.IntN(len(shape)+1):])
	for i := range p {
		if d.rng.IntN(3) == 0 {
			p[i] = 1
		}
	}
	return p
}

// arithmetic takes a new input as the other operand, which broadcasts to the result so far, or the other way round.
func arithmetic(op string) func(d *drawing) bool {
	return func(d *drawing) bool {
		if d.rng.IntN(8) == 0 && op != "Pow" && op != "Div" { // an operand that comes twice
			return d.set(d.add(op, nil, d.x, d.add("Tanh", nil, d.x)), d.shape...)
		}
		other, shape := d.partner(d.shape), d.shape
		if d.rng.IntN(4) == 0 && len(d.shape) < 5 && elements(d.shape)*2 <= maxElements {
			other, shape = append([]int{2}, d.shape...), append([]int{2}, d.shape...)
		}
		a, b := d.x, d.input(other)
		switch op {
		case "Div":
			b = d.positive(b)
		case "Pow":
			a = d.positive(a)
		default:
			if d.rng.IntN(2) == 0 {
				a, b = b, a
			}
		}
		return d.set(d.add(op, nil, a, b), shape...)
	}
}

func softmax(op string) func(d *drawing) bool {
	return func(d *drawing) bool {
		if len(d.shape) == 0 {
			return false
		}
		_, axis := d.axis(len(d.shape))
		if d.m.Opset < 11 {
			axis = (axis + int64(len(d.shape))) % int64(len(d.shape))
		}
		return d.set(d.add(op, Attributes{"axis": axis}, d.x), d.shape...)
	}
}

// reduction reduces over some axes, or over all of them by giving none.
func reduction(op string, inputSince int) func(d *drawing) bool {
	return func(d *drawing) bool {
		var axes []int64
		keep := d.rng.IntN(2)
		shape := []int{}
		all := d.rng.IntN(4) == 0
		for axis, n := range d.shape {
			switch {
			case all || d.rng.IntN(2) == 0:
				axes = append(axes, int64(axis))
				if d.rng.IntN(2) == 0 && d.m.Opset >= 11 {
					axes[len(axes)-1] -= int64(len(d.shape))
				}
				if keep == 1 {
					shape = append(shape, 1)
				}
			default:
				shape = append(shape, n)
			}
		}
		attrs, inputs := Attributes{"keepdims": int64(keep)}, []string{d.x}
		switch {
		case len(axes) == 0 && !all:
			return false
		case all && d.rng.IntN(2) == 0: // all, by default
		case d.m.Opset < inputSince:
			attrs["axes"] = axes
		default:
			inputs = append(inputs, d.longs(axes))
		}
		return d.set(d.add(op, attrs, inputs...), shape...)
	}
}

func drawMatMul(d *drawing) bool {
	r := len(d.shape)
	if r == 0 {
		return false
	}
	k, n := d.shape[r-1], 1+d.rng.IntN(3)
	if elements(d.shape)/k*n > maxElements {
		return false
	}
	batch := d.shape[:max(0, r-2)]
	switch d.rng.IntN(4) {
	case 0: // a vector
		return d.set(d.add("MatMul", nil, d.x, d.input([]int{k})), d.shape[:r-1]...)
	case 1: // from the other side
		if r < 2 {
			return false
		}
		m := d.shape[r-2]
		shape := append(slices.Clone(batch), n, k)
		return d.set(d.add("MatMul", nil, d.input([]int{n, m}), d.x), shape...)
	case 2: // with a batch of its own
		if r < 2 {
			return false
		}
		other := append(slices.Clone(d.partner(batch)), k, n)
		return d.set(d.add("MatMul", nil, d.x, d.input(other)), append(slices.Clone(batch), d.shape[r-2], n)...)
	}
	return d.set(d.add("MatMul", nil, d.x, d.input([]int{k, n})), append(slices.Clone(d.shape[:r-1]), n)...)
}

func drawGemm(d *drawing) bool {
	if len(d.shape) != 2 {
		return false
	}
	attrs := Attributes{}
	m, k, n := d.shape[0], d.shape[1], 1+d.rng.IntN(4)
	if d.rng.IntN(2) == 0 {
		m, k, attrs["transA"] = k, m, int64(1)
	}
	b := []int{k, n}
	if d.rng.IntN(2) == 0 {
		b, attrs["transB"] = []int{n, k}, int64(1)
	}
	if d.rng.IntN(2) == 0 {
		attrs["alpha"], attrs["beta"] = float32(0.5), float32(1.5)
	}
	inputs := []string{d.x, d.input(b)}
	if d.m.Opset < 11 || d.rng.IntN(2) == 0 {
		c := d.partner([]int{m, n})
		inputs = append(inputs, d.input(c))
	}
	return d.set(d.add("Gemm", attrs, inputs...), m, n)
}

// drawCast goes to double and back, where that changes nothing.
func drawCast(d *drawing) bool {
	if d.m.DType == Double {
		return d.set(d.add("Cast", Attributes{"to": int64(Double)}, d.x), d.shape...)
	}
	return d.set(d.add("Cast", Attributes{"to": int64(Float)}, d.add("Cast", Attributes{"to": int64(Double)}, d.x)), d.shape...)
}

func drawWhere(d *drawing) bool {
	shape := d.partner(d.shape)
	condition := d.initializer(Bool, shape, func(b []byte) []byte {
		for range elements(shape) {
			b = append(b, byte(d.rng.IntN(2)))
		}
		return b
	})
	return d.set(d.add("Where", nil, condition, d.x, d.input(d.partner(d.shape))), d.shape...)
}
