package gathergonnx

import (
	"math"
	"testing"

	pb "github.com/advancedclimatesystems/gonnx/onnx"
	"github.com/stretchr/testify/require"
	"gorgonia.org/gather/dense"
	"gorgonia.org/gather/gonnx/internal/protos"
	"gorgonia.org/tensor"
)

// A use is one node with its inputs.
type use struct {
	opType     string
	opset      int
	attributes protos.Attributes
	outputs    int // 0: one
	inputs     []tensor.Tensor
}

func (u use) node() *pb.NodeProto {
	names := []string{"y", "mean", "inverse"}
	in := make([]string, len(u.inputs))
	for i, t := range u.inputs {
		if t != nil {
			in[i] = string(rune('a' + i))
		}
	}
	return protos.Node(u.opType, in, names[:max(1, u.outputs)], u.attributes)
}

// run does what gonnx does with a node.
func (u use) run() ([]tensor.Tensor, error) {
	op, err := Operators(Builders(nil, u.opset), u.opset)(u.opType)
	if err != nil {
		return nil, err
	}
	if err := op.Init(u.node()); err != nil {
		return nil, err
	}
	in, err := op.ValidateInputs(u.inputs)
	if err != nil {
		return nil, err
	}
	return op.Apply(in)
}

// TestBuiltValues runs operators of package onnx/builders by way of gonnx.
func TestBuiltValues(t *testing.T) {
	inf := float32(math.Inf(1))
	nan := float32(math.NaN())
	x := of([]float32{-3, -1, 0, 1, 3}, 5)
	scalar := func(v float32) *tensor.Dense { return of([]float32{v}) }
	cases := []struct {
		name string
		use
		want *tensor.Dense
	}{
		{"Clip by inputs", use{opType: "Clip", opset: 13, inputs: []tensor.Tensor{x, scalar(-2), scalar(2)}}, of([]float32{-2, -1, 0, 1, 2}, 5)},
		{"Clip, low above high: all are high", use{opType: "Clip", opset: 13, inputs: []tensor.Tensor{x, scalar(2), scalar(-2)}}, of([]float32{-2, -2, -2, -2, -2}, 5)},
		{"Clip without low", use{opType: "Clip", opset: 12, inputs: []tensor.Tensor{x, nil, scalar(0)}}, of([]float32{-3, -1, 0, 0, 0}, 5)},
		{"Clip without bounds", use{opType: "Clip", opset: 11, inputs: []tensor.Tensor{x}}, of([]float32{-3, -1, 0, 1, 3}, 5)},
		{"Clip-13 bounds infinity by default", use{opType: "Clip", opset: 13, inputs: []tensor.Tensor{of([]float32{inf, -inf, nan}, 3)}}, of([]float32{math.MaxFloat32, -math.MaxFloat32, nan}, 3)},
		{"Clip of integers", use{opType: "Clip", opset: 12, inputs: []tensor.Tensor{of([]int8{-128, 5, 127}, 3), of([]int8{-1}), of([]int8{6})}}, of([]int8{-1, 5, 6}, 3)},
		{"Clip keeps NaN", use{opType: "Clip", opset: 13, inputs: []tensor.Tensor{of([]float32{nan}, 1), scalar(0), scalar(1)}}, of([]float32{nan}, 1)},
		{"Clip-6 by attributes", use{opType: "Clip", opset: 10, attributes: protos.Attributes{"max": float32(1)}, inputs: []tensor.Tensor{x}}, of([]float32{-3, -1, 0, 1, 1}, 5)},
		{"Clip-6 bounds infinity by default", use{opType: "Clip", opset: 6, inputs: []tensor.Tensor{of([]float32{inf, -inf}, 2)}}, of([]float32{math.MaxFloat32, -math.MaxFloat32}, 2)},
		{"Clip of a scalar", use{opType: "Clip", opset: 13, inputs: []tensor.Tensor{scalar(7), nil, scalar(4)}}, scalar(4)},
		{"Clip of nothing", use{opType: "Clip", opset: 13, inputs: []tensor.Tensor{of([]float32{}, 0, 3), scalar(0)}}, of([]float32{}, 0, 3)},

		{"Erf", use{opType: "Erf", opset: 13, inputs: []tensor.Tensor{of([]float32{0, 1, -1, inf, -inf, nan, 20}, 7)}}, of([]float32{0, 0.8427008, -0.8427008, 1, -1, nan, 1}, 7)},
		{"Erf of double", use{opType: "Erf", opset: 9, inputs: []tensor.Tensor{of([]float64{0.5}, 1)}}, of([]float64{math.Erf(0.5)}, 1)},

		{"Expand", use{opType: "Expand", opset: 13, inputs: []tensor.Tensor{of([]float32{1, 2, 3}, 3, 1), list(2, 1, 2)}}, of([]float32{1, 1, 2, 2, 3, 3, 1, 1, 2, 2, 3, 3}, 2, 3, 2)},
		{"Expand to a smaller shape keeps the input's", use{opType: "Expand", opset: 8, inputs: []tensor.Tensor{of([]float32{1, 2, 3}, 3, 1), list(1)}}, of([]float32{1, 2, 3}, 3, 1)},
		{"Expand of a scalar", use{opType: "Expand", opset: 13, inputs: []tensor.Tensor{of([]string{"a"}), list(2, 1)}}, of([]string{"a", "a"}, 2, 1)},
		{"Expand of a scalar to one", use{opType: "Expand", opset: 13, inputs: []tensor.Tensor{of([]string{"a"}), of([]int64{}, 0)}}, of([]string{"a"})},
		{"Expand to nothing", use{opType: "Expand", opset: 13, inputs: []tensor.Tensor{of([]float32{1, 2}, 1, 2), list(0, 2)}}, of([]float32{}, 0, 2)},

		{"Identity", use{opType: "Identity", opset: 1, inputs: []tensor.Tensor{of([]complex128{1i, 2}, 2, 1)}}, of([]complex128{1i, 2}, 2, 1)},
		{"Identity of a scalar string", use{opType: "Identity", opset: 21, inputs: []tensor.Tensor{of([]string{"x"})}}, of([]string{"x"})},

		{"MatMul", use{opType: "MatMul", opset: 13, inputs: []tensor.Tensor{of([]int64{1, 2, 3, 4, 5, 6}, 2, 3), of([]int64{1, 0, 0, 1, 1, 1}, 3, 2)}}, of([]int64{4, 5, 10, 11}, 2, 2)},
		{"MatMul of two vectors", use{opType: "MatMul", opset: 9, inputs: []tensor.Tensor{list(1, 2, 3), list(4, 5, 6)}}, of([]int64{32})},
		{"MatMul of a row", use{opType: "MatMul", opset: 1, inputs: []tensor.Tensor{of([]float32{1, 2}, 2), of([]float32{1, 2, 3, 4, 5, 6}, 2, 3)}}, of([]float32{9, 12, 15}, 3)},
		{"MatMul by a column", use{opType: "MatMul", opset: 1, inputs: []tensor.Tensor{of([]float64{1, 2, 3, 4}, 2, 2), of([]float64{1, 10}, 2)}}, of([]float64{21, 43}, 2)},
		{"MatMul, batches by one matrix", use{opType: "MatMul", opset: 13, inputs: []tensor.Tensor{of([]float32{1, 2, 3, 4}, 2, 1, 2), of([]float32{1, 10}, 2, 1)}}, of([]float32{21, 43}, 2, 1, 1)},
		{"MatMul, batches broadcast both ways", use{opType: "MatMul", opset: 13, inputs: []tensor.Tensor{of([]float32{1, 2}, 2, 1, 1, 1), of([]float32{3, 4, 5}, 3, 1, 1)}}, of([]float32{3, 4, 5, 6, 8, 10}, 2, 3, 1, 1)},
		{"MatMul, sums of nothing", use{opType: "MatMul", opset: 13, inputs: []tensor.Tensor{of([]float32{}, 2, 0), of([]float32{}, 0, 1)}}, of([]float32{0, 0}, 2, 1)},
		{"MatMul, nothing", use{opType: "MatMul", opset: 13, inputs: []tensor.Tensor{of([]float32{}, 0, 2), of([]float32{1, 2}, 2, 1)}}, of([]float32{}, 0, 1)},

		{"ReduceSum over all", use{opType: "ReduceSum", opset: 13, inputs: []tensor.Tensor{of([]int64{1, 2, 3, 4, 5, 6}, 2, 3)}}, of([]int64{21}, 1, 1)},
		{"ReduceSum over the last", use{opType: "ReduceSum", opset: 13, attributes: protos.Attributes{"keepdims": 0}, inputs: []tensor.Tensor{of([]int64{1, 2, 3, 4, 5, 6}, 2, 3), list(-1)}}, of([]int64{6, 15}, 2)},
		{"ReduceSum over the first", use{opType: "ReduceSum", opset: 13, inputs: []tensor.Tensor{of([]int64{1, 2, 3, 4, 5, 6}, 2, 3), list(0)}}, of([]int64{5, 7, 9}, 1, 3)},
		{"ReduceSum of no axes, which are all", use{opType: "ReduceSum", opset: 13, attributes: protos.Attributes{"keepdims": 0}, inputs: []tensor.Tensor{of([]int64{1, 2}, 2), of([]int64{}, 0)}}, of([]int64{3})},
		{"ReduceSum of no axes, which are none", use{opType: "ReduceSum", opset: 13, attributes: protos.Attributes{"noop_with_empty_axes": 1}, inputs: []tensor.Tensor{of([]int64{1, 2}, 2), of([]int64{}, 0)}}, list(1, 2)},
		{"ReduceSum without axes, which are none", use{opType: "ReduceSum", opset: 13, attributes: protos.Attributes{"noop_with_empty_axes": 1}, inputs: []tensor.Tensor{of([]int64{1, 2}, 2)}}, list(1, 2)},
		{"ReduceSum of nothing is 0", use{opType: "ReduceSum", opset: 13, inputs: []tensor.Tensor{of([]float32{}, 2, 0), list(1)}}, of([]float32{0, 0}, 2, 1)},
		{"ReduceSum-1 by attribute", use{opType: "ReduceSum", opset: 1, attributes: protos.Attributes{"axes": []int64{1}, "keepdims": 0}, inputs: []tensor.Tensor{of([]float64{1, 2, 3, 4}, 2, 2)}}, of([]float64{3, 7}, 2)},
		{"ReduceSum-11, from the end", use{opType: "ReduceSum", opset: 12, attributes: protos.Attributes{"axes": []int64{-2}}, inputs: []tensor.Tensor{of([]float64{1, 2, 3, 4}, 2, 2)}}, of([]float64{4, 6}, 1, 2)},
		{"ReduceSum of a scalar", use{opType: "ReduceSum", opset: 13, inputs: []tensor.Tensor{of([]uint32{4})}}, of([]uint32{4})},
		{"ReduceSum wraps around", use{opType: "ReduceSum", opset: 13, inputs: []tensor.Tensor{of([]int32{math.MaxInt32, 1}, 2)}}, of([]int32{math.MinInt32}, 1)},

		{"Where", use{opType: "Where", opset: 9, inputs: []tensor.Tensor{of([]bool{true, false, true}, 3), of([]int64{1, 2, 3}, 3), of([]int64{7, 8, 9}, 3)}}, list(1, 8, 3)},
		{"Where, broadcast three ways", use{opType: "Where", opset: 16, inputs: []tensor.Tensor{of([]bool{true, false}, 2, 1), of([]string{"a", "b", "c"}, 3), of([]string{"z"})}}, of([]string{"a", "b", "c", "z", "z", "z"}, 2, 3)},
		{"Where of scalars", use{opType: "Where", opset: 16, inputs: []tensor.Tensor{of([]bool{false}), of([]int64{1}), of([]int64{2})}}, of([]int64{2})},
		{"Where of nothing", use{opType: "Where", opset: 16, inputs: []tensor.Tensor{of([]bool{}, 0), of([]int64{1}), of([]int64{2}, 1)}}, of([]int64{}, 0)},

		// By hand: mean 2, variance 2/3, of which the inverse root is 1.2247…
		{"LayerNormalization", use{opType: "LayerNormalization", opset: 17, attributes: protos.Attributes{"epsilon": float32(0)},
			inputs: []tensor.Tensor{of([]float64{1, 2, 3}, 1, 3), of([]float64{1, 10, 2}, 3), of([]float64{5, 6, 7}, 3)}},
			of([]float64{5 - math.Sqrt(1.5), 6, 7 + 2*math.Sqrt(1.5)}, 1, 3)},
		{"LayerNormalization of a constant row is its shift", use{opType: "LayerNormalization", opset: 17,
			inputs: []tensor.Tensor{of([]float32{4, 4}, 2), of([]float32{9, 9}, 2), of([]float32{1, 2}, 2)}}, of([]float32{1, 2}, 2)},
		{"LayerNormalization of large numbers that hardly differ", use{opType: "LayerNormalization", opset: 17, attributes: protos.Attributes{"epsilon": float32(0)},
			inputs: []tensor.Tensor{of([]float32{1e6, 1e6 + 1}, 2), of([]float32{1, 1}, 2)}}, of([]float32{-1, 1}, 2)},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			out, err := c.run()
			require.NoError(t, err)
			require.Len(t, out, 1)
			assertEqual(t, c.want, out[0])
		})
	}
}

