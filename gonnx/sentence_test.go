package gathergonnx

import (
	"encoding/json"
	"os"
	"testing"

	"github.com/advancedclimatesystems/gonnx"
	"github.com/stretchr/testify/require"
	"gorgonia.org/tensor"
)

// TestSentenceModel runs a model of opset 17 with int8 weights and operators that gonnx
// lacks: the outputs are those that ONNX Runtime gave.
func TestSentenceModel(t *testing.T) {
	const folder = "../conformance/zoo/testdata/sentence/"
	var c struct {
		Ids, Mask []int64
		Y         []float64
	}
	data, err := os.ReadFile(folder + "sentence.json")
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(data, &c))
	m, err := LoadFile(folder + "sentence.onnx")
	require.NoError(t, err)
	length := len(c.Ids) / 3
	out, err := m.Run(gonnx.Tensors{"ids": of(c.Ids, 3, length), "mask": of(c.Mask, 3, length)})
	require.NoError(t, err)
	y := out["y"].(*tensor.Dense).Float32s()
	require.Len(t, y, len(c.Y))
	for i, want := range c.Y {
		require.InDelta(t, want, y[i], 1e-5)
	}
}
