package onnx

import (
	"io"
	"math"

	"github.com/pkg/errors"
	"gorgonia.org/gather/internal/fault"
	"gorgonia.org/gather/internal/opset"
	"gorgonia.org/tensor"
)

// A Model is an ONNX model that was read and not yet built into a graph. It is
// safe to build several times, into several graphs, also at once.
//
// It keeps the file in memory, and decodes parts of it when they are needed.
type Model struct {
	opset    int    // of the default domain, 0 if the model imports none
	file     []byte // the whole ModelProto
	graph    []byte // the GraphProto in it, in which the parts stand
	nodes    []part
	consts   []part // the initializers
	inputs   []part // all of graph.input, also those with an initializer
	outputs  []part
	values   names // what gives a value
	defaults int   // the inputs that have an initializer
	refusal  string
	outside  *outside                // the other files it is in, nil from ReadModel
	maxBytes int64                   // what ReadModel was told
	shapes   map[string]tensor.Shape // what SetInputShape fixed
}

// A part is where a message stands in the graph. maxFile bounds what it holds.
type part struct{ start, end uint32 }

func (m *Model) part(p part) []byte { return m.graph[p.start:p.end] }

// ReadModel reads a ModelProto, a file MODEL.onnx.
//
// It checks that the file is complete and that its names are unique. [Model.Build]
// checks whether all operators and types are supported, and lists all that are not.
//
// Reading allocates less than 16 times the size of the file, of which the model keeps
// the file and a few bytes for each of its parts. [WithMaxBytes] sets another bound. For
// a model with tensors in other files use [ReadModelFile].
//
// Source: ModelProto in onnx.proto of ONNX 1.23 (IR version 14).
func ReadModel(r io.Reader, options ...ReadOption) (*Model, error) {
	m, err := readModel(r, nil, options)
	return m, errors.WithMessage(err, "onnx")
}

// Opset is the version of ONNX's own operator set that the model imports, 0 if it
// imports none.
func (m *Model) Opset() int {
	if m == nil {
		return 0
	}
	return m.opset
}

// Inputs are the values a user has to give, in the order of the model: its
// inputs without those that an initializer gives.
func (m *Model) Inputs() []Value {
	if m == nil {
		return nil
	}
	return m.firstInputs(math.MaxInt)
}

// firstInputs are so many of the inputs, or all of them.
func (m *Model) firstInputs(count int) []Value {
	var inputs []Value
	for _, p := range m.inputs {
		if len(inputs) == count {
			break
		}
		if inputs == nil {
			inputs = make([]Value, 0, min(count, len(m.inputs)-m.defaults))
		}
		v := m.value(p)
		if m.values.lookup(v.Name).giver == aDefault {
			continue
		}
		if s, ok := m.shapes[v.Name]; ok {
			v.Shape = s.Clone()
		}
		inputs = append(inputs, v)
	}
	return inputs
}

// value decodes a declaration, which ReadModel has found to be whole.
func (m *Model) value(p part) Value {
	v, _ := parseValue(m.part(p))
	return v
}

// Outputs are the model's results, in its order.
func (m *Model) Outputs() []Value {
	if m == nil {
		return nil
	}
	outputs := make([]Value, 0, len(m.outputs))
	for _, p := range m.outputs {
		outputs = append(outputs, m.value(p))
	}
	return outputs
}

// SetInputShape fixes the shape of an input for the builds that follow. It is
// needed where the model leaves dims open (a batch size, say): graphs of
// Gorgonia have fixed shapes. It must agree with the dims that the model does
// fix. It must not run beside Build.
func (m *Model) SetInputShape(name string, shape ...int) error {
	if m == nil {
		return errors.New("onnx: SetInputShape of a nil Model")
	}
	s := m.values.lookup(name)
	if s == nil || s.giver != anInput {
		return errors.Errorf("onnx: the model has no input %q, its inputs are %s", fault.Cut(name), m.inputNames())
	}
	for axis, n := range shape {
		if n < 0 {
			return errors.Errorf("onnx: input %q: dim %d at axis %d of shape %s", fault.Cut(name), n, axis, fault.Shape(shape))
		}
	}
	if v := m.value(m.inputs[s.index]); v.Shape != nil && !v.admits(shape) {
		return errors.Errorf("onnx: input %q: shape %s does not fit the model's %s", fault.Cut(name), fault.Shape(shape), fault.Cut(v.String()))
	}
	if m.shapes == nil {
		m.shapes = map[string]tensor.Shape{}
	}
	m.shapes[name] = append(tensor.Shape{}, shape...)
	return nil
}

// inputNames lists the inputs for an error. There may be so many of them that to
// decode them all for each error would take long.
func (m *Model) inputNames() string {
	var list []string
	for _, v := range m.firstInputs(opset.Shown + 1) {
		list = append(list, v.Name)
	}
	return "[" + opset.List(list) + "]"
}
