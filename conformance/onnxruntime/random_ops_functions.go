package onnxruntime

import "slices"

// functionDrawings are activations, bounds, reductions to extremes, normalisations and what moves a window or runs
// along an axis.
var functionDrawings = slices.Concat(
	withAttributes(7, "Sin", "Cos", "Floor", "Ceil"), withAttributes(11, "Round"), withAttributes(9, "Sign"),
	withAttributes(18, "Mish"), withAttributes(20, "Gelu"),
	ofFloat(slices.Concat(
		withAttributes(7, "Softplus", "Softsign"), withAttributes(14, "HardSwish"), withAttributes(7, "LeakyRelu", "alpha"),
		withAttributes(7, "Elu", "alpha"), withAttributes(7, "Selu", "alpha", "gamma"), withAttributes(7, "HardSigmoid", "alpha", "beta"),
		withAttributes(10, "ThresholdedRelu", "alpha"), withAttributes(12, "Celu", "alpha"),
		[]drawnOperator{
			{"InstanceNormalization", 7, drawInstanceNormalization}, {"Conv", 7, drawConv}, {"AveragePool", 10, drawPool("AveragePool")},
			{"GlobalAveragePool", 7, drawGlobal("GlobalAveragePool")}, {"GlobalMaxPool", 7, drawGlobal("GlobalMaxPool")},
			{"LSTM", 7, drawRecurrent("LSTM", 4)}, {"GRU", 7, drawRecurrent("GRU", 3)}, {"RNN", 7, drawRecurrent("RNN", 1)},
		},
	)),
	[]drawnOperator{
		{"Reciprocal", 7, func(d *drawing) bool { return d.set(d.add("Reciprocal", nil, d.positive(d.x)), d.shape...) }},
		{"Max", 8, arithmetic("Max")}, {"Min", 8, arithmetic("Min")}, {"Sum", 8, arithmetic("Sum")},
		{"Mod", 10, func(d *drawing) bool {
			return d.set(d.add("Mod", Attributes{"fmod": int64(1)}, d.x, d.positive(d.input(d.partner(d.shape)))), d.shape...)
		}},
		{"Clip", 7, drawClip},
		{"ReduceMax", 7, reduction("ReduceMax", 18)}, {"ReduceMin", 7, reduction("ReduceMin", 18)}, {"ReduceL1", 7, reduction("ReduceL1", 18)},
		{"ReduceL2", 7, reduction("ReduceL2", 18)}, {"ReduceSumSquare", 7, reduction("ReduceSumSquare", 18)},
		{"LayerNormalization", 17, drawLayerNormalization}, {"BatchNormalization", 9, drawBatchNormalization},
		{"CumSum", 11, drawCumSum}, {"Trilu", 14, drawTrilu}, {"SequenceAt", 11, drawSequence},
		{"MaxPool", 10, drawPool("MaxPool")}, {"Pad", 13, drawPad}, {"Tile", 7, drawTile},
	},
)

// withAttributes is a function of one number, half of the time with numbers of its own.
func withAttributes(since int, name string, rest ...string) []drawnOperator {
	names, attributes := []string{name}, rest
	if len(rest) > 0 && rest[0] != "alpha" {
		names, attributes = append(names, rest...), nil
	}
	var list []drawnOperator
	for _, op := range names {
		list = append(list, drawnOperator{op, since, func(d *drawing) bool {
			attrs := Attributes{}
			for _, a := range attributes {
				if d.rng.IntN(2) == 0 {
					attrs[a] = float32(0.25 + d.rng.Float64())
				}
			}
			return d.set(d.add(op, attrs, d.x), d.shape...)
		}})
	}
	return list
}

// ofFloat leaves double out: ONNX Runtime has no kernel for it, or computes with float's 1/6.
func ofFloat(list []drawnOperator) []drawnOperator {
	for i, op := range list {
		list[i].draw = func(d *drawing) bool { return d.m.DType == Float && op.draw(d) }
	}
	return list
}

// scalar adds a scalar input.
func (d *drawing) scalar() string { return d.input(nil) }

func drawClip(d *drawing) bool {
	if d.m.Opset < 11 {
		return d.set(d.add("Clip", Attributes{"min": float32(-0.5), "max": float32(0.75)}, d.x), d.shape...)
	}
	inputs := []string{d.x, ""}
	bounds := d.rng.IntN(3)
	if bounds != 0 {
		inputs[1] = d.add("Neg", nil, d.positive(d.scalar()))
	}
	if bounds != 1 {
		inputs = append(inputs, d.positive(d.scalar()))
	}
	return d.set(d.add("Clip", nil, inputs...), d.shape...)
}

