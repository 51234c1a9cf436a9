package onnxruntime

import (
	"strings"
	"unsafe"

	"github.com/pkg/errors"
	ort "github.com/yalue/onnxruntime_go"
)

// Outcome is what one side makes of a case: a tensor, or an error.
type Outcome struct {
	Value *Value
	Err   error
	// Lacking says of an error of ONNX Runtime that it has no kernel for the element type: such a case is no
	// statement about the operator's meaning.
	Lacking bool
}

// Runtime runs cases on ONNX Runtime. It is not safe for concurrent use.
type Runtime struct {
	options  *ort.SessionOptions
	sessions map[string]session
	created  int
}

// session is a loaded model, or the error that loading it gave, which each run gives again.
type session struct {
	run *ort.DynamicAdvancedSession
	err error
}

// maxSessions bounds the memory that cached sessions take: cases come in blocks of one config, so old sessions are
// hardly ever asked for again.
const maxSessions = 128

// NewRuntime loads the shared library at path.
func NewRuntime(path string) (*Runtime, error) {
	ort.SetSharedLibraryPath(path)
	// A model that does not load is an answer here, and no reason to write to stderr.
	if err := ort.InitializeEnvironment(ort.WithLogLevelFatal()); err != nil {
		return nil, errors.Wrapf(err, "loading ONNX Runtime from %s", path)
	}
	options, err := ort.NewSessionOptions()
	if err != nil {
		return nil, errors.Wrap(err, "making session options")
	}
	// One thread each, or every session starts a pool of its own; no optimiser, as a model is one node.
	for _, err := range []error{
		options.SetIntraOpNumThreads(1),
		options.SetInterOpNumThreads(1),
		options.SetGraphOptimizationLevel(ort.GraphOptimizationLevelDisableAll),
		options.SetLogSeverityLevel(ort.LoggingLevelFatal),
	} {
		if err != nil {
			return nil, errors.Wrap(err, "setting session options")
		}
	}
	return &Runtime{options: options, sessions: map[string]session{}}, nil
}

// Version returns the version of the library.
func (r *Runtime) Version() string { return ort.GetVersion() }

// Close releases every session and the library's environment.
func (r *Runtime) Close() error {
	if err := r.drop(); err != nil {
		return err
	}
	if err := r.options.Destroy(); err != nil {
		return errors.Wrap(err, "releasing session options")
	}
	return errors.Wrap(ort.DestroyEnvironment(), "releasing ONNX Runtime")
}

// drop releases every session.
func (r *Runtime) drop() error {
	for key, s := range r.sessions {
		delete(r.sessions, key)
		if s.run == nil {
			continue
		}
		if err := s.run.Destroy(); err != nil {
			return errors.Wrap(err, "releasing a session")
		}
	}
	return nil
}

// Run runs a case. The second result is an error of the harness itself.
func (r *Runtime) Run(c *Case) (Outcome, error) {
	s, err := r.session(c)
	if err != nil {
		return Outcome{}, err
	}
	if s.err != nil {
		return failed(s.err), nil
	}
	return r.run(s.run, c.Inputs)
}

// run runs a model whose outputs are a result as a list and its shape.
func (r *Runtime) run(s *ort.DynamicAdvancedSession, values []*Value) (Outcome, error) {
	inputs := make([]ort.Value, 0, len(values))
	defer func() {
		for _, v := range inputs {
			_ = v.Destroy()
		}
	}()
	for _, in := range values {
		v, err := input(in)
		if err != nil {
			return Outcome{}, errors.Wrapf(err, "handing over %v%v", in.DType, in.Shape)
		}
		inputs = append(inputs, v)
	}
	outputs := make([]ort.Value, 2)
	if err := s.Run(inputs, outputs); err != nil {
		return failed(err), nil
	}
	defer func() {
		for _, v := range outputs {
			_ = v.Destroy()
		}
	}()
	out, err := output(outputs[0])
	if err != nil {
		return Outcome{}, err
	}
	dims, ok := outputs[1].(*ort.Tensor[int64])
	if !ok {
		return Outcome{}, errors.Errorf("the result's shape came as %T", outputs[1])
	}
	out.Shape = make([]int, 0, len(dims.GetData()))
	for _, d := range dims.GetData() {
		out.Shape = append(out.Shape, int(d))
	}
	return Outcome{Value: out}, nil
}

