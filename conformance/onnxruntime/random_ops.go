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

func drawTranspose(d *drawing) bool {
	r := len(d.shape)
	perm := d.rng.Perm(r)
	attrs := Attributes{}
	if r < 2 || d.rng.IntN(4) == 0 {
		for i := range perm {
			perm[i] = r - 1 - i
		}
	} else {
		list := make([]int64, r)
		for i, p := range perm {
			list[i] = int64(p)
		}
		attrs["perm"] = list
	}
	shape := make([]int, r)
	for i, p := range perm {
		shape[i] = d.shape[p]
	}
	return d.set(d.add("Transpose", attrs, d.x), shape...)
}

// drawReshape joins or divides axes, and may leave one dim to be worked out or copied.
func drawReshape(d *drawing) bool {
	shape := factors(d, elements(d.shape))
	dims := make([]int64, len(shape))
	for i, n := range shape {
		dims[i] = int64(n)
		if i < len(d.shape) && d.shape[i] == n && d.rng.IntN(2) == 0 {
			dims[i] = 0
		}
	}
	if len(dims) > 0 && d.rng.IntN(2) == 0 {
		dims[d.rng.IntN(len(dims))] = -1
	}
	return d.set(d.add("Reshape", nil, d.x, d.longs(dims)), shape...)
}

// factors divides a number among up to four dims.
func factors(d *drawing, n int) []int {
	var shape []int
	for n > 1 && len(shape) < 3 {
		f := 1 + d.rng.IntN(n)
		for n%f != 0 {
			f--
		}
		shape, n = append(shape, f), n/f
	}
	return append(shape, n)
}

// drawComputedReshape flattens all axes but the first by arithmetic on the shape.
func drawComputedReshape(d *drawing) bool {
	if len(d.shape) == 0 {
		return false
	}
	s := d.add("Shape", nil, d.x)
	first := d.add("Gather", Attributes{"axis": int64(0)}, s, d.long(0))
	rest := d.add("Div", nil, d.add("Size", nil, d.x), first)
	zero := d.longs([]int64{0})
	target := d.add("Concat", Attributes{"axis": int64(0)}, d.add("Unsqueeze", nil, first, zero), d.add("Unsqueeze", nil, rest, zero))
	return d.set(d.add("Reshape", nil, d.x, target), d.shape[0], elements(d.shape)/d.shape[0])
}

func drawFlatten(d *drawing) bool {
	axis := d.rng.IntN(len(d.shape) + 1)
	return d.set(d.add("Flatten", Attributes{"axis": int64(axis)}, d.x), elements(d.shape[:axis]), elements(d.shape[axis:]))
}

// withAxes adds an operator whose axes are an input since opset 13.
func (d *drawing) withAxes(op string, axes []int64) string {
	if d.m.Opset < 13 {
		return d.add(op, Attributes{"axes": axes}, d.x)
	}
	return d.add(op, nil, d.x, d.longs(axes))
}

func drawSqueeze(d *drawing) bool {
	var axes []int64
	var shape []int
	for axis, n := range d.shape {
		if n == 1 && d.rng.IntN(2) == 0 {
			axes = append(axes, int64(axis))
		} else {
			shape = append(shape, n)
		}
	}
	return len(axes) > 0 && d.set(d.withAxes("Squeeze", axes), shape...)
}

func drawUnsqueeze(d *drawing) bool {
	r := len(d.shape)
	if r > 4 {
		return false
	}
	axis, written := d.axis(r + 1)
	if d.m.Opset < 11 {
		written = int64(axis)
	}
	return d.set(d.withAxes("Unsqueeze", []int64{written}), slices.Insert(slices.Clone(d.shape), axis, 1)...)
}

func drawExpand(d *drawing) bool {
	shape := slices.Clone(d.shape)
	for i, n := range shape {
		if n == 1 {
			shape[i] = 1 + d.rng.IntN(3)
		}
	}
	if len(shape) < 4 {
		shape = append([]int{1 + d.rng.IntN(2)}, shape...)
	}
	dims := make([]int64, len(shape))
	for i, n := range shape {
		dims[i] = int64(n)
		if i > len(shape)-len(d.shape)-1 && n == d.shape[i-len(shape)+len(d.shape)] && d.rng.IntN(2) == 0 {
			dims[i] = 1
		}
	}
	return elements(shape) <= maxElements && d.set(d.add("Expand", nil, d.x, d.longs(dims)), shape...)
}

func drawSlice(d *drawing) bool {
	var starts, ends, axes, steps []int64
	shape := slices.Clone(d.shape)
	for axis, n := range d.shape {
		if d.rng.IntN(2) == 0 {
			continue
		}
		start, size := d.rng.IntN(n), 0
		step := 1 + d.rng.IntN(2)
		size = (n - start + step - 1) / step
		if d.rng.IntN(3) == 0 { // backward
			size = start/step + 1
			starts, ends, steps = append(starts, int64(start)), append(ends, -1<<40), append(steps, -int64(step))
		} else {
			starts, ends, steps = append(starts, int64(start-n)), append(ends, int64(n+d.rng.IntN(3))), append(steps, int64(step))
		}
		axes = append(axes, int64(axis))
		shape[axis] = size
	}
	return len(axes) > 0 && d.set(d.add("Slice", nil, d.x, d.longs(starts), d.longs(ends), d.longs(axes), d.longs(steps)), shape...)
}