func drawLayerNormalization(d *drawing) bool {
	if len(d.shape) == 0 || elements(d.shape[len(d.shape)-1:]) < 2 {
		return false // a line of one element is 0 but for rounding
	}
	axis, written := d.axis(len(d.shape))
	inputs := []string{d.x, d.input(d.shape[axis:])}
	if d.rng.IntN(2) == 0 {
		inputs = append(inputs, d.input(d.shape[axis:]))
	}
	return d.set(d.add("LayerNormalization", Attributes{"axis": written, "epsilon": float32(0.01)}, inputs...), d.shape...)
}

func drawInstanceNormalization(d *drawing) bool {
	if len(d.shape) < 3 || elements(d.shape[2:]) < 2 {
		return false
	}
	channels := d.shape[1:2]
	return d.set(d.add("InstanceNormalization", Attributes{"epsilon": float32(0.01)}, d.x, d.input(channels), d.input(channels)), d.shape...)
}

func drawBatchNormalization(d *drawing) bool {
	if len(d.shape) < 2 {
		return false
	}
	channels := d.shape[1:2]
	return d.set(d.add("BatchNormalization", nil, d.x, d.input(channels), d.input(channels), d.input(channels), d.positive(d.input(channels))), d.shape...)
}

func drawCumSum(d *drawing) bool {
	if len(d.shape) == 0 {
		return false
	}
	_, axis := d.axis(len(d.shape))
	attrs := Attributes{"exclusive": int64(d.rng.IntN(2)), "reverse": int64(d.rng.IntN(2))}
	return d.set(d.add("CumSum", attrs, d.x, d.long(axis)), d.shape...)
}

func drawTrilu(d *drawing) bool {
	if len(d.shape) < 2 {
		return false
	}
	inputs := []string{d.x}
	if d.rng.IntN(2) == 0 {
		inputs = append(inputs, d.long(int64(d.rng.IntN(5)-2)))
	}
	return d.set(d.add("Trilu", Attributes{"upper": int64(d.rng.IntN(2))}, inputs...), d.shape...)
}

// drawSequence splits and takes one part.
func drawSequence(d *drawing) bool {
	if len(d.shape) == 0 {
		return false
	}
	axis, written := d.axis(len(d.shape))
	n := d.shape[axis]
	shape := slices.Clone(d.shape)
	attrs, inputs := Attributes{"axis": written}, []string{d.x}
	position := d.rng.IntN(n)
	switch d.rng.IntN(3) {
	case 0: // one by one, without the axis
		attrs["keepdims"] = int64(0)
		shape = slices.Delete(shape, axis, axis+1)
	case 1:
		first := d.rng.IntN(n)
		inputs = append(inputs, d.longs([]int64{int64(first), int64(n - first)}))
		position = 1
		shape[axis] = n - first
	default:
		inputs = append(inputs, d.long(2))
		position = d.rng.IntN((n + 1) / 2)
		shape[axis] = min(2, n-2*position)
	}
	return d.set(d.add("SequenceAt", nil, d.add("SplitToSequence", attrs, inputs...), d.long(int64(position))), shape...)
}

// drawConv makes a batch of one and channels of the first axis, of whatever there is.
func drawConv(d *drawing) bool {
	if len(d.shape) < 3 {
		return false
	}
	spatial := d.shape[2:]
	group := 1
	if d.shape[1]%2 == 0 && d.rng.IntN(2) == 0 {
		group = 2
	}
	filters := []int{group * (1 + d.rng.IntN(2)), d.shape[1] / group}
	shape := []int{d.shape[0], filters[0]}
	var pads, ends, strides, dilations []int64
	for _, n := range spatial {
		k := 1 + d.rng.IntN(min(n, 3))
		begin, end, stride, dilation := d.rng.IntN(2), d.rng.IntN(2), 1+d.rng.IntN(2), 1
		if (k-1)*2 < n+begin+end && d.rng.IntN(3) == 0 {
			dilation = 2
		}
		filters = append(filters, k)
		pads, ends, strides, dilations = append(pads, int64(begin)), append(ends, int64(end)), append(strides, int64(stride)), append(dilations, int64(dilation))
		shape = append(shape, (n+begin+end-(k-1)*dilation-1)/stride+1)
	}
	if elements(shape) > maxElements {
		return false
	}
	inputs := []string{d.x, d.input(filters)}
	if d.rng.IntN(2) == 0 {
		inputs = append(inputs, d.input(filters[:1]))
	}
	attrs := Attributes{"group": int64(group), "pads": append(pads, ends...), "strides": strides, "dilations": dilations}
	return d.set(d.add("Conv", attrs, inputs...), shape...)
}