// session returns the session for a case, loading its model where no case before had the same.
func (r *Runtime) session(c *Case) (session, error) {
	types := make([]DType, len(c.Inputs))
	ranks := make([]int, len(c.Inputs))
	for i, in := range c.Inputs {
		types[i], ranks[i] = in.DType, len(in.Shape)
	}
	bytes := model(c.OpType, c.Opset, c.Attributes, types, ranks)
	if s, ok := r.sessions[string(bytes)]; ok {
		return s, nil
	}
	if len(r.sessions) == maxSessions {
		if err := r.drop(); err != nil {
			return session{}, err
		}
	}
	names := make([]string, len(types))
	for i := range names {
		names[i] = inputName(i)
	}
	var s session
	s.run, s.err = ort.NewDynamicAdvancedSessionWithONNXData(bytes, names, []string{flatOutput, shapeOutput}, r.options)
	r.sessions[string(bytes)] = s
	r.created++
	return s, nil
}

// lacks are the texts by which ONNX Runtime says that it has no kernel for an element type.
var lacks = []string{
	"Could not find an implementation for",
	"is not supported with ScatterElements",
	"is not supported with ScatterND",
	"is not supported by this build",
}

func failed(err error) Outcome {
	o := Outcome{Err: err}
	for _, text := range lacks {
		if strings.Contains(err.Error(), text) {
			o.Lacking = true
		}
	}
	return o
}

// input copies a tensor into one of ONNX Runtime's. A scalar goes as a list of one element: see model.
func input(v *Value) (ort.Value, error) {
	shape := make(ort.Shape, 0, len(v.Shape))
	for _, d := range v.Shape {
		shape = append(shape, int64(d))
	}
	if len(shape) == 0 {
		shape = ort.Shape{1}
	}
	if v.DType == String {
		t, err := ort.NewStringTensor(shape)
		if err != nil {
			return nil, err
		}
		return t, t.SetContents(v.Strings)
	}
	data := v.Bytes
	if len(data) == 0 {
		data = make([]byte, 1) // the binding refuses no bytes, also for an empty tensor
	}
	return ort.NewCustomDataTensor(shape, data, ort.TensorElementDataType(v.DType))
}

// output copies a list that ONNX Runtime returned.
func output(v ort.Value) (*Value, error) {
	switch t := v.(type) {
	case *ort.Tensor[float32]:
		return fromSlice(Float, t.GetData()), nil
	case *ort.Tensor[uint8]:
		return fromSlice(Uint8, t.GetData()), nil
	case *ort.Tensor[int8]:
		return fromSlice(Int8, t.GetData()), nil
	case *ort.Tensor[uint16]:
		return fromSlice(Uint16, t.GetData()), nil
	case *ort.Tensor[int16]:
		return fromSlice(Int16, t.GetData()), nil
	case *ort.Tensor[int32]:
		return fromSlice(Int32, t.GetData()), nil
	case *ort.Tensor[int64]:
		return fromSlice(Int64, t.GetData()), nil
	case *ort.Tensor[bool]:
		return fromSlice(Bool, t.GetData()), nil
	case *ort.Tensor[float64]:
		return fromSlice(Double, t.GetData()), nil
	case *ort.Tensor[uint32]:
		return fromSlice(Uint32, t.GetData()), nil
	case *ort.Tensor[uint64]:
		return fromSlice(Uint64, t.GetData()), nil
	case *ort.StringTensor:
		contents, err := t.GetContents()
		return &Value{DType: String, Strings: contents}, errors.Wrap(err, "reading strings")
	}
	return nil, errors.Errorf("the result came as %T", v)
}

// fromSlice copies the bytes of a list.
func fromSlice[T any](t DType, xs []T) *Value {
	v := &Value{DType: t, Shape: []int{len(xs)}}
	if len(xs) > 0 {
		size := len(xs) * int(unsafe.Sizeof(xs[0]))
		v.Bytes = append(v.Bytes, unsafe.Slice((*byte)(unsafe.Pointer(&xs[0])), size)...)
	}
	return v
}

// String prints the tensor or the error.
func (o Outcome) String() string {
	if o.Err != nil {
		return "error: " + o.Err.Error()
	}
	return o.Value.print()
}
