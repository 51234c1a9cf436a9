package gathergonnx

import (
	"slices"

	"github.com/advancedclimatesystems/gonnx"
	"github.com/pkg/errors"
	"gorgonia.org/gather/dense"
	"gorgonia.org/gather/onnx"
	"gorgonia.org/tensor"
)

// A Model is gonnx's, loaded by [Load]. It may run several times at once.
//
// What gonnx's own ParamNames returns is empty: initializers are nodes to it.
type Model struct {
	*gonnx.Model
	opset      int
	inputs     []onnx.Value
	parameters map[string]tensor.Tensor
	kept       *kept
}

// Opset is the version of ONNX's own operators that the model names. gonnx itself
// is told 13.
func (m *Model) Opset() int { return m.opset }

// Inputs are what [Model.Run] needs, in the order of the model. Inputs that have
// an initializer are not among them.
func (m *Model) Inputs() []onnx.Value { return slices.Clone(m.inputs) }

// ParamNames are the names of the model's initializers, sorted.
func (m *Model) ParamNames() []string {
	names := make([]string, 0, len(m.parameters))
	for name := range m.parameters {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// Run computes the model's outputs from its inputs, by name.
//
// Inputs that are missing, unknown, masked, or of another dtype or shape than the
// model declares are errors, and so is whatever goes wrong in a node; its error
// names the node. Outputs that are constants of the model are the model's own
// tensors: do not change them.
func (m *Model) Run(inputs gonnx.Tensors) (out gonnx.Tensors, err error) {
	if err := m.checkInputs(inputs); err != nil {
		return nil, errors.WithMessage(err, "gonnx")
	}
	defer func() {
		if r := recover(); r != nil {
			out, err = nil, errors.Errorf("gonnx: running the model panicked: %v", r)
		}
	}()
	return m.Model.Run(inputs)
}

func (m *Model) checkInputs(inputs gonnx.Tensors) error {
	for _, v := range m.inputs {
		t, ok := inputs[v.Name]
		if !ok {
			return errors.Wrapf(dense.ErrShape, "input %q is missing: the model takes %v", v.Name, m.inputs)
		}
		if err := checkInput(v, t); err != nil {
			return err
		}
	}
	for name := range inputs {
		if slices.ContainsFunc(m.inputs, func(v onnx.Value) bool { return v.Name == name }) {
			continue
		}
		if _, ok := m.parameters[name]; ok {
			return errors.Errorf("input %q has an initializer in the model, which cannot be replaced", name)
		}
		return errors.Errorf("the model has no input %q, it takes %v", name, m.inputs)
	}
	return nil
}

func checkInput(v onnx.Value, t tensor.Tensor) error {
	d, ok := t.(*tensor.Dense)
	switch {
	case !ok || d == nil:
		return errors.Wrapf(dense.ErrLayout, "input %q is %T, a *tensor.Dense is needed", v.Name, t)
	case len(d.Mask()) > 0:
		return errors.Wrapf(dense.ErrLayout, "input %q is masked", v.Name)
	case v.Dtype.Type != nil && d.Dtype() != v.Dtype:
		return errors.Wrapf(dense.ErrDtype, "input %q is of dtype %v, the model takes %v", v.Name, d.Dtype(), v)
	case v.Shape == nil:
		return nil
	}
	shape := d.Shape()
	fits := len(shape) == len(v.Shape)
	for i := 0; fits && i < len(shape); i++ {
		fits = v.Shape[i] < 0 || v.Shape[i] == shape[i]
	}
	if !fits {
		return errors.Wrapf(dense.ErrShape, "input %q has shape %v, the model takes %v", v.Name, shape, v)
	}
	return nil
}