func drawPool(op string) func(d *drawing) bool {
	return func(d *drawing) bool {
		if len(d.shape) < 3 || len(d.shape) > 5 { // ONNX Runtime has no more than three spatial axes
			return false
		}
		shape := slices.Clone(d.shape[:2])
		var kernel, pads, ends, strides []int64
		for _, n := range d.shape[2:] {
			k := 1 + d.rng.IntN(min(n, 3))
			begin, end, stride := 0, 0, 1+d.rng.IntN(2)
			if k > 1 {
				begin, end = d.rng.IntN(2), d.rng.IntN(2)
			}
			kernel, pads, ends, strides = append(kernel, int64(k)), append(pads, int64(begin)), append(ends, int64(end)), append(strides, int64(stride))
			shape = append(shape, (n+begin+end-k)/stride+1)
		}
		if elements(shape) > maxElements {
			return false
		}
		attrs := Attributes{"kernel_shape": kernel, "pads": append(pads, ends...), "strides": strides}
		if op == "AveragePool" {
			attrs["count_include_pad"] = int64(d.rng.IntN(2))
		}
		return d.set(d.add(op, attrs, d.x), shape...)
	}
}

func drawGlobal(op string) func(d *drawing) bool {
	return func(d *drawing) bool {
		if len(d.shape) < 3 {
			return false
		}
		shape := slices.Clone(d.shape)
		for i := range shape[2:] {
			shape[2+i] = 1
		}
		return d.set(d.add(op, nil, d.x), shape...)
	}
}

func drawPad(d *drawing) bool {
	mode := pick(d.rng, []string{"constant", "reflect", "edge"})
	shape := slices.Clone(d.shape)
	begin, end := make([]int64, len(shape)), make([]int64, len(shape))
	for i, n := range shape {
		most := 3
		if mode == "reflect" {
			most = n
		}
		begin[i], end[i] = int64(d.rng.IntN(min(most, 3))), int64(d.rng.IntN(min(most, 3)))
		shape[i] += int(begin[i] + end[i])
	}
	if len(shape) == 0 || elements(shape) > maxElements {
		return false
	}
	inputs := []string{d.x, d.longs(append(begin, end...))}
	if mode == "constant" && d.rng.IntN(2) == 0 {
		inputs = append(inputs, d.scalar())
	}
	return d.set(d.add("Pad", Attributes{"mode": mode}, inputs...), shape...)
}

func drawTile(d *drawing) bool {
	shape, repeats := slices.Clone(d.shape), []int64{}
	for i := range shape {
		r := 1 + d.rng.IntN(2)
		shape[i] *= r
		repeats = append(repeats, int64(r))
	}
	return len(shape) > 0 && elements(shape) <= maxElements && d.set(d.add("Tile", nil, d.x, d.longs(repeats)), shape...)
}

// drawRecurrent takes (steps, batch, size), and gives all states without the axis of directions.
func drawRecurrent(op string, gates int) func(d *drawing) bool {
	return func(d *drawing) bool {
		if len(d.shape) != 3 {
			return false
		}
		directions, direction := 1, pick(d.rng, []string{"forward", "reverse", "bidirectional"})
		if direction == "bidirectional" {
			directions = 2
		}
		hidden := 1 + d.rng.IntN(2)
		shape := []int{d.shape[0], directions, d.shape[1], hidden}
		if elements(shape) > maxElements {
			return false
		}
		attrs := Attributes{"direction": direction, "hidden_size": int64(hidden)}
		if op == "GRU" && d.rng.IntN(2) == 0 {
			attrs["linear_before_reset"] = int64(1)
		}
		rows := gates * hidden
		inputs := []string{d.x, d.input([]int{directions, rows, d.shape[2]}), d.input([]int{directions, rows, hidden})}
		if d.rng.IntN(3) > 0 {
			inputs = append(inputs, d.input([]int{directions, 2 * rows}), "", d.input([]int{directions, d.shape[1], hidden}))
			if op == "LSTM" {
				inputs = append(inputs, d.input([]int{directions, d.shape[1], hidden}))
			}
		}
		return d.set(d.add(op, attrs, inputs...), shape...)
	}
}
