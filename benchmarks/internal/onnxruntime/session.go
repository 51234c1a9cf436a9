// Package onnxruntime runs single operators in ONNX Runtime, on memory that is bound once.
package onnxruntime

import (
	"github.com/pkg/errors"
	ort "github.com/yalue/onnxruntime_go"
)

// Start loads the shared library.
func Start(library string) error {
	ort.SetSharedLibraryPath(library)
	return errors.Wrap(ort.InitializeEnvironment(), "ONNX Runtime")
}

// Session is a node, and what is bound to it.
type Session struct {
	session  *ort.DynamicAdvancedSession
	bindings []*ort.IoBinding
	values   []ort.Value
}

// Open makes the model of a node and a session with so many threads.
func Open(n Node, threads int) (*Session, error) {
	options, err := ort.NewSessionOptions()
	if err != nil {
		return nil, err
	}
	defer options.Destroy()
	if err := options.SetIntraOpNumThreads(threads); err != nil {
		return nil, err
	}
	session, err := ort.NewDynamicAdvancedSessionWithONNXData(n.model(), n.Inputs, []string{"out"}, options)
	if err != nil {
		return nil, err
	}
	return &Session{session: session}, nil
}

// Tensor makes a tensor of ONNX Runtime in the given memory.
func (s *Session) Tensor(shape []int, memory []byte, dtype int) (ort.Value, error) {
	t, err := ort.NewCustomDataTensor(Shape(shape), memory, ort.TensorElementDataType(dtype))
	if err != nil {
		return nil, err
	}
	s.Own(t)
	return t, nil
}

// Own makes the session destroy a value when it is closed.
func (s *Session) Own(v ort.Value) { s.values = append(s.values, v) }

// Shape is a shape as ONNX Runtime has it.
func Shape(shape []int) ort.Shape {
	wide := make(ort.Shape, len(shape))
	for d, n := range shape {
		wide[d] = int64(n)
	}
	return wide
}

// Bind adds a binding of inputs and the output.
func (s *Session) Bind(inputs map[string]ort.Value, out ort.Value) error {
	b, err := s.session.CreateIoBinding()
	if err != nil {
		return err
	}
	s.bindings = append(s.bindings, b)
	for name, v := range inputs {
		if err := b.BindInput(name, v); err != nil {
			return err
		}
	}
	return b.BindOutput("out", out)
}

// Run runs one of the bindings, in the order in which they were added.
func (s *Session) Run(binding int) error { return s.session.RunWithBinding(s.bindings[binding]) }

// Close gives back the C memory. That nothing is left to tell an error to is
// why Destroy's is dropped.
func (s *Session) Close() {
	for _, b := range s.bindings {
		_ = b.Destroy()
	}
	for _, v := range s.values {
		_ = v.Destroy()
	}
	_ = s.session.Destroy()
}
