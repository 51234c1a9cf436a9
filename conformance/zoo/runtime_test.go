package zoo

import (
	"os"
	"testing"

	"github.com/stretchr/testify/require"
	ort "github.com/yalue/onnxruntime_go"
	"gorgonia.org/gather/onnx"
	"gorgonia.org/tensor"
)

// library is the environment variable with the path of ONNX Runtime's library.
const library = "ONNXRUNTIME_LIB"

func TestMain(m *testing.M) {
	if path := os.Getenv(library); path != "" {
		ort.SetSharedLibraryPath(path)
		if err := ort.InitializeEnvironment(ort.WithLogLevelFatal()); err != nil {
			panic(err)
		}
	}
	os.Exit(m.Run())
}

// runtimeOutput is what ONNX Runtime computes with a file, nil without its library.
func runtimeOutput(t *testing.T, s *specimen, path string) []float64 {
	t.Helper()
	if os.Getenv(library) == "" {
		return nil
	}
	model, err := onnx.ReadModelFile(path)
	require.NoError(t, err)
	var names []string
	var inputs []ort.Value
	for _, v := range model.Inputs() {
		in := s.Inputs[v.Name]
		value, err := ort.NewCustomDataTensor(shapeOf(in), in.dense(t).Uint8s(), map[string]ort.TensorElementDataType{
			"float32": ort.TensorElementDataTypeFloat, "int64": ort.TensorElementDataTypeInt64, "bool": ort.TensorElementDataTypeBool,
		}[in.Dtype])
		require.NoError(t, err)
		defer func() { require.NoError(t, value.Destroy()) }()
		names, inputs = append(names, v.Name), append(inputs, value)
	}
	session, err := ort.NewDynamicAdvancedSession(path, names, []string{"y"}, nil)
	require.NoError(t, err)
	defer func() { require.NoError(t, session.Destroy()) }()
	outputs := []ort.Value{nil}
	require.NoError(t, session.Run(inputs, outputs))
	defer func() { require.NoError(t, outputs[0].Destroy()) }()
	y := outputs[0].(*ort.Tensor[float32])
	require.Equal(t, shapeOf(s.Output), y.GetShape())
	return floatsOf(t, tensor.New(tensor.WithShape(s.Output.Shape...), tensor.WithBacking(y.GetData())))
}

func shapeOf(a array) ort.Shape {
	shape := ort.Shape{}
	for _, n := range a.Shape {
		shape = append(shape, int64(n))
	}
	return shape
}

// TestRuntime compares PyTorch, whose outputs the other tests are held against, with ONNX Runtime.
func TestRuntime(t *testing.T) {
	if os.Getenv(library) == "" {
		t.Skipf("%s is not set: conformance/install.sh DIR installs ONNX Runtime and prints the path to set it to", library)
	}
	each(t, func(t *testing.T, s *specimen) {
		near(t, "y", s.Output.floats(), runtimeOutput(t, s, s.path), 1e-5)
	})
}
