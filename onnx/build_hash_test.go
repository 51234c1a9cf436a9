package onnx

import (
	"fmt"
	"hash/fnv"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

// sameHash are names of inputs of one type and shape whose nodes have one hash, by
// which Gorgonia tells nodes.
func sameHash(t *testing.T, dt tensor.Dtype, shape ...int) (a, b string) {
	t.Helper()
	seen := map[uint32]string{}
	for i := uint64(1); ; i++ {
		name := fmt.Sprintf("%x", i*0x9E3779B97F4A7C15)
		h := fnv.New32a()
		fmt.Fprintf(h, "%v%v%s\x00", gorgonia.TensorType{Dims: len(shape), Of: dt}, tensor.Shape(shape), name)
		if first, ok := seen[h.Sum32()]; ok {
			g := gorgonia.NewGraph()
			n, o := inputNode(g, first, dt, shape), gorgonia.NewTensor(g, dt, len(shape), gorgonia.WithShape(shape...), gorgonia.WithName(name))
			require.Equal(t, n.Hashcode(), o.Hashcode())
			return first, name
		}
		seen[h.Sum32()] = name
	}
}

// TestBuildInputsOfOneHash keeps inputs apart that Gorgonia would take for one, those
// of a run and those that are known when the graph is built.
func TestBuildInputsOfOneHash(t *testing.T) {
	a, b := sameHash(t, tensor.Float64, 2)
	m := modelOf(t, modelMessage(13, message{}.
		bytes(graphInput, valueMessage(a, 11, 2)).bytes(graphInput, valueMessage(b, 11, 2)).
		bytes(graphInitializer, int64Message("swap", []int64{2}, 1, 0)).
		bytes(graphNode, nodeMessage("Gather", []string{a, "swap"}, []string{"first"})).
		bytes(graphNode, nodeMessage("Gather", []string{b, "swap"}, []string{"second"})).
		bytes(graphOutput, valueMessage("first", 11, 2)).bytes(graphOutput, valueMessage("second", 11, 2))))
	g := gorgonia.NewGraph()
	built, err := m.Build(g)
	require.NoError(t, err)
	assert.Equal(t, a, built.Input(a).Name())
	assert.Equal(t, b+"_2", built.Input(b).Name())
	require.NoError(t, built.Let(a, of([]float64{1, 2}, 2)))
	require.NoError(t, built.Let(b, of([]float64{3, 4}, 2)))
	assert.Equal(t, []float64{2, 1}, run(t, g, built, "first").Data())
	second, err := built.Value("second")
	require.NoError(t, err)
	assert.Equal(t, []float64{4, 3}, second.Data())

	a, b = sameHash(t, tensor.Int64, 2)
	m = modelOf(t, modelMessage(13, message{}.
		bytes(graphInitializer, int64Message(a, []int64{2}, 5, 6)).
		bytes(graphInitializer, int64Message(b, []int64{2}, 1, 0)).
		bytes(graphNode, nodeMessage("Gather", []string{a, b}, []string{"k"})).
		bytes(graphOutput, valueMessage("k", 7, 2))))
	g = gorgonia.NewGraph()
	built, err = m.Build(g)
	require.NoError(t, err)
	assert.Equal(t, i64(6, 5), run(t, g, built, "k").Data())
}

// TestBuildChecksTheGraph refuses to build into a graph that has two nodes of one hash.
func TestBuildChecksTheGraph(t *testing.T) {
	a, b := sameHash(t, tensor.Float64, 2)
	g := gorgonia.NewGraph()
	for _, name := range []string{a, b} {
		gorgonia.NewVector(g, tensor.Float64, gorgonia.WithShape(2), gorgonia.WithName(name))
	}
	m := testModel(t, "embedding.onnx")
	require.NoError(t, m.SetInputShape("words", 1, 2))
	_, err := m.Build(g)
	assert.ErrorContains(t, err, fmt.Sprintf("onnx: nodes %s and %s have one hash", a, b))
}
