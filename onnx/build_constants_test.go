package onnx

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gorgonia.org/gather/internal/opset"
	"gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

// A graph of Gorgonia constants alone makes NewTapeMachine panic. Here every
// constant is an input node, so that such a model runs like any other.
func TestBuildOfConstantsAlone(t *testing.T) {
	m := testModel(t, "constants.onnx")
	assert.Empty(t, m.Inputs())
	g := gorgonia.NewGraph()
	built, err := m.Build(g)
	require.NoError(t, err)
	assert.Len(t, built.Constants, 5)
	assert.Equal(t, f32(6, 7, 8, 10, 11, 12, 6, 7, 8), run(t, g, built, "picked").Data())
	for name, want := range map[string][]float32{"one": {11, 24, 7}, "square": iota32(9)} {
		got, err := built.Value(name)
		require.NoError(t, err)
		assert.Equal(t, want, got.Data(), name)
	}
}

// Two constants of one type, shape and beginning of their print stay two.
func TestBuildKeepsConstantsApart(t *testing.T) {
	long := make([]int64, 100)
	other := make([]int64, 100)
	other[50] = 1
	graph := message{}.
		bytes(graphInitializer, int64Message("a", []int64{100}, long...)).
		bytes(graphInitializer, int64Message("b", []int64{100}, other...)).
		bytes(graphInitializer, int64Message("zero", nil, 50)).
		bytes(graphNode, nodeMessage("Gather", []string{"a", "zero"}, []string{"x"})).
		bytes(graphNode, nodeMessage("Gather", []string{"b", "zero"}, []string{"y"})).
		bytes(graphOutput, valueMessage("x", 7)).
		bytes(graphOutput, valueMessage("y", 7))
	g := gorgonia.NewGraph()
	built, err := modelOf(t, modelMessage(13, graph)).Build(g)
	require.NoError(t, err)
	assert.Equal(t, int64(0), run(t, g, built, "x").Data())
	y, err := built.Value("y")
	require.NoError(t, err)
	assert.Equal(t, int64(1), y.Data())
}

// A Constant may hold its value in an attribute of its own kind.
func TestConstantKinds(t *testing.T) {
	cases := []struct {
		name      string
		attribute message
		kind      int64
		shape     tensor.Shape
		want      any
	}{
		{"value", message{}.bytes(5, int64Message("", []int64{1, 2}, 3, 4)), kindTensor, tensor.Shape{1, 2}, i64(3, 4)},
		{"value_float", message{}.fixed32(2, 0x3fc00000), kindFloat, tensor.Shape{}, float32(1.5)},
		{"value_floats", message{}.fixed32(7, 0x3fc00000).fixed32(7, 0), kindFloats, tensor.Shape{2}, f32(1.5, 0)},
		{"value_floats", nil, kindFloats, tensor.Shape{0}, nil},
		{"value_int", message{}.varint(3, -3), kindInt, tensor.Shape{}, int64(-3)},
		{"value_ints", message{}.bytes(8, packed(5, -6, 7)), kindInts, tensor.Shape{3}, i64(5, -6, 7)},
		{"value_ints", nil, kindInts, tensor.Shape{0}, nil},
		{"value_string", message{}.text(4, "word"), kindString, tensor.Shape{}, "word"},
		{"value_strings", message{}.text(9, "two").text(9, "words"), kindStrings, tensor.Shape{2}, []string{"two", "words"}},
		{"value_strings", nil, kindStrings, tensor.Shape{0}, nil},
	}
	for _, c := range cases {
		t.Run(fmt.Sprint(c.name, c.shape), func(t *testing.T) {
			a := append(message{}.text(1, c.name).varint(20, c.kind), c.attribute...)
			var n modelNode
			require.NoError(t, n.parse(nodeMessage("Constant", nil, []string{"c"}, a), new(tensorProto)))
			budget, err := opset.NewBudget(1 << 10)
			require.NoError(t, err)
			got, err := constant(&n, 13, budget)
			require.NoError(t, err)
			assert.Equal(t, c.shape, append(tensor.Shape{}, got.Shape()...))
			assert.Equal(t, c.want, values(got))
		})
	}
}
