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

// TestSentenceModel runs a model of six layers that sentence.py made, with int8 weights
// and a mask of comparisons: the outputs are ONNX Runtime's.
func TestSentenceModel(t *testing.T) {
	var c struct {
		Ids, Mask []int64
		Y         []float64
	}
	data, err := os.ReadFile("testdata/sentence/sentence.json")
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(data, &c))
	model, err := onnx.ReadModelFile("testdata/sentence/sentence.onnx")
	require.NoError(t, err)
	const batch = 3
	length := len(c.Ids) / batch
	for _, name := range []string{"ids", "mask"} {
		require.NoError(t, model.SetInputShape(name, batch, length))
	}
	g := G.NewGraph()
	built, err := model.Build(g, builders.All())
	require.NoError(t, err)
	for name, list := range map[string][]int64{"ids": c.Ids, "mask": c.Mask} {
		require.NoError(t, built.Let(name, tensor.New(tensor.WithShape(batch, length), tensor.WithBacking(list))))
	}
	vm := G.NewTapeMachine(g)
	defer vm.Close()
	require.NoError(t, vm.RunAll())
	y, err := built.Value("y")
	require.NoError(t, err)
	near(t, "y", c.Y, floatsOf(t, y), 1e-5)
}
