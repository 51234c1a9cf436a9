package gathergonnx

import (
	"bytes"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"github.com/advancedclimatesystems/gonnx"
	pb "github.com/advancedclimatesystems/gonnx/onnx"
	"github.com/advancedclimatesystems/gonnx/ops"
	"github.com/pkg/errors"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/x448/float16"
	"google.golang.org/protobuf/proto"
	"gorgonia.org/gather/dense"
	"gorgonia.org/gather/gonnx/internal/protos"
	"gorgonia.org/tensor"
)

func float16s() *tensor.Dense {
	return of([]float16.Float16{float16.Fromfloat32(1.5), float16.Fromfloat32(-2)}, 2)
}

func bfloat16s() *tensor.Dense { return of([]dense.BF16{0x3fc0, 0xc000}, 2) }

// embedding is a small model: rows of a table are picked, and scaled.
func embedding() *pb.ModelProto {
	return protos.Model(17, &pb.GraphProto{
		Input:       []*pb.ValueInfoProto{protos.Value("ids", tensor.Int64, -1, 2)},
		Output:      []*pb.ValueInfoProto{protos.Value("y", tensor.Float32, -1, 2, 2)},
		Initializer: []*pb.TensorProto{protos.Tensor("table", of([]float32{0, 1, 10, 11, 20, 21}, 3, 2))},
		Node: []*pb.NodeProto{
			protos.Node("Constant", nil, []string{"ten"}, protos.Attributes{"value_float": float32(10)}),
			protos.Node("Gather", []string{"table", "ids"}, []string{"rows"}, nil),
			protos.Node("Mul", []string{"rows", "ten"}, []string{"y"}, nil),
		},
	})
}

func TestLoad(t *testing.T) {
	path := filepath.Join(t.TempDir(), "model.onnx")
	require.NoError(t, os.WriteFile(path, protos.Bytes(embedding()), 0o644))
	m, err := LoadFile(path)
	require.NoError(t, err)
	assert.Equal(t, 17, m.Opset())
	assert.Equal(t, "ids", m.Inputs()[0].Name)
	assert.Equal(t, []string{"ids"}, m.InputNames())
	assert.Equal(t, []string{"y"}, m.OutputNames())
	assert.Equal(t, []string{"table"}, m.ParamNames())
	want := of([]float32{200, 210, 0, 10}, 1, 2, 2)
	var all sync.WaitGroup
	for range 4 { // runs do not disturb each other
		all.Add(1)
		go func() {
			defer all.Done()
			for range 20 {
				out, err := m.Run(gonnx.Tensors{"ids": of([]int64{-1, 0}, 1, 2)})
				if assert.NoError(t, err) {
					assert.Equal(t, want.Data(), out["y"].Data())
				}
			}
		}()
	}
	all.Wait()
	out, err := m.Model.Run(gonnx.Tensors{"ids": of([]int64{-1, 0}, 1, 2)})
	require.NoError(t, err, "gonnx's own Run works, too")
	assertSame(t, want, out["y"])
}

func TestRunErrors(t *testing.T) {
	withDefault := embedding()
	withDefault.Graph.Input = append(withDefault.Graph.Input, protos.Value("table", tensor.Float32, 3, 2))
	m, err := Load(protos.Bytes(withDefault))
	require.NoError(t, err)
	ids := of([]int64{1, 0}, 1, 2)
	_, err = m.Run(gonnx.Tensors{"ids": ids})
	require.NoError(t, err, "an input with an initializer need not be given")
	for name, c := range map[string]struct {
		inputs gonnx.Tensors
		says   string
	}{
		"nil":                   {nil, `input "ids" is missing`},
		"none":                  {gonnx.Tensors{}, `input "ids" is missing`},
		"an unknown one":        {gonnx.Tensors{"ids": ids, "mask": ids}, `no input "mask"`},
		"an initializer":        {gonnx.Tensors{"ids": ids, "table": ids}, "cannot be replaced"},
		"a nil tensor":          {gonnx.Tensors{"ids": nil}, "<nil>"},
		"a nil *Dense":          {gonnx.Tensors{"ids": (*tensor.Dense)(nil)}, `input "ids" is *tensor.Dense`},
		"another dtype":         {gonnx.Tensors{"ids": of([]int32{1, 0}, 1, 2)}, "dtype int32"},
		"another rank":          {gonnx.Tensors{"ids": list(1, 2)}, "shape (2)"},
		"another shape":         {gonnx.Tensors{"ids": of([]int64{1, 0, 1}, 1, 3)}, "shape (1, 3)"},
		"a mask":                {gonnx.Tensors{"ids": tensor.New(tensor.WithShape(1, 2), tensor.WithBacking([]int64{0, 1}, []bool{true, false}))}, "masked"},
		"an index out of range": {gonnx.Tensors{"ids": of([]int64{1, 3}, 1, 2)}, `Gather "make rows": Gather: indices[0 1]: 3 out of range [-3, 3)`},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := m.Run(c.inputs)
			assert.ErrorContains(t, err, c.says)
		})
	}
	_, err = m.Run(gonnx.Tensors{"ids": of([]int64{1, 3}, 1, 2)})
	var bad *dense.IndexError
	require.True(t, errors.As(err, &bad), "%v", err)
	assert.Equal(t, int64(3), bad.Index)
	assert.ErrorContains(t, err, `gonnx: Gather "make rows"`)
}

