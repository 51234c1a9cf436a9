package gathergonnx

import (
	"slices"

	pb "github.com/advancedclimatesystems/gonnx/onnx"
	"gorgonia.org/gather/onnx"
	"gorgonia.org/tensor"
)

// A few bytes of a model can ask gonnx's own operators for any amount of memory, and
// a process that asks for more than there is cannot recover. needs computes the shapes
// that operators whose results can be much larger than their inputs are going to
// allocate; other errors in the inputs are left to gonnx.
func (c *carried) needs(in []tensor.Tensor) [][]int64 {
	if slices.ContainsFunc(in[:min(len(in), 2)], func(t tensor.Tensor) bool { return t == nil }) {
		return nil
	}
	if c.opType == "ConstantOfShape" {
		return [][]int64{values(in[0])}
	}
	if len(in) < 2 {
		return nil
	}
	a, b := dimsOf(in[0].Shape()), dimsOf(in[1].Shape())
	switch c.opType {
	case "Add", "Sub", "Mul", "Div", "And", "Or", "Xor", "Equal", "Greater", "GreaterOrEqual", "Less", "LessOrEqual":
		return [][]int64{larger(a, b)}
	case "MatMul":
		return matMulNeeds(a, b)
	case "Gemm":
		return [][]int64{c.gemmNeeds(a, b)}
	case "Conv":
		return c.convNeeds(a, b)
	case "GRU", "LSTM", "RNN":
		if x, ok := c.given["hidden_size"].(int64); ok && len(a) > 1 {
			return [][]int64{{a[0], a[1], x, 4}} // 4: the gates of LSTM
		}
	}
	return nil
}

// affordable refuses what takes more than the limit.
func (c *carried) affordable(in []tensor.Tensor) error {
	for _, shape := range c.needs(in) {
		if _, err := fits(c.limit, shape, c.width(in), 0); err != nil {
			return err
		}
	}
	return nil
}

// width is the size of the elements of what needs tells.
func (c *carried) width(in []tensor.Tensor) int {
	if c.opType != "ConstantOfShape" {
		return int(in[0].Dtype().Size())
	}
	if value, ok := c.given["value"].(*pb.TensorProto); ok {
		if dt, err := onnx.DataType(int(value.GetDataType())); err == nil {
			return int(dt.Size())
		}
	}
	return int(tensor.Float32.Size())
}

// huge is larger than any memory, and far from overflowing.
const huge = 1 << 40

func dimsOf(shape []int) []int64 {
	dims := make([]int64, len(shape))
	for i, n := range shape {
		dims[i] = int64(n)
	}
	return dims
}

// values are the elements of a list of int64.
func values(t tensor.Tensor) []int64 {
	list := make([]int64, 0, t.Shape().TotalSize())
	for i := range t.Shape().TotalSize() {
		if t.Dims() != 1 {
			break
		}
		x, err := t.At(i)
		if v, ok := x.(int64); err == nil && ok {
			list = append(list, v)
		}
	}
	return list
}

// larger is the shape that two are broadcast to, if they can be.
func larger(a, b []int64) []int64 {
	if len(a) < len(b) {
		a, b = b, a
	}
	out := slices.Clone(a)
	for i, n := range b {
		at := len(a) - len(b) + i
		out[at] = max(out[at], n)
	}
	return out
}

// matMulNeeds are the result and, since gonnx repeats both operands, these.
func matMulNeeds(a, b []int64) [][]int64 {
	if len(a) < 2 || len(b) < 2 {
		return nil
	}
	batches := larger(a[:len(a)-2], b[:len(b)-2])
	m, k, n := a[len(a)-2], a[len(a)-1], b[len(b)-1]
	return [][]int64{append(slices.Clone(batches), m, n), append(slices.Clone(batches), m, k), append(slices.Clone(batches), k, n)}
}

func (c *carried) gemmNeeds(a, b []int64) []int64 {
	if len(a) != 2 || len(b) != 2 {
		return nil
	}
	m, n := a[0], b[1]
	if c.given["transA"] == int64(1) {
		m = a[1]
	}
	if c.given["transB"] == int64(1) {
		n = b[0]
	}
	return []int64{m, n}
}

// convNeeds are the padded input, the dilated kernel and the result, which is no
// larger than the input for each of the kernel's channels.
func (c *carried) convNeeds(x, w []int64) [][]int64 {
	if len(x) < 3 || len(w) != len(x) {
		return nil
	}
	pads, _ := c.given["pads"].([]int64)
	dilations, _ := c.given["dilations"].([]int64)
	padded, dilated := slices.Clone(x), slices.Clone(w)
	spatial := len(x) - 2
	for i := range spatial {
		for _, at := range []int{i, i + spatial} {
			if at < len(pads) {
				padded[2+i] += min(max(pads[at], 0), huge)
			}
		}
		if i < len(dilations) {
			between := max(w[2+i]-1, 0)
			dilated[2+i] = between*min(max(dilations[i], 0), huge/max(between, 1)) + 1
		}
	}
	result := slices.Clone(padded)
	result[1] = w[0]
	return [][]int64{padded, dilated, result}
}
