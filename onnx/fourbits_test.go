package onnx_test

import (
	"bytes"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"google.golang.org/protobuf/encoding/protowire"
	"gorgonia.org/gather/onnx"
	"gorgonia.org/gather/onnx/builders"
	G "gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

// The fields and types of the messages below.
const (
	rawData   = 9
	int32Data = 5
	float     = 1
	int8Data  = 3
	uint4     = 21
	int4      = 22
)

// field adds a field of bytes to a message.
func field(m onnx.Message, number protowire.Number, b []byte) onnx.Message {
	return protowire.AppendBytes(protowire.AppendTag(m, number, protowire.BytesType), b)
}

func raw(name string, dataType int64, data []byte, dims ...int64) onnx.Message {
	return field(onnx.TensorMessage(name, dataType, dims...), rawData, data)
}

// fourBitsModel is a model of those nodes, inputs and initializers, with the output y.
func fourBitsModel(opset, dataType int64, nodes, inputs, initializers []onnx.Message) onnx.Message {
	graph := onnx.Message{}
	for _, m := range initializers {
		graph = field(graph, onnx.ConstantsField, m)
	}
	for _, m := range inputs {
		graph = field(graph, onnx.InputField, m)
	}
	for _, m := range nodes {
		graph = field(graph, onnx.NodeField, m)
	}
	return onnx.ModelMessage(opset, field(graph, onnx.OutputField, onnx.ValueMessage("y", dataType)))
}

func several(list ...onnx.Message) []onnx.Message { return list }

// scale is an initializer of floats: 1 and 0.5.
var scale = raw("s", float, []byte{0, 0, 0x80, 0x3f, 0, 0, 0, 0x3f}, 2)

func build(m onnx.Message) (*onnx.Graph, error) {
	model, err := onnx.ReadModel(bytes.NewReader(m))
	if err != nil {
		return nil, err
	}
	return model.Build(G.NewGraph(), builders.All())
}

// valueOf runs a model and returns y.
func valueOf(t *testing.T, m onnx.Message, inputs map[string]*tensor.Dense) any {
	t.Helper()
	built, err := build(m)
	require.NoError(t, err)
	for name, d := range inputs {
		require.NoError(t, built.Let(name, d))
	}
	vm := G.NewTapeMachine(built.Outputs[0].Node.Graph())
	defer vm.Close()
	require.NoError(t, vm.RunAll())
	y, err := built.Value("y")
	require.NoError(t, err)
	return y.Data()
}

// Numbers of 4 bits go through DequantizeLinear and QuantizeLinear as initializers, inputs
// and results.
func TestFourBits(t *testing.T) {
	dequantize := func(from string, zero ...string) onnx.Message {
		return onnx.NodeMessage("DequantizeLinear", append(list(from, "s"), zero...), list("y"), onnx.IntAttribute("axis", 0))
	}
	signed, unsigned := raw("w", int4, []byte{0x21, 0xf8, 0x07}, 2, 3), raw("w", uint4, []byte{0x21, 0xf8, 0x07}, 2, 3)
	for _, c := range []struct {
		name   string
		m      onnx.Message
		inputs map[string]*tensor.Dense
		want   any
	}{
		{"int4", fourBitsModel(21, float, several(dequantize("w")), nil, several(signed, scale)), nil, []float32{1, 2, -8, -0.5, 3.5, 0}},
		{"uint4", fourBitsModel(21, float, several(dequantize("w", "z")), nil, several(unsigned, scale, raw("z", uint4, []byte{0x21}, 2))), nil, []float32{0, 1, 7, 6.5, 2.5, -1}},
		{"an input", fourBitsModel(21, float, several(dequantize("x")), several(onnx.ValueMessage("x", int4, 2, 1)), several(scale)),
			map[string]*tensor.Dense{"x": tensor.New(tensor.WithShape(2, 1), tensor.WithBacking([]int8{-8, 7}))}, []float32{-8, 3.5}},
		{"a result", fourBitsModel(21, int4, several(onnx.NodeMessage("QuantizeLinear", list("x", "s", "z"), list("y"), onnx.IntAttribute("axis", 0))),
			several(onnx.ValueMessage("x", float, 2)), several(scale, raw("z", int4, []byte{0x01}, 2))),
			map[string]*tensor.Dense{"x": tensor.New(tensor.WithShape(2), tensor.WithBacking([]float32{100, -100}))}, []int8{7, -8}},
		{"there and back", fourBitsModel(21, float, several(
			onnx.NodeMessage("QuantizeLinear", list("x", "s"), list("q"), onnx.IntAttribute("axis", 0), onnx.IntAttribute("output_dtype", uint4)), dequantize("q", "z")),
			several(onnx.ValueMessage("x", float, 2)), several(scale, raw("z", uint4, []byte{0x11}, 2))),
			map[string]*tensor.Dense{"x": tensor.New(tensor.WithShape(2), tensor.WithBacking([]float32{100, -100}))}, []float32{14, -0.5}},
	} {
		t.Run(c.name, func(t *testing.T) { assert.Equal(t, c.want, valueOf(t, c.m, c.inputs)) })
	}
	t.Run("ReadTensor", func(t *testing.T) {
		for dataType, want := range map[int64]any{int4: []int8{1, 2, -8}, uint4: []uint8{1, 2, 8}} {
			for _, m := range several(raw("", dataType, []byte{0x21, 0xf8}, 3), field(onnx.TensorMessage("", dataType, 3), int32Data, []byte{0x21, 0xf8, 0x01})) {
				d, err := onnx.ReadTensor(bytes.NewReader(m))
				require.NoError(t, err)
				assert.Equal(t, want, d.Data())
			}
		}
	})
}

// What a type of 4 bits makes another operation, or none, is refused.
func TestFourBitsErrors(t *testing.T) {
	node := func(op string, inputs []string, attributes ...onnx.Message) []onnx.Message {
		return several(onnx.NodeMessage(op, inputs, list("y"), attributes...))
	}
	w, x, z := raw("w", int4, []byte{0x21}, 2), several(onnx.ValueMessage("x", float, 2)), raw("z", int8Data, []byte{1, 1}, 2)
	dtype := func(n int64) onnx.Message { return onnx.IntAttribute("output_dtype", n) }
	for name, c := range map[string]struct {
		m    onnx.Message
		text string
	}{
		"before opset 21": {fourBitsModel(20, float, node("DequantizeLinear", list("w", "s")), nil, several(w, scale)), `input "w" is of type INT4, which only`},
		"CastLike":        {fourBitsModel(21, int4, node("CastLike", list("x", "w")), x, several(w)), `input "w" is of type INT4, which only`},
		"a Cast of an input": {fourBitsModel(21, float, node("Cast", list("x"), onnx.IntAttribute("to", 1)), several(onnx.ValueMessage("x", uint4, 2)), nil),
			`input "x" is of type UINT4, which only`},
		"a Neg of a result": {fourBitsModel(21, int4, several(onnx.NodeMessage("QuantizeLinear", list("x", "s"), list("q"), dtype(int4), onnx.IntAttribute("axis", 0)),
			onnx.NodeMessage("Neg", list("q"), list("y"))), x, several(scale)), `input "q" is of type INT4, which only`},
		"as a scale":           {fourBitsModel(21, float, node("DequantizeLinear", list("w", "w")), nil, several(w)), `input "w" is of type INT4`},
		"other zero points":    {fourBitsModel(21, float, node("DequantizeLinear", list("w", "s", "z")), nil, several(w, scale, z)), "x and x_zero_point are of different types, one of them is INT4"},
		"zero points of other": {fourBitsModel(21, float, node("DequantizeLinear", list("z", "s", "w")), nil, several(w, scale, z)), "one of them is INT4"},
		"another output_dtype": {fourBitsModel(21, int4, node("QuantizeLinear", list("x", "s", "w"), dtype(int8Data)), x, several(w, scale)), "output_dtype is INT8, y_zero_point is of another type"},
		"output_dtype of 4 bits and zero points of 8": {fourBitsModel(21, int4, node("QuantizeLinear", list("x", "s", "z"), dtype(int4)), x, several(z, scale)),
			"output_dtype is INT4, y_zero_point is of another type"},
		"an initializer as output": {onnx.ModelMessage(21, field(field(nil, onnx.ConstantsField, w), onnx.OutputField, onnx.ValueMessage("w", int4))), `output "w" is of type INT4`},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := build(c.m)
			assert.ErrorContains(t, err, c.text)
		})
	}
	built, err := build(fourBitsModel(21, float, node("DequantizeLinear", list("w", "s"), onnx.IntAttribute("axis", 0)), nil, several(w, scale)))
	require.NoError(t, err)
	assert.ErrorContains(t, built.Let("w", tensor.New(tensor.WithShape(2), tensor.WithBacking([]int8{1, 2}))), "cannot be changed")
}
