package gathergonnx

import (
	"fmt"
	"math"
	"testing"

	pb "github.com/advancedclimatesystems/gonnx/onnx"
	"github.com/advancedclimatesystems/gonnx/ops"
	"github.com/advancedclimatesystems/gonnx/ops/opset13"
	"github.com/pkg/errors"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gorgonia.org/gather/dense"
	"gorgonia.org/gather/gonnx/internal/protos"
	"gorgonia.org/tensor"
)

// gathers are the gathers and scatters among package onnx's operators.
var gathers = onnxOperators[:7]

// TestMeanings demands that every operator of gonnx is computed by package onnx or
// onnx/builders, or is in the table.
func TestMeanings(t *testing.T) {
	names := opset13.GetOpNames()
	require.Len(t, names, 50)
	for _, name := range names {
		_, carried := meanings[name]
		better := name == "Constant" || builtIn(name, 13, newKept()) != nil
		assert.True(t, better != carried || name == "PRelu", name)
	}
	for name := range meanings {
		assert.Contains(t, names, name)
	}
}

// TestCarried gives nodes of gonnx's own operators in opsets in which they mean
// something else, and in those in which they do not.
func TestCarried(t *testing.T) {
	x := of([]float32{1, 2, 3, 4, 5, 6}, 1, 2, 3)
	matrix := of([]float32{1, 2, 3, 4, 5, 6}, 2, 3)
	cases := []struct {
		opType      string
		first, last int // the opsets in which it works
		attributes  protos.Attributes
		inputs      []tensor.Tensor
		shape       []int
	}{
		{"Add", 7, 28, nil, []tensor.Tensor{x, x}, []int{1, 2, 3}},
		{"Add", 0, 0, protos.Attributes{"broadcast": 1}, []tensor.Tensor{x, x}, nil},
		{"MatMul", 1, 28, nil, []tensor.Tensor{matrix, of([]float32{1, 2, 3}, 3, 1)}, []int{2, 1}},
		{"GreaterOrEqual", 12, 28, nil, []tensor.Tensor{x, x}, []int{1, 2, 3}},
		{"Unsqueeze", 13, 28, nil, []tensor.Tensor{x, list(0)}, []int{1, 1, 2, 3}},
		{"Unsqueeze", 1, 12, protos.Attributes{"axes": []int64{0}}, []tensor.Tensor{x}, []int{1, 1, 2, 3}},
		{"Squeeze", 13, 28, nil, []tensor.Tensor{x, list(0)}, []int{2, 3}},
		{"Squeeze", 1, 12, protos.Attributes{"axes": []int64{0}}, []tensor.Tensor{x}, []int{2, 3}},
		{"Squeeze", 1, 28, nil, []tensor.Tensor{x}, []int{2, 3}},
		{"Squeeze", 0, 0, protos.Attributes{"axes": 1}, []tensor.Tensor{x}, nil},
		{"Softmax", 1, 28, protos.Attributes{"axis": 1}, []tensor.Tensor{x}, []int{1, 2, 3}},
		{"Softmax", 1, 28, nil, []tensor.Tensor{x}, []int{1, 2, 3}},
		{"Softmax", 1, 28, protos.Attributes{"axis": -1}, []tensor.Tensor{x}, []int{1, 2, 3}},
		{"Softmax", 0, 0, protos.Attributes{"axis": float32(1)}, []tensor.Tensor{x}, nil},
		{"Reshape", 5, 28, nil, []tensor.Tensor{x, list(3, 2)}, []int{3, 2}},
		{"Reshape", 14, 28, protos.Attributes{"allowzero": 0}, []tensor.Tensor{x, list(3, 2)}, []int{3, 2}},
		{"Reshape", 14, 28, protos.Attributes{"allowzero": 1}, []tensor.Tensor{x, list(3, 2)}, []int{3, 2}},
		{"Shape", 1, 28, nil, []tensor.Tensor{x}, []int{3}},
		{"Shape", 15, 28, protos.Attributes{"start": 0}, []tensor.Tensor{x}, []int{3}},
		{"Shape", 15, 28, protos.Attributes{"start": 1}, []tensor.Tensor{x}, []int{2}},
		{"Shape", 15, 28, protos.Attributes{"start": -1, "end": 9}, []tensor.Tensor{x}, []int{1}},
		{"Shape", 15, 28, protos.Attributes{"start": 2, "end": -2}, []tensor.Tensor{x}, []int{0}},
		{"Shape", 0, 0, protos.Attributes{"end": "2"}, []tensor.Tensor{x}, nil},
		{"Shape", 15, 28, protos.Attributes{"end": 2}, []tensor.Tensor{x}, []int{2}},
		{"Cast", 6, 28, protos.Attributes{"to": 11}, []tensor.Tensor{x}, []int{1, 2, 3}},
		{"Cast", 19, 28, protos.Attributes{"to": 11, "saturate": 0}, []tensor.Tensor{x}, []int{1, 2, 3}},
		{"Slice", 10, 28, nil, []tensor.Tensor{matrix, list(0), list(2), list(1)}, []int{2, 2}},
		{"Slice", 10, 28, nil, []tensor.Tensor{matrix, list(0), list(1)}, []int{1, 3}},
		{"Slice", 10, 28, nil, []tensor.Tensor{matrix, list(-1), list(-3), list(1), list(-1)}, []int{2, 2}},
		{"Transpose", 1, 28, nil, []tensor.Tensor{matrix}, []int{3, 2}},
		{"Range", 11, 28, nil, []tensor.Tensor{of([]int64{1}), of([]int64{7}), of([]int64{2})}, []int{3}},
		{"ConstantOfShape", 9, 28, nil, []tensor.Tensor{of([]int64{}, 0)}, []int{}},
		{"Acos", 7, 28, nil, []tensor.Tensor{x}, []int{1, 2, 3}},
		{"Acos", 0, 0, protos.Attributes{"axis": 1}, []tensor.Tensor{x}, nil},
		{"PRelu", 9, 28, nil, []tensor.Tensor{of([]int32{-1, 2}, 2), of([]int32{3}, 1)}, []int{2}},
		{"Transpose", 1, 28, protos.Attributes{"perm": []int64{1, 0}}, []tensor.Tensor{matrix}, []int{3, 2}},
		{"Concat", 1, 28, protos.Attributes{"axis": 0}, []tensor.Tensor{matrix, matrix}, []int{4, 3}},
		{"Concat", 0, 0, protos.Attributes{"dim": 0}, []tensor.Tensor{matrix, matrix}, nil},
	}
	for _, c := range cases {
		for opset := firstOpset; opset <= newestOpset; opset++ {
			t.Run(fmt.Sprintf("%s %v in %d", c.opType, c.attributes, opset), func(t *testing.T) {
				out, err := apply(Operators(opset13.GetOperator, opset), node1(c.opType, c.attributes, c.inputs...), c.inputs...)
				if opset < c.first || opset > c.last {
					require.Error(t, err)
					assert.ErrorContains(t, err, c.opType)
					return
				}
				require.NoError(t, err)
				assert.Equal(t, c.shape, append([]int{}, out[0].Shape()...))
			})
		}
	}
	// Before opset 13 all axes from the given one on are taken together.
	same := of([]float32{1, 1, 1, 1}, 1, 2, 2)
	out, err := apply(Operators(opset13.GetOperator, 12), node1("Softmax", nil, same), same)
	require.NoError(t, err)
	assertSame(t, of([]float32{0.25, 0.25, 0.25, 0.25}, 1, 2, 2), out[0])
	out, err = apply(Operators(opset13.GetOperator, 15), node1("Shape", protos.Attributes{"start": 1, "end": 3}, x), x)
	require.NoError(t, err)
	assertSame(t, list(2, 3), out[0])
	_, err = apply(Operators(opset13.GetOperator, 12), node1("GreaterOrEqual", nil, x), x, of([]float32{1, 2}, 2))
	assert.Error(t, err)
}

