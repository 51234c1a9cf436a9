package gathergonnx

import (
	"encoding/json"
	"os"
	"testing"

	"github.com/advancedclimatesystems/gonnx"
	"github.com/stretchr/testify/require"
	"gorgonia.org/tensor"
)

// readJSON reads what a script has written.
func readJSON(t *testing.T, path string, to any) {
	t.Helper()
	data, err := os.ReadFile(path)
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(data, to))
}

// TestSentenceModel runs models of opset 17 with operators that gonnx lacks, one with int8
// weights and one that ONNX Runtime's quantize_dynamic made: the outputs are those that ONNX
// Runtime gave. The second run computes with the graphs of the first.
func TestSentenceModel(t *testing.T) {
	for name, tolerance := range map[string]float64{"sentence": 1e-5, "dynamic": 1e-4} {
		path := "../conformance/zoo/testdata/sentence/" + name
		var c struct {
			Ids, Mask []int64
			Y         []float64
		}
		readJSON(t, path+".json", &c)
		m, err := LoadFile(path + ".onnx")
		require.NoError(t, err)
		length := len(c.Ids) / 3
		for range 2 {
			out, err := m.Run(gonnx.Tensors{"ids": of(c.Ids, 3, length), "mask": of(c.Mask, 3, length)})
			require.NoError(t, err)
			y := out["y"].(*tensor.Dense).Float32s()
			require.Len(t, y, len(c.Y))
			for i, want := range c.Y {
				require.InDelta(t, want, y[i], tolerance)
			}
		}
	}
}

// TestInt8Model runs a published sentence model of six layers with int8 weights and dynamic
// shapes, in batches and one by one: the outputs are those that ONNX Runtime gave.
func TestInt8Model(t *testing.T) {
	const folder = "../conformance/zoo/int8/"
	if _, err := os.Stat(folder + "model.onnx"); os.IsNotExist(err) {
		t.Skip("skipped: the model is not there, conformance/zoo/int8/fetch.sh fetches it")
	}
	var c struct {
		Ids, Mask    []int64
		Batch, Width int
		Y            []float64
	}
	readJSON(t, folder+"int8.json", &c)
	m, err := LoadFile(folder + "model.onnx")
	require.NoError(t, err)
	length := len(c.Ids) / c.Batch
	for _, batch := range []int{c.Batch, 1} {
		n := batch * length
		out, err := m.Run(gonnx.Tensors{"input_ids": of(c.Ids[:n], batch, length), "attention_mask": of(c.Mask[:n], batch, length), "token_type_ids": of(make([]int64, n), batch, length)})
		require.NoError(t, err)
		y := out[m.OutputNames()[0]].(*tensor.Dense)
		width := y.Shape()[2]
		for i, x := range y.Float32s() {
			if i%width < c.Width {
				want := c.Y[i/width*c.Width+i%width]
				require.InDelta(t, want, x, 1e-4*max(1, want, -want))
			}
		}
	}
}