// assertEqual compares dtype, shape and values; NaN equals NaN, and doubles may
// differ in their last digits.
func assertEqual(t *testing.T, want, got tensor.Tensor) {
	t.Helper()
	require.Equal(t, want.Dtype(), got.Dtype())
	require.Equal(t, []int(want.Shape().Clone()), []int(got.Shape().Clone()))
	w, g := numbersOf(want.(*tensor.Dense)), numbersOf(got.(*tensor.Dense))
	for i := range w {
		x, isFloat := w[i].(float64)
		if y, ok := g[i].(float64); isFloat && ok && (x != x && y != y || math.Abs(x-y) < 1e-7) {
			continue
		}
		require.Equal(t, w[i], g[i], "element %d", i)
	}
}

// numbersOf are the elements of a row-major tensor, floats as float64.
func numbersOf(d *tensor.Dense) []any {
	var all []any
	switch d.Dtype() {
	case tensor.Float32:
		for _, x := range elements[float32](d) {
			all = append(all, float64(x))
		}
	case tensor.Float64:
		return anys[float64](d)
	case dense.Float16, dense.BFloat16:
		for i := range size(d.Shape()) {
			all = append(all, half(d, i))
		}
	case tensor.Int8:
		return anys[int8](d)
	case tensor.Int16:
		return anys[int16](d)
	case tensor.Int32:
		return anys[int32](d)
	case tensor.Int64:
		return anys[int64](d)
	case tensor.Uint8:
		return anys[uint8](d)
	case tensor.Uint16:
		return anys[uint16](d)
	case tensor.Uint32:
		return anys[uint32](d)
	case tensor.Uint64:
		return anys[uint64](d)
	case tensor.Bool:
		return anys[bool](d)
	case tensor.Complex64:
		return anys[complex64](d)
	case tensor.Complex128:
		return anys[complex128](d)
	case tensor.String:
		return anys[string](d)
	}
	return all
}

func anys[T any](d *tensor.Dense) []any {
	all := make([]any, 0, size(d.Shape()))
	for _, x := range elements[T](d) {
		all = append(all, x)
	}
	return all
}