// TestDomains: the operators of ONNX for classical machine learning are in their own
// domain, and one of another domain is not ONNX's of the same name.
func TestDomains(t *testing.T) {
	x := of([]float32{1, 2}, 1, 2)
	scaler := node1("Scaler", protos.Attributes{"offset": []float32{1, 1}, "scale": []float32{2, 3}}, x)
	_, err := apply(Operators(opset13.GetOperator, 17), scaler, x)
	assert.ErrorContains(t, err, `no Scaler of domain ""`)
	scaler.Domain = "ai.onnx.ml"
	out, err := apply(Operators(opset13.GetOperator, 17), scaler, x)
	require.NoError(t, err)
	assertSame(t, of([]float32{0, 3}, 1, 2), out[0])
	add := node1("Add", nil, x, x)
	add.Domain = "com.microsoft"
	_, err = apply(Operators(opset13.GetOperator, 17), add, x, x)
	assert.ErrorContains(t, err, "com.microsoft")
}

// TestOthersOperators: an operator of base that is not gonnx's own is taken as it
// is, in any opset and with any attribute.
func TestOthersOperators(t *testing.T) {
	x := list(1)
	base := func(string) (ops.Operator, error) { return &broken{outputs: []tensor.Tensor{x}}, nil }
	_, err := apply(Operators(base, 1), node1("Add", protos.Attributes{"anything": 1}, x), x)
	assert.NoError(t, err)
}

