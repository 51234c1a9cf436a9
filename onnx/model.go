package onnx

import (
	"io"

	"github.com/pkg/errors"
	"gorgonia.org/tensor"
)

// A Model is an ONNX model that was read and not yet built into a graph. It is
// safe to build several times, into several graphs, also at once.
type Model struct {
	opset   int // of the default domain, 0 if the model imports none
	nodes   []modelNode
	consts  []*tensorProto // the initializers
	inputs  []Value        // all of graph.input, also those with an initializer
	outputs []Value
	refusal string                  // a part of the model that cannot be built, "" if none
	shapes  map[string]tensor.Shape // what SetInputShape fixed
}

// ReadModel reads a ModelProto, a file MODEL.onnx.
//
// It checks that the file is whole and that its names are unique. Whether every
// operator and every type in it can be had here is found by [Model.Build], so
// that a large model is refused with everything it lacks at once. Memory grows
// with what the file holds, not with what its lengths and dims claim.
//
// Source: ModelProto in onnx.proto of ONNX 1.23 (IR version 14).
func ReadModel(r io.Reader) (*Model, error) {
	b, err := readAll(r)
	if err != nil {
		return nil, err
	}
	m, err := parseModel(b)
	return m, errors.WithMessage(err, "onnx")
}

// Opset is the version of ONNX's own operator set that the model imports.
func (m *Model) Opset() int { return m.opset }

// Inputs are the values a user has to give, in the order of the model: its
// inputs without those that an initializer gives.
func (m *Model) Inputs() []Value {
	given := m.initialized()
	var inputs []Value
	for _, v := range m.inputs {
		if !given[v.Name] {
			inputs = append(inputs, m.fixed(v))
		}
	}
	return inputs
}

// Outputs are the model's results, in its order.
func (m *Model) Outputs() []Value { return append([]Value(nil), m.outputs...) }

// SetInputShape fixes the shape of an input for the builds that follow. It is
// needed where the model leaves dims open (a batch size, say): graphs of
// Gorgonia have fixed shapes. It must agree with the dims that the model does
// fix. It must not run beside Build.
func (m *Model) SetInputShape(name string, shape ...int) error {
	for _, v := range m.Inputs() {
		if v.Name != name {
			continue
		}
		for axis, n := range shape {
			if n < 0 {
				return errors.Errorf("onnx: input %q: dim %d at axis %d of shape %v", name, n, axis, shape)
			}
		}
		v.Shape = m.declared(name).Shape
		if v.Shape != nil && !v.admits(shape) {
			return errors.Errorf("onnx: input %q: shape %v does not fit the model's %v", name, shape, v)
		}
		if m.shapes == nil {
			m.shapes = map[string]tensor.Shape{}
		}
		m.shapes[name] = append(tensor.Shape{}, shape...)
		return nil
	}
	return errors.Errorf("onnx: the model has no input %q, its inputs are %v", name, names(m.Inputs()))
}

// fixed is v with the shape that SetInputShape gave.
func (m *Model) fixed(v Value) Value {
	if s, ok := m.shapes[v.Name]; ok {
		v.Shape = s
	}
	return v
}

// declared is the input as the file has it.
func (m *Model) declared(name string) Value {
	for _, v := range m.inputs {
		if v.Name == name {
			return v
		}
	}
	return Value{}
}

func (m *Model) initialized() map[string]bool {
	given := make(map[string]bool, len(m.consts))
	for _, t := range m.consts {
		given[t.name] = true
	}
	return given
}

func parseModel(b []byte) (*Model, error) {
	var m *Model
	var irVersion int64
	opset, imports := 0, 0
	err := eachField("ModelProto", b, func(f field) (err error) {
		switch f.number {
		case 1: // ir_version
			irVersion, err = f.integer()
		case 7: // graph
			if m != nil {
				return errors.New("two graphs")
			}
			var g []byte
			if g, err = f.message(); err == nil {
				m, err = parseGraph(g)
			}
		case 8: // opset_import
			var id []byte
			if id, err = f.message(); err != nil {
				return err
			}
			imports++
			domain, version, err := parseOpset(id)
			if err != nil || domain != "" {
				return err
			}
			if opset != 0 {
				return errors.New("two imports of ONNX's own operator set")
			}
			opset = version
		}
		return err
	})
	switch {
	case err != nil:
		return nil, err
	case m == nil:
		return nil, errors.New("ModelProto: no graph, this is no ONNX model")
	case irVersion < 1:
		return nil, errors.Errorf("ModelProto: ir_version %d", irVersion)
	case imports == 0 && irVersion < 3:
		opset = 1 // what the first IR versions meant
	}
	m.opset = opset
	return m, nil
}

// parseOpset reads an OperatorSetIdProto. The domain of ONNX's own operators is
// "" and may be written as ai.onnx.
func parseOpset(b []byte) (domain string, version int, err error) {
	err = eachField("OperatorSetIdProto", b, func(f field) (err error) {
		switch f.number {
		case 1:
			domain, err = f.text()
			domain = plainDomain(domain)
		case 2:
			var v int64
			if v, err = f.integer(); err == nil && (v < 1 || v > maxOpset) {
				return errors.Errorf("version %d is not in [1, %d]", v, maxOpset)
			}
			version = int(v)
		}
		return err
	})
	if err == nil && version == 0 {
		err = errors.Errorf("OperatorSetIdProto: no version for domain %q", domain)
	}
	return domain, version, err
}

// maxOpset keeps an opset within a 32-bit int.
const maxOpset = 1<<31 - 1

func plainDomain(domain string) string {
	if domain == "ai.onnx" {
		return ""
	}
	return domain
}

func parseGraph(b []byte) (*Model, error) {
	m := &Model{}
	taken := map[string]string{} // a value's name and what gives it
	take := func(name, by string) error {
		if name == "" {
			return errors.Errorf("%s without a name", by)
		}
		if other, ok := taken[name]; ok {
			return errors.Errorf("%q is the name of %s and of %s", name, other, by)
		}
		taken[name] = by
		return nil
	}
	err := eachField("GraphProto", b, func(f field) error {
		switch f.number {
		case 1, 5, 11, 12, 15:
		default:
			return nil
		}
		part, err := f.message()
		if err != nil {
			return err
		}
		switch f.number {
		case 1:
			n, err := parseNode(part)
			if err != nil {
				return errors.WithMessagef(err, "node %d", len(m.nodes))
			}
			m.nodes = append(m.nodes, n)
			for _, name := range n.outputs {
				if name == "" {
					continue
				}
				if err := take(name, "a node's output"); err != nil {
					return err
				}
			}
		case 5:
			t, err := parseTensor(part)
			if err != nil {
				return err
			}
			m.consts = append(m.consts, t)
		case 11:
			v, err := parseValue(part)
			if err != nil {
				return err
			}
			m.inputs = append(m.inputs, v)
			return take(v.Name, "an input")
		case 12:
			v, err := parseValue(part)
			if err != nil {
				return err
			}
			m.outputs = append(m.outputs, v)
		case 15:
			m.refusal = "sparse initializers are not supported"
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	// An initializer may share its name with an input, whose default it is.
	for _, v := range m.inputs {
		delete(taken, v.Name)
	}
	for _, t := range m.consts {
		if err := take(t.name, "an initializer"); err != nil {
			return nil, errors.WithMessage(err, "GraphProto")
		}
	}
	seen := map[string]bool{}
	for _, v := range m.outputs {
		if seen[v.Name] {
			return nil, errors.Errorf("GraphProto: output %q appears twice", v.Name)
		}
		seen[v.Name] = true
	}
	return m, nil
}
