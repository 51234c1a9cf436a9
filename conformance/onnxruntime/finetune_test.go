package onnxruntime

import (
	"bytes"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
	ort "github.com/yalue/onnxruntime_go"
	"gorgonia.org/gather/onnx"
	"gorgonia.org/gather/onnx/builders"
	G "gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

// TestWrittenModel runs the model that examples/finetune writes, after it has
// learnt further in Gorgonia, on Gorgonia and on ONNX Runtime.
func TestWrittenModel(t *testing.T) {
	openRuntime(t)
	const names, grams = 64, 48
	folder := t.TempDir()
	program := exec.Command("go", "run", "./examples/finetune", "-epochs", "1", "-out", folder)
	program.Dir = filepath.Join("..", "..")
	report, err := program.CombinedOutput()
	require.NoError(t, err, string(report))
	file, err := os.ReadFile(filepath.Join(folder, "classifier.onnx"))
	require.NoError(t, err)

	model, err := onnx.ReadModel(bytes.NewReader(file))
	require.NoError(t, err)
	require.NoError(t, model.SetInputShape("grams", names, grams))
	require.NoError(t, model.SetInputShape("mask", names, grams, 1))
	g := G.NewGraph()
	built, err := model.Build(g, builders.All())
	require.NoError(t, err)

	// Any rows of the table, and of each name some grams.
	random := rand.New(rand.NewPCG(1, 2))
	ids, mask := make([]int64, names*grams), make([]float32, names*grams)
	for i := range ids {
		ids[i], mask[i] = random.Int64N(100), float32(random.IntN(2))
		if i%grams == 0 {
			mask[i] = 1 // a mean of nothing is not asked for
		}
	}
	require.NoError(t, built.Let("grams", tensor.New(tensor.WithShape(names, grams), tensor.WithBacking(ids))))
	require.NoError(t, built.Let("mask", tensor.New(tensor.WithShape(names, grams, 1), tensor.WithBacking(mask))))
	name := model.Outputs()[0].Name
	var ours G.Value
	G.Read(built.Output(name), &ours)
	machine := G.NewTapeMachine(g)
	defer func() { require.NoError(t, machine.Close()) }()
	require.NoError(t, machine.RunAll())

	session, err := ort.NewDynamicAdvancedSessionWithONNXData(file, []string{"grams", "mask"}, []string{name}, nil)
	require.NoError(t, err)
	defer func() { require.NoError(t, session.Destroy()) }()
	first, err := ort.NewTensor(ort.NewShape(names, grams), ids)
	require.NoError(t, err)
	defer func() { require.NoError(t, first.Destroy()) }()
	second, err := ort.NewTensor(ort.NewShape(names, grams, 1), mask)
	require.NoError(t, err)
	defer func() { require.NoError(t, second.Destroy()) }()
	theirs := []ort.Value{nil}
	require.NoError(t, session.Run([]ort.Value{first, second}, theirs))
	defer func() { require.NoError(t, theirs[0].Destroy()) }()
	require.InDeltaSlice(t, theirs[0].(*ort.Tensor[float32]).GetData(), ours.(*tensor.Dense).Float32s(), 1e-5)
}