// TestMemory: nodes that make much of little are refused before they do, and others
// of the same operators are not.
func TestMemory(t *testing.T) {
	column, row := of(make([]float32, 1<<17), 1<<17, 1), of(make([]float32, 1<<17), 1, 1<<17)
	image, kernel := of(make([]float32, 9), 1, 1, 3, 3), of(make([]float32, 4), 1, 1, 2, 2)
	get := Builders(opset13.GetOperator, 13)
	sequence := of(make([]float32, 4), 2, 1, 2)
	weights := of(make([]float32, 8), 1, 4, 2)
	square := of(make([]float32, 4), 2, 2)
	for _, c := range []struct {
		opType     string
		attributes protos.Attributes
		inputs     []tensor.Tensor
		fewer      protos.Attributes
		instead    []tensor.Tensor
	}{
		{"ConstantOfShape", nil, []tensor.Tensor{list(1<<31-1, 1<<31-1)}, nil, []tensor.Tensor{list(2, 3)}},
		{"ConstantOfShape", nil, []tensor.Tensor{list(1<<16, 1<<16, 1<<16, 1<<16)}, nil, []tensor.Tensor{list(2)}},
		{"Add", nil, []tensor.Tensor{column, row}, nil, []tensor.Tensor{column, column}},
		{"Equal", nil, []tensor.Tensor{of(make([]float32, 1<<18), 1, 1<<18), of(make([]float32, 1<<18), 1<<18, 1)}, nil, []tensor.Tensor{row, row}},
		{"MatMul", nil, []tensor.Tensor{column, row}, nil, []tensor.Tensor{square, square}},
		{"Gemm", nil, []tensor.Tensor{column, row, square}, nil, []tensor.Tensor{row, column, of([]float32{1}, 1, 1)}},
		{"Gemm", protos.Attributes{"transA": 1, "transB": 1}, []tensor.Tensor{row, column, square}, protos.Attributes{"transA": 1, "transB": 1}, []tensor.Tensor{column, row, of([]float32{1}, 1, 1)}},
		{"Conv", protos.Attributes{"pads": []int64{1 << 40, 0, 0, 1 << 40}}, []tensor.Tensor{image, kernel}, protos.Attributes{"pads": []int64{1, 0, 0, 1}}, []tensor.Tensor{image, kernel}},
		{"Conv", protos.Attributes{"dilations": []int64{1 << 62, 1 << 62}}, []tensor.Tensor{image, kernel}, protos.Attributes{"dilations": []int64{2, 2}}, []tensor.Tensor{image, kernel}},
		{"Expand", nil, []tensor.Tensor{of([]float32{1}, 1), list(5 << 30)}, nil, []tensor.Tensor{of([]float32{1}, 1), list(5)}},
		{"Tile", nil, []tensor.Tensor{of([]float32{1}, 1), list(5 << 30)}, nil, []tensor.Tensor{of([]float32{1}, 1), list(5)}},
		{"Pad", nil, []tensor.Tensor{of([]float32{1}, 1), list(5<<30, 0)}, nil, []tensor.Tensor{of([]float32{1}, 1), list(5, 0)}},
		{"OneHot", nil, []tensor.Tensor{list(1), list(5 << 30), of([]float32{0, 1}, 2)}, nil, []tensor.Tensor{list(1), list(5), of([]float32{0, 1}, 2)}},
		{"Range", nil, []tensor.Tensor{of([]int64{0}), of([]int64{1 << 32}), of([]int64{1})}, nil, []tensor.Tensor{of([]int64{0}), of([]int64{4}), of([]int64{1})}},
		{"RNN", protos.Attributes{"hidden_size": 1 << 30}, []tensor.Tensor{sequence, weights, weights}, nil, nil},
	} {
		_, err := apply(Operators(get, 13), node1(c.opType, c.attributes, c.inputs...), c.inputs...)
		require.True(t, errors.Is(err, dense.ErrMaxBytes) || errors.Is(err, dense.ErrShape) || errors.Is(err, dense.ErrOption), "%s: %v", c.opType, err)
		if c.instead != nil {
			_, err := apply(Operators(get, 13), node1(c.opType, c.fewer, c.instead...), c.instead...)
			assert.NoError(t, err, c.opType)
		}
	}
}