// TestEveryDtypeOfInitializers: initializers of all dtypes reach the gathers as they
// are, among them those that gonnx misreads.
func TestEveryDtypeOfInitializers(t *testing.T) {
	for _, d := range everyDtype() {
		g := &pb.GraphProto{
			Initializer: []*pb.TensorProto{protos.Tensor("x", d), protos.Tensor("at", of([]int64{}, 0))},
			Output:      []*pb.ValueInfoProto{protos.Untyped("y"), protos.Untyped("x")},
		}
		g.Node = []*pb.NodeProto{protos.Node("Identity", []string{"x"}, []string{"y"}, nil)}
		m, err := Load(protos.Bytes(protos.Model(14, g)))
		require.NoError(t, err, "%v", d.Dtype())
		out, err := m.Run(nil)
		require.NoError(t, err, "%v", d.Dtype())
		assertSame(t, d, out["y"])
		assertSame(t, d, out["x"])
	}
}

// TestHostile: every kind of broken model is an error that says what is wrong.
func TestHostile(t *testing.T) {
	change := func(f func(m *pb.ModelProto)) []byte {
		m := embedding()
		f(m)
		return protos.Bytes(m)
	}
	branch := &pb.GraphProto{Name: "then", Node: []*pb.NodeProto{protos.Node("Constant", nil, []string{"c"}, protos.Attributes{"value_int": 1})}, Output: []*pb.ValueInfoProto{protos.Untyped("c")}}
	deep := branch
	for range 20_000 {
		deep = &pb.GraphProto{Node: []*pb.NodeProto{{OpType: "If", Output: []string{"c"}, Attribute: []*pb.AttributeProto{{Name: "then_branch", Type: pb.AttributeProto_GRAPH, G: deep}}}}}
	}
	cases := map[string]struct {
		b    []byte
		says string
	}{
		"nothing":                                {nil, "not an ONNX file: it is empty"},
		"text":                                   {[]byte("this is no model"), ""},
		"no graph":                               {change(func(m *pb.ModelProto) { m.Graph = nil }), "no graph"},
		"an empty graph":                         {change(func(m *pb.ModelProto) { m.Graph = &pb.GraphProto{} }), "no output"},
		"no IR version":                          {change(func(m *pb.ModelProto) { m.IrVersion = 0 }), "ir_version"},
		"no opset":                               {change(func(m *pb.ModelProto) { m.OpsetImport = nil }), "opset 0"},
		"opset 0":                                {change(func(m *pb.ModelProto) { m.OpsetImport[0].Version = 0 }), "version"},
		"a negative opset":                       {change(func(m *pb.ModelProto) { m.OpsetImport[0].Version = -17 }), "-17"},
		"a newer opset":                          {change(func(m *pb.ModelProto) { m.OpsetImport[0].Version = 29 }), "opset 29 is not in [1, 28]"},
		"two opsets":                             {change(func(m *pb.ModelProto) { m.OpsetImport = append(m.OpsetImport, &pb.OperatorSetIdProto{Version: 13}) }), "two imports"},
		"only another domain":                    {change(func(m *pb.ModelProto) { m.OpsetImport[0].Domain = "com.example" }), "opset 0"},
		"a missing initializer":                  {change(func(m *pb.ModelProto) { m.Graph.Initializer = nil }), `its input 0 is "table"`},
		"a missing output":                       {change(func(m *pb.ModelProto) { m.Graph.Output[0].Name = "z" }), `output "z"`},
		"an output twice":                        {change(func(m *pb.ModelProto) { m.Graph.Output = append(m.Graph.Output, m.Graph.Output[0]) }), `"y"`},
		"an input twice":                         {change(func(m *pb.ModelProto) { m.Graph.Input = append(m.Graph.Input, m.Graph.Input[0]) }), `"ids"`},
		"an initializer twice":                   {change(func(m *pb.ModelProto) { m.Graph.Initializer = append(m.Graph.Initializer, m.Graph.Initializer[0]) }), `"table"`},
		"a name for two":                         {change(func(m *pb.ModelProto) { m.Graph.Node[1].Output[0] = "ten" }), `"ten"`},
		"a node that takes the name of an input": {change(func(m *pb.ModelProto) { m.Graph.Node[1].Output[0] = "ids" }), `"ids"`},
		"a cycle":                                {change(func(m *pb.ModelProto) { m.Graph.Node[1].Input[0] = "y" }), `Gather "make rows": its input 0 is "y"`},
		"a node that reads itself":               {change(func(m *pb.ModelProto) { m.Graph.Node[1].Input[0] = "rows" }), `is "rows"`},
		"nodes out of order":                     {change(func(m *pb.ModelProto) { n := m.Graph.Node; n[1], n[2] = n[2], n[1] }), `Mul "make y": its input 0 is "rows"`},
		"no operator":                            {change(func(m *pb.ModelProto) { m.Graph.Node[1].OpType = "" }), "op_type"},
		"an unknown operator":                    {change(func(m *pb.ModelProto) { m.Graph.Node[1].OpType = "If"; m.Graph.Node[2].OpType = "Scan" }), "If, Scan"},
		"an operator of another domain":          {change(func(m *pb.ModelProto) { m.Graph.Node[1].Domain = "com.microsoft" }), `com.microsoft.Gather "make rows"`},
		"an attribute that changes an operator": {change(func(m *pb.ModelProto) {
			m.Graph.Node[2].Attribute = []*pb.AttributeProto{protos.Attribute("broadcast", 1)}
		}), "broadcast"},
		"a subgraph": {change(func(m *pb.ModelProto) {
			m.Graph.Node[1] = protos.Node("If", []string{"ids"}, []string{"rows"}, protos.Attributes{"then_branch": branch, "else_branch": branch})
		}), "If"},
		"a subgraph in a gather": {change(func(m *pb.ModelProto) {
			m.Graph.Node[1].Attribute = []*pb.AttributeProto{protos.Attribute("axis", branch)}
		}), ""},
		"subgraphs 20 000 deep": {change(func(m *pb.ModelProto) {
			m.Graph.Node[1].Attribute = []*pb.AttributeProto{protos.Attribute("axis", deep)}
		}), "no ONNX model"},
		"a sparse initializer": {change(func(m *pb.ModelProto) { m.Graph.SparseInitializer = []*pb.SparseTensorProto{{}} }), "sparse"},
		"a sequence as input": {change(func(m *pb.ModelProto) {
			m.Graph.Input[0].Type = &pb.TypeProto{Value: &pb.TypeProto_SequenceType{SequenceType: &pb.TypeProto_Sequence{}}}
		}), "no tensor"},
		"dims without data": {change(func(m *pb.ModelProto) { m.Graph.Initializer[0].Dims = []int64{1 << 30} }), `"table"`},
		"dims that wrap to 6": {change(func(m *pb.ModelProto) {
			m.Graph.Initializer[0].Dims = []int64{1<<63 + 3 - 1<<63, 2, 1 << 62, 4, 1 << 62}
		}), "dims"},
		"dims that wrap to 0":            {change(func(m *pb.ModelProto) { m.Graph.Initializer[0].Dims = []int64{1 << 32, 1 << 32} }), "dims"},
		"negative dims":                  {change(func(m *pb.ModelProto) { m.Graph.Initializer[0].Dims = []int64{-3, -2} }), "-3"},
		"too many dims":                  {change(func(m *pb.ModelProto) { m.Graph.Initializer[0].Dims = make([]int64, 1000) }), "dims"},
		"data in another file":           {change(func(m *pb.ModelProto) { m.Graph.Initializer[0].DataLocation = pb.TensorProto_EXTERNAL }), "another file"},
		"an unknown data type":           {change(func(m *pb.ModelProto) { m.Graph.Initializer[0].DataType = 99 }), "99"},
		"no data type":                   {change(func(m *pb.ModelProto) { m.Graph.Initializer[0].DataType = 0 }), "UNDEFINED"},
		"an initializer without a name":  {change(func(m *pb.ModelProto) { m.Graph.Initializer[0].Name = "" }), "name"},
		"a constant that cannot be read": {change(func(m *pb.ModelProto) { m.Graph.Node[0].Attribute = nil }), `Constant "make ten"`},
		"a constant with an input":       {change(func(m *pb.ModelProto) { m.Graph.Node[0].Input = []string{"ids"} }), ""},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			m, err := Load(c.b)
			if err == nil { // what a node reads is not known before it runs
				_, err = m.Run(gonnx.Tensors{"ids": of([]int64{1, 0}, 1, 2)})
			}
			require.Error(t, err)
			assert.ErrorContains(t, err, c.says)
		})
	}
	_, err := Load(cases["an unknown operator"].b)
	assert.True(t, errors.Is(err, ops.ErrUnsupportedOperator))
	_, err = Load(protos.Bytes(embedding()), nil)
	assert.ErrorContains(t, err, "layer 0 is nil")
	_, err = Load(protos.Bytes(embedding()), func(gonnx.OpGetter, int) gonnx.OpGetter { return nil })
	assert.ErrorContains(t, err, "layer 0 gives a nil getter")
	_, err = LoadFile(filepath.Join(t.TempDir(), "none.onnx"))
	assert.True(t, errors.Is(err, os.ErrNotExist))
	_, err = LoadFile(t.TempDir())
	assert.Error(t, err)
}

