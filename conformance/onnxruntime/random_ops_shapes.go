package onnxruntime

import "slices"

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
