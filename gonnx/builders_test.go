package gathergonnx

import (
	"math"
	"os"
	"path/filepath"
	"testing"

	"github.com/advancedclimatesystems/gonnx"
	pb "github.com/advancedclimatesystems/gonnx/onnx"
	"github.com/advancedclimatesystems/gonnx/ops"
	"github.com/advancedclimatesystems/gonnx/ops/opset13"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/x448/float16"
	"gorgonia.org/gather/gonnx/internal/protos"
	"gorgonia.org/gather/onnx"
	"gorgonia.org/tensor"
)

// A model of operators that gonnx lacks.
func TestBuilders(t *testing.T) {
	p := protos.Model(17, &pb.GraphProto{
		Input:  []*pb.ValueInfoProto{protos.Value("x", tensor.Float32, 4)},
		Output: []*pb.ValueInfoProto{protos.Value("y", tensor.Float32, 4), protos.Value("first", tensor.Float32, 2)},
		Initializer: []*pb.TensorProto{
			protos.Tensor("low", of([]float32{-1}, 1)), protos.Tensor("two", of([]int64{2, 2}, 2)),
		},
		Node: []*pb.NodeProto{
			protos.Node("IsNaN", []string{"x"}, []string{"none"}, nil),
			protos.Node("Not", []string{"none"}, []string{"number"}, nil),
			protos.Node("Max", []string{"x", "low"}, []string{"bounded"}, nil),
			protos.Node("Equal", []string{"bounded", "x"}, []string{"inside"}, nil),
			protos.Node("And", []string{"number", "inside"}, []string{"taken"}, nil),
			protos.Node("Where", []string{"taken", "x", "low"}, []string{"y"}, nil),
			protos.Node("Split", []string{"y", "two"}, []string{"first", ""}, protos.Attributes{"axis": 0}),
		},
	})
	m, err := Load(protos.Bytes(p))
	require.NoError(t, err)
	nan := float32(math.NaN())
	out, err := m.Run(gonnx.Tensors{"x": of([]float32{3, nan, -5, 0}, 4)})
	require.NoError(t, err)
	assert.Equal(t, []float32{3, -1, -1, 0}, out["y"].Data())
	assert.Equal(t, []float32{3, -1}, out["first"].Data())
	_, err = m.Run(gonnx.Tensors{"x": of([]float32{3, nan, -5}, 3)})
	assert.ErrorContains(t, err, "x")
}

// run computes one node.
func runBuilt(t *testing.T, n *pb.NodeProto, opset int, in ...tensor.Tensor) ([]tensor.Tensor, error) {
	t.Helper()
	op, err := Builders(nil, opset)(n.GetOpType())
	require.NoError(t, err)
	if err := op.Init(n); err != nil {
		return nil, err
	}
	if in, err = op.ValidateInputs(in); err != nil {
		return nil, err
	}
	return op.Apply(in)
}

// 16-bit floats are computed in float and rounded once; what a version does not allow
// stays an error.
func TestBuildersOfHalves(t *testing.T) {
	halves := func(list ...float32) *tensor.Dense {
		var values []float16.Float16
		for _, x := range list {
			values = append(values, float16.Fromfloat32(x))
		}
		return of(values, len(list))
	}
	n := protos.Node("Add", []string{"a", "b"}, []string{"y"}, nil)
	out, err := runBuilt(t, n, 14, halves(1, 2048), halves(0.5, 1))
	require.NoError(t, err)
	// 2049 lies between 2048 and 2050, and goes to the even one.
	assert.Equal(t, halves(1.5, 2048).Data(), out[0].Data())
	_, err = runBuilt(t, n, 12, bfloat16s(), bfloat16s())
	var version *onnx.VersionError
	assert.ErrorAs(t, err, &version)
	out, err = runBuilt(t, protos.Node("Reshape", []string{"x", "shape"}, []string{"y"}, nil), 14, bfloat16s(), of([]int64{2, 1}, 2))
	require.NoError(t, err)
	assert.Equal(t, bfloat16s().Data(), out[0].Data(), "it is moved as it is")
}

// Builders comes before gonnx's own operators, and behind those of others; it says what
// nobody has.
func TestBuildersLayer(t *testing.T) {
	for opType, want := range map[string]ops.Operator{"Add": &evaluated{}, "Acos": &carried{}} {
		op, err := Builders(opset13.GetOperator, 17)(opType)
		require.NoError(t, err)
		assert.IsType(t, want, op)
	}
	op, err := Builders(func(string) (ops.Operator, error) { return &broken{}, nil }, 17)("Add")
	require.NoError(t, err)
	assert.IsType(t, &broken{}, op)
	for _, opType := range []string{"SplitToSequence", "SequenceAt", "Loop", ""} {
		_, err = Builders(nil, 17)(opType)
		assert.ErrorIs(t, err, ops.ErrUnsupportedOperator, opType)
	}
	n := protos.Node("Add", []string{"a", "b"}, []string{"y"}, nil)
	n.Domain = "com.example"
	_, err = runBuilt(t, n, 14, of([]float32{1}, 1), of([]float32{1}, 1))
	assert.ErrorContains(t, err, `the node's is of domain "com.example"`)
	out, err := runBuilt(t, protos.Node("Add", []string{"a", "b"}, []string{"y"}, nil), 14, of([]float32{1}, 1), nil)
	assert.Nil(t, out)
	assert.ErrorContains(t, err, "Add-14: input 1 is left out")
}

// A model in two files is loaded like one in one file.
func TestLoadFileOfTwoFiles(t *testing.T) {
	p := embedding()
	table := p.GetGraph().GetInitializer()[0]
	folder := t.TempDir()
	values, err := onnxValues(table)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(filepath.Join(folder, "model.onnx.data"), values, 0o600))
	table.RawData, table.FloatData = nil, nil
	table.DataLocation = pb.TensorProto_EXTERNAL
	table.ExternalData = []*pb.StringStringEntryProto{{Key: "location", Value: "model.onnx.data"}}
	path := filepath.Join(folder, "model.onnx")
	require.NoError(t, os.WriteFile(path, protos.Bytes(p), 0o600))
	m, err := LoadFile(path)
	require.NoError(t, err)
	out, err := m.Run(gonnx.Tensors{"ids": of([]int64{2, 0}, 1, 2)})
	require.NoError(t, err)
	assert.Equal(t, []float32{200, 210, 0, 10}, out["y"].Data())
}

// onnxValues are the bytes of a tensor's values.
func onnxValues(p *pb.TensorProto) ([]byte, error) {
	d, err := readTensor(p)
	if err != nil {
		return nil, err
	}
	return p.GetRawData()[:len(d.Float32s())*4], nil
}