// TestConstants reads every attribute that Constant has, and every dtype.
func TestConstants(t *testing.T) {
	cases := map[string]struct {
		value any
		want  *tensor.Dense
	}{
		"value_float":   {float32(1.5), of([]float32{1.5})},
		"value_floats":  {[]float32{1, 2}, of([]float32{1, 2}, 2)},
		"value_int":     {7, of([]int64{7})},
		"value_ints":    {[]int64{7, 8}, list(7, 8)},
		"value_string":  {"a", of([]string{"a"})},
		"value_strings": {[]string{"a", "b"}, of([]string{"a", "b"}, 2)},
	}
	for name, c := range cases {
		out, err := apply(Operators(nil, 13), node1("Constant", protos.Attributes{name: c.value}))
		require.NoError(t, err, name)
		assertSame(t, c.want, out[0])
	}
	for _, want := range everyDtype() {
		out, err := apply(Operators(nil, 13), node1("Constant", protos.Attributes{"value": protos.Tensor("", want)}))
		require.NoError(t, err)
		assertSame(t, want, out[0])
	}
	for name, n := range map[string]*pb.NodeProto{
		"no attribute":      node1("Constant", nil),
		"two":               node1("Constant", protos.Attributes{"value_int": 1, "value_float": float32(1)}),
		"an unknown one":    node1("Constant", protos.Attributes{"speed": 1}),
		"a sparse one":      {OpType: "Constant", Output: []string{"y"}, Attribute: []*pb.AttributeProto{{Name: "sparse_value", Type: pb.AttributeProto_SPARSE_TENSOR, SparseTensor: &pb.SparseTensorProto{}}}},
		"of another kind":   node1("Constant", protos.Attributes{"value_int": "1"}),
		"no tensor":         {OpType: "Constant", Output: []string{"y"}, Attribute: []*pb.AttributeProto{{Name: "value", Type: pb.AttributeProto_TENSOR}}},
		"dims without data": node1("Constant", protos.Attributes{"value": &pb.TensorProto{DataType: 1, Dims: []int64{1 << 40}}}),
		"dims that wrap":    node1("Constant", protos.Attributes{"value": &pb.TensorProto{DataType: 1, Dims: []int64{1 << 32, 1 << 32}}}),
		"negative dims":     node1("Constant", protos.Attributes{"value": &pb.TensorProto{DataType: 1, Dims: []int64{-1}}}),
		"a type of 8 bits":  node1("Constant", protos.Attributes{"value": &pb.TensorProto{DataType: 17, RawData: []byte{1}}}),
	} {
		_, err := apply(Operators(nil, 13), n)
		assert.ErrorContains(t, err, "Constant", name)
	}
	_, err := apply(Operators(nil, 13), node1("Constant", protos.Attributes{"value_int": 1}, list(1)), list(1))
	assert.ErrorContains(t, err, "1 inputs")
}

// everyDtype are tensors of all dtypes that ONNX has and tensors can have. Those of
// 2 elements are what gonnx itself reads; uint64, 16-bit floats, complex numbers and
// strings are what it cannot.
func everyDtype() []*tensor.Dense {
	return []*tensor.Dense{
		of([]bool{true, false}, 2), of([]string{"ä", ""}, 2),
		of([]int8{-1, 2}, 2), of([]int16{-1, 2}, 2), of([]int32{-1, 2}, 2), of([]int64{-1, math.MaxInt64}, 2),
		of([]uint8{1, 2}, 2), of([]uint16{1, 2}, 2), of([]uint32{1, math.MaxUint32}, 2), of([]uint64{1, math.MaxUint64}, 2),
		float16s(), bfloat16s(), of([]float32{1.5, -2}, 2), of([]float64{1.5, -2}, 2),
		of([]complex64{1, 2i}, 2), of([]complex128{1, 2i}, 2),
		of([]float32{7}), of([]float32{}, 0, 3), of([]string{}, 0),
	}
}