// TestTruncated cuts a file everywhere. No part of it is a whole model, but for
// what ends behind the graph, without the opset.
func TestTruncated(t *testing.T) {
	b := protos.Bytes(embedding())
	for n := range b {
		_, err := Load(b[:n])
		assert.Error(t, err, "%d of %d bytes", n, len(b))
	}
	// Trailing bytes of a field that nobody knows are allowed, and others are not.
	_, err := Load(append(bytes.Clone(b), 0xff))
	assert.Error(t, err)
}

// FuzzLoad changes bytes of models: whatever comes of it is loaded and run, or an
// error.
func FuzzLoad(f *testing.F) {
	f.Add(protos.Bytes(embedding()))
	scatter := protos.Model(18, &pb.GraphProto{
		Input:  []*pb.ValueInfoProto{protos.Value("x", tensor.Float32, 2, 3)},
		Output: []*pb.ValueInfoProto{protos.Untyped("y"), protos.Untyped("z")},
		Initializer: []*pb.TensorProto{
			protos.Tensor("at", of([]int64{1, 0}, 2, 1)), protos.Tensor("by", of([]float32{1, 2}, 2, 1)),
			protos.Tensor("tuples", of([]int64{0, 1}, 1, 2)), protos.Tensor("one", of([]float32{5}, 1)), protos.Tensor("shape", list(3, -1)),
		},
		Node: []*pb.NodeProto{
			protos.Node("ScatterElements", []string{"x", "at", "by"}, []string{"a"}, protos.Attributes{"axis": 1, "reduction": "add"}),
			protos.Node("ScatterND", []string{"a", "tuples", "one"}, []string{"b"}, nil),
			protos.Node("GatherND", []string{"b", "tuples"}, []string{"z"}, nil),
			protos.Node("GatherElements", []string{"b", "at"}, []string{"c"}, protos.Attributes{"axis": 1}),
			protos.Node("Reshape", []string{"b", "shape"}, []string{"d"}, nil),
			protos.Node("ReduceSum", []string{"d"}, []string{"y"}, nil),
		},
	})
	f.Add(protos.Bytes(scatter))
	f.Fuzz(func(t *testing.T, b []byte) {
		m, err := Load(b)
		if err != nil {
			return
		}
		inputs := gonnx.Tensors{}
		for _, v := range m.Inputs() {
			shape, size := make([]int, len(v.Shape)), 1
			for i, n := range v.Shape {
				shape[i] = max(n, 1)
				size *= shape[i]
				if size > 1<<16 || size < 0 {
					return
				}
			}
			dt := v.Dtype
			if dt.Type == nil || dt == tensor.String {
				dt = tensor.Float32
			}
			inputs[v.Name] = tensor.New(tensor.Of(dt), tensor.WithShape(shape...))
		}
		if _, err := m.Run(inputs); err != nil && err.Error() == "" {
			t.Error("an error that says nothing")
		}
	})
}

// TestConstantsStay: no run changes what the model holds.
func TestConstantsStay(t *testing.T) {
	m, err := Load(protos.Bytes(embedding()))
	require.NoError(t, err)
	before := proto.Clone(protos.Tensor("", m.parameters["table"].(*tensor.Dense)))
	for range 3 {
		_, err := m.Run(gonnx.Tensors{"ids": of([]int64{1, 0}, 1, 2)})
		require.NoError(t, err)
	}
	assert.True(t, proto.Equal(before, protos.Tensor("", m.parameters["table"].(*tensor.Dense))))
}
