package onnx_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gorgonia.org/gather/onnx/builders"
	"gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

// outputsModel has outputs of every kind: an operator's, the same under another
// name, a scalar, an empty one, an input and a constant handed through.
func outputsModel() wireMessage {
	shape := wireMessage{}.bytes(1, wireMessage{}.varint(1, 3))
	input := wireMessage{}.bytes(1, []byte("x")).bytes(2, wireMessage{}.bytes(1, wireMessage{}.varint(1, 1).bytes(2, shape)))
	return wireMessage{}.bytes(11, input).
		initializer("none", 7, 8, 0).initializer("w", 1, 4, 3).
		node("Neg", []string{"x"}, "y").
		node("Identity", []string{"y"}, "same").
		node("ReduceSum", []string{"y"}, "sums").
		node("Squeeze", []string{"sums"}, "sum").
		node("Gather", []string{"y", "none"}, "empty")
}

// Outputs are what the model says they are, whatever is made of them.
func TestOutputsAreKept(t *testing.T) {
	m := outputsModel().model(t, "y", "same", "sum", "empty", "x", "w")
	g := gorgonia.NewGraph()
	built, err := m.Build(g, builders.All())
	require.NoError(t, err)
	one := gorgonia.NewConstant(tensor.New(tensor.WithBacking([]float32{1, 1, 1})))
	less := gorgonia.Must(gorgonia.Sub(built.Output("y"), one))
	sumLess := gorgonia.Must(gorgonia.Sub(built.Output("sum"), gorgonia.NewConstant(float32(1))))
	_, err = built.Value("y")
	assert.ErrorContains(t, err, "no machine has run")

	x := tensor.New(tensor.WithBacking([]float32{1, 2, 3}))
	require.NoError(t, built.Let("x", x))
	machine := gorgonia.NewTapeMachine(g)
	defer machine.Close()
	for range 2 { // a second run writes to what the first one made
		require.NoError(t, machine.RunAll())
		v := x.Float32s()
		want := map[string]any{
			"y": []float32{-v[0], -v[1], -v[2]}, "same": []float32{-v[0], -v[1], -v[2]}, "sum": -v[0] - v[1] - v[2], "x": v, "w": []float32{0, 0, 0},
		}
		for name, w := range want {
			got, err := built.Value(name)
			require.NoError(t, err, name)
			assert.Equal(t, w, got.Data(), name)
		}
		empty, err := built.Value("empty")
		require.NoError(t, err)
		assert.Equal(t, tensor.Shape{0}, empty.Shape())
		assert.Equal(t, []float32{-v[0] - 1, -v[1] - 1, -v[2] - 1}, less.Value().Data())
		assert.EqualValues(t, -v[0]-v[1]-v[2]-1, sumLess.Value().Data())
		machine.Reset()
		v[0], v[1], v[2] = 10, 20, 30
	}
}

// On LispMachine an output is kept, too; one that the cost does not use is refused.
func TestOutputsOnLispMachine(t *testing.T) {
	m := outputsModel().model(t, "y", "sum")
	g := gorgonia.NewGraph()
	built, err := m.Build(g, builders.All())
	require.NoError(t, err)
	require.NoError(t, built.Let("x", tensor.New(tensor.WithBacking([]float32{1, 2, 3}))))
	machine := gorgonia.NewLispMachine(g.SubgraphRoots(built.Output("sum")))
	require.NoError(t, machine.RunAll())
	defer machine.Close()
	got, err := built.Value("sum")
	require.NoError(t, err)
	assert.EqualValues(t, -6, got.Data())
	grad, err := built.Input("x").Grad()
	require.NoError(t, err)
	assert.Equal(t, []float32{-1, -1, -1}, grad.Data())
}