// drawSplit splits into two parts and joins them in the opposite order.
func drawSplit(d *drawing) bool {
	if len(d.shape) == 0 {
		return false
	}
	axis, written := d.axis(len(d.shape))
	n := d.shape[axis]
	if n < 2 {
		return false
	}
	if d.m.Opset < 11 {
		written = int64(axis)
	}
	sizes := []int64{1, int64(n - 1)}
	attrs, inputs := Attributes{"axis": written}, []string{d.x}
	if d.m.Opset < 13 {
		attrs["split"] = sizes
	} else {
		inputs = append(inputs, d.longs(sizes))
	}
	a, b := d.name("y"), d.name("y")
	d.m.graph = appendMessage(d.m.graph, 1, nodeOf("Split", inputs, []string{a, b}, attrs))
	d.m.ops = append(d.m.ops, "Split")
	return d.set(d.add("Concat", Attributes{"axis": written}, b, a), d.shape...)
}

func drawConcat(d *drawing) bool {
	if len(d.shape) == 0 {
		return false
	}
	axis, written := d.axis(len(d.shape))
	if d.m.Opset < 11 {
		written = int64(axis)
	}
	inputs, shape := []string{d.x}, slices.Clone(d.shape)
	for range 1 + d.rng.IntN(5) {
		other := slices.Clone(d.shape)
		other[axis] = 1 + d.rng.IntN(2)
		if shape[axis]+other[axis] > 8 || elements(shape) > 40 {
			break
		}
		shape[axis] += other[axis]
		inputs = append(inputs, d.input(other))
	}
	return d.set(d.add("Concat", Attributes{"axis": written}, inputs...), shape...)
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

// indices draws indices for an axis of that size, negative ones among them where they are allowed.
func (d *drawing) indices(n, size int) []int64 {
	list := make([]int64, n)
	for i := range list {
		list[i] = int64(d.rng.IntN(size))
		if d.m.Opset >= 11 && d.rng.IntN(3) == 0 {
			list[i] -= int64(size)
		}
	}
	return list
}

func drawGather(d *drawing) bool {
	if len(d.shape) == 0 {
		return false
	}
	axis, written := d.axis(len(d.shape))
	picked := [][]int{{}, {3}, {2, 2}}[d.rng.IntN(3)]
	shape := slices.Concat(d.shape[:axis], picked, d.shape[axis+1:])
	if elements(shape) > maxElements {
		return false
	}
	return d.set(d.add("Gather", Attributes{"axis": written}, d.x, d.longs(d.indices(elements(picked), d.shape[axis]), picked...)), shape...)
}

func drawGatherElements(d *drawing) bool {
	if len(d.shape) == 0 {
		return false
	}
	axis, written := d.axis(len(d.shape))
	shape := slices.Clone(d.shape)
	shape[axis] = 1 + d.rng.IntN(3)
	return elements(shape) <= maxElements &&
		d.set(d.add("GatherElements", Attributes{"axis": written}, d.x, d.longs(d.indices(elements(shape), d.shape[axis]), shape...)), shape...)
}

// tuples draws index tuples for the first axes.
func (d *drawing) tuples(n, k int) []int64 {
	var list []int64
	for range n {
		for axis := range k {
			list = append(list, d.indices(1, d.shape[axis])...)
		}
	}
	return list
}

func drawGatherND(d *drawing) bool {
	if len(d.shape) == 0 {
		return false
	}
	k := 1 + d.rng.IntN(len(d.shape))
	shape := append([]int{3}, d.shape[k:]...)
	return elements(shape) <= maxElements && d.set(d.add("GatherND", nil, d.x, d.longs(d.tuples(3, k), 3, k)), shape...)
}

// reduced is a reduction that the opset has.
func (d *drawing) reduced() Attributes {
	if d.m.Opset < 16 {
		return Attributes{}
	}
	return Attributes{"reduction": []string{"none", "add", "mul"}[d.rng.IntN(3)]}
}

func drawScatterElements(d *drawing) bool {
	if len(d.shape) == 0 {
		return false
	}
	axis, written := d.axis(len(d.shape))
	attrs := d.reduced()
	attrs["axis"] = written
	index := d.longs(d.indices(elements(d.shape), d.shape[axis]), d.shape...)
	return d.set(d.add("ScatterElements", attrs, d.x, index, d.input(d.shape)), d.shape...)
}

func drawScatterND(d *drawing) bool {
	if len(d.shape) == 0 {
		return false
	}
	k := 1 + d.rng.IntN(len(d.shape))
	updates := append([]int{3}, d.shape[k:]...)
	return elements(updates) <= maxElements &&
		d.set(d.add("ScatterND", d.reduced(), d.x, d.longs(d.tuples(3, k), 3, k), d.input(updates)), d.shape...)
}
