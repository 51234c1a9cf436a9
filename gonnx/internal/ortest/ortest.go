//go:build cgo

// Package ortest runs models on ONNX Runtime, for tests that compare with it.
package ortest

import (
	"os"
	"slices"
	"testing"

	pb "github.com/advancedclimatesystems/gonnx/onnx"
	"github.com/pkg/errors"
	"github.com/stretchr/testify/require"
	ort "github.com/yalue/onnxruntime_go"
	"google.golang.org/protobuf/proto"
	"gorgonia.org/gather/dense"
	"gorgonia.org/gather/gonnx/internal/protos"
	"gorgonia.org/tensor"
)

// Library names the environment variable with the path of ONNX Runtime's library.
const Library = "ONNXRUNTIME_LIB"

// Open loads ONNX Runtime with one thread, or skips the test. It is closed at the
// test's end; a process has one at a time.
func Open(t testing.TB) *Runtime {
	t.Helper()
	path := os.Getenv(Library)
	if path == "" {
		t.Skipf("%s is not set: conformance/install.sh DIR installs ONNX Runtime and prints the path to set it to", Library)
	}
	ort.SetSharedLibraryPath(path)
	// That a model does not load is an answer here, and no reason to write to stderr.
	require.NoError(t, ort.InitializeEnvironment(ort.WithLogLevelFatal()))
	t.Cleanup(func() { require.NoError(t, ort.DestroyEnvironment()) })
	options, err := ort.NewSessionOptions()
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, options.Destroy()) })
	require.NoError(t, options.SetIntraOpNumThreads(1))
	require.NoError(t, options.SetInterOpNumThreads(1))
	require.NoError(t, options.SetLogSeverityLevel(ort.LoggingLevelFatal))
	return &Runtime{options: options}
}

// A Runtime is ONNX Runtime.
type Runtime struct{ options *ort.SessionOptions }

// Run runs a model once, and returns its outputs in their order. dtypes are those of
// the outputs, of which 16-bit floats come as float32. What the Go binding cannot
// have is built round: it has no scalars, and half of a float16 tensor.
func (r *Runtime) Run(t testing.TB, model *pb.ModelProto, inputs map[string]*tensor.Dense, dtypes []tensor.Dtype) ([]*tensor.Dense, error) {
	t.Helper()
	m := proto.Clone(model).(*pb.ModelProto)
	g := m.Graph
	g.Initializer = append(g.Initializer, protos.Tensor("ortest one dim", tensor.New(tensor.WithShape(1), tensor.WithBacking([]int64{-1}))))
	var names, outputs []string
	var values, results []ort.Value
	defer func() {
		for _, v := range slices.Concat(values, results) {
			if v != nil {
				_ = v.Destroy()
			}
		}
	}()
	g.Input = slices.DeleteFunc(g.Input, func(v *pb.ValueInfoProto) bool {
		d := inputs[v.GetName()]
		if d == nil || d.Dims() > 0 {
			return false
		}
		g.Initializer = append(g.Initializer, protos.Tensor(v.GetName(), d))
		return true
	})
	if len(g.Input) == 0 { // which the binding does not take, either
		g.Input = append(g.Input, protos.Value("ortest unused", tensor.Int64, 1))
		inputs = map[string]*tensor.Dense{"ortest unused": tensor.New(tensor.WithShape(1), tensor.WithBacking([]int64{0}))}
	}
	for _, v := range g.Input {
		if d := inputs[v.GetName()]; d != nil {
			x, err := value(d)
			require.NoError(t, err)
			names, values = append(names, v.GetName()), append(values, x)
		}
	}
	given := g.Output
	g.Output = nil
	for i, out := range given {
		y, dt := out.GetName(), dtypes[i]
		if dt == dense.Float16 || dt == dense.BFloat16 {
			dt = tensor.Float32
			g.Node = append(g.Node, protos.Node("Cast", []string{y}, []string{"ortest wide " + y}, protos.Attributes{"to": int(pb.TensorProto_FLOAT)}))
			y = "ortest wide " + y
		}
		flat, shape := "ortest flat "+y, "ortest shape "+y
		g.Node = append(g.Node, protos.Node("Reshape", []string{y, "ortest one dim"}, []string{flat}, nil), protos.Node("Shape", []string{y}, []string{shape}, nil))
		g.Output = append(g.Output, protos.Value(flat, dt, -1), protos.Value(shape, tensor.Int64, -1))
		outputs = append(outputs, flat, shape)
	}
	session, err := ort.NewDynamicAdvancedSessionWithONNXData(protos.Bytes(m), names, outputs, r.options)
	if err != nil {
		return nil, err
	}
	defer session.Destroy()
	results = make([]ort.Value, len(outputs))
	if err := session.Run(values, results); err != nil {
		return nil, err
	}
	var all []*tensor.Dense
	for i := 0; i < len(results); i += 2 {
		d, err := result(results[i], results[i+1])
		if err != nil {
			return nil, err
		}
		all = append(all, d)
	}
	return all, nil
}

