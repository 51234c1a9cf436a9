package zoo

import (
	"encoding/json"
	"os"
	"testing"

	"github.com/stretchr/testify/require"
	"gorgonia.org/gather/onnx"
	"gorgonia.org/gather/onnx/builders"
	G "gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

// readJSON reads what a script has written.
func readJSON(t *testing.T, path string, to any) {
	t.Helper()
	data, err := os.ReadFile(path)
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(data, to))
}

// output runs a model on integers of one shape, and returns its only output.
func output(t *testing.T, path string, batch int, inputs map[string][]int64) *tensor.Dense {
	t.Helper()
	model, err := onnx.ReadModelFile(path)
	require.NoError(t, err)
	for name, list := range inputs {
		require.NoError(t, model.SetInputShape(name, batch, len(list)/batch))
	}
	g := G.NewGraph()
	built, err := model.Build(g, builders.All())
	require.NoError(t, err)
	for name, list := range inputs {
		require.NoError(t, built.Let(name, tensor.New(tensor.WithShape(batch, len(list)/batch), tensor.WithBacking(list))))
	}
	vm := G.NewTapeMachine(g)
	defer vm.Close()
	require.NoError(t, vm.RunAll())
	y, err := built.Value(model.Outputs()[0].Name)
	require.NoError(t, err)
	return y
}

// TestSentenceModel runs models of six layers: that of sentence.py, with int8 weights behind
// Cast and Mul and a mask of comparisons, and that of dynamic.py, which ONNX Runtime's
// quantize_dynamic made. The outputs are ONNX Runtime's.
func TestSentenceModel(t *testing.T) {
	for name, tolerance := range map[string]float64{"sentence": 1e-5, "dynamic": 1e-4} {
		t.Run(name, func(t *testing.T) {
			var c struct {
				Ids, Mask []int64
				Y         []float64
			}
			path := "testdata/sentence/" + name
			readJSON(t, path+".json", &c)
			y := output(t, path+".onnx", 3, map[string][]int64{"ids": c.Ids, "mask": c.Mask})
			near(t, "y", c.Y, floatsOf(t, y), tolerance)
		})
	}
}

// TestInt8Model runs a published sentence model of six layers with int8 weights and dynamic
// shapes. The outputs are ONNX Runtime's.
func TestInt8Model(t *testing.T) {
	if _, err := os.Stat("int8/model.onnx"); os.IsNotExist(err) {
		t.Skip("skipped: the model is not there, conformance/zoo/int8/fetch.sh fetches it")
	}
	var c struct {
		Ids, Mask    []int64
		Batch, Width int
		Y            []float64
	}
	readJSON(t, "int8/int8.json", &c)
	y := output(t, "int8/model.onnx", c.Batch, map[string][]int64{"input_ids": c.Ids, "attention_mask": c.Mask, "token_type_ids": make([]int64, len(c.Ids))})
	var first []float64
	width := y.Shape()[2]
	for i, x := range floatsOf(t, y) {
		if i%width < c.Width {
			first = append(first, x)
		}
	}
	near(t, "y", c.Y, first, 1e-4)
}