// value copies a tensor of one dim or more.
func value(d *tensor.Dense) (ort.Value, error) {
	p := protos.Tensor("", d)
	if d.Dtype() == tensor.String {
		texts := make([]string, len(p.StringData))
		for i, s := range p.StringData {
			texts[i] = string(s)
		}
		t, err := ort.NewStringTensor(ort.Shape(p.Dims))
		if err != nil {
			return nil, err
		}
		return t, t.SetContents(texts)
	}
	raw := p.RawData
	if len(raw) == 0 {
		raw = make([]byte, 1) // the binding refuses no bytes, also for an empty tensor
	}
	return ort.NewCustomDataTensor(ort.Shape(p.Dims), raw, ort.TensorElementDataType(p.DataType))
}

// result copies a list and the shape it was flattened from.
func result(list, shape ort.Value) (*tensor.Dense, error) {
	dims, ok := shape.(*ort.Tensor[int64])
	if !ok {
		return nil, errors.Errorf("the shape came as %T", shape)
	}
	s := tensor.Shape{}
	for _, n := range dims.GetData() {
		s = append(s, int(n))
	}
	var backing any
	switch v := list.(type) {
	case *ort.Tensor[float32]:
		backing = slices.Clone(v.GetData())
	case *ort.Tensor[float64]:
		backing = slices.Clone(v.GetData())
	case *ort.Tensor[int8]:
		backing = slices.Clone(v.GetData())
	case *ort.Tensor[int16]:
		backing = slices.Clone(v.GetData())
	case *ort.Tensor[int32]:
		backing = slices.Clone(v.GetData())
	case *ort.Tensor[int64]:
		backing = slices.Clone(v.GetData())
	case *ort.Tensor[uint8]:
		backing = slices.Clone(v.GetData())
	case *ort.Tensor[uint16]:
		backing = slices.Clone(v.GetData())
	case *ort.Tensor[uint32]:
		backing = slices.Clone(v.GetData())
	case *ort.Tensor[uint64]:
		backing = slices.Clone(v.GetData())
	case *ort.Tensor[bool]:
		backing = slices.Clone(v.GetData())
	case *ort.StringTensor:
		texts, err := v.GetContents()
		if err != nil {
			return nil, errors.Wrap(err, "reading strings")
		}
		backing = texts
	default:
		return nil, errors.Errorf("the result came as %T", list)
	}
	return tensor.New(tensor.WithShape(s...), tensor.WithBacking(backing)), nil
}

// A Session is a model that stays loaded, for measurements.
type Session struct {
	run *ort.DynamicAdvancedSession
}

// Load loads a model from a file.
func (r *Runtime) Load(t testing.TB, path string, inputs, outputs []string) *Session {
	t.Helper()
	s, err := ort.NewDynamicAdvancedSession(path, inputs, outputs, r.options)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, s.Destroy()) })
	return &Session{s}
}

// Run runs the model, whose one output is a float32 tensor of one dim or more.
func (s *Session) Run(t testing.TB, inputs ...*tensor.Dense) (shape []int64, values []float32) {
	t.Helper()
	var given []ort.Value
	for _, d := range inputs {
		v, err := value(d)
		require.NoError(t, err)
		defer v.Destroy()
		given = append(given, v)
	}
	out := make([]ort.Value, 1)
	require.NoError(t, s.run.Run(given, out))
	defer out[0].Destroy()
	return out[0].GetShape(), slices.Clone(out[0].(*ort.Tensor[float32]).GetData())
}
