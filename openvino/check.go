package openvino

import (
	"github.com/pkg/errors"
	"gorgonia.org/gather/dense"
	"gorgonia.org/gather/internal/fault"
	"gorgonia.org/gather/internal/opset"
	"gorgonia.org/tensor"
)

// check applies the version's rules to the inputs, without the axis input, and
// returns the shape of the result.
func (c *call) check(inputs []opset.Description) (tensor.Shape, error) {
	if err := c.Check(inputs); err != nil {
		return nil, err
	}
	if inputs[0].Dtype == tensor.Bool && c.Words["reduction"] == "mean" {
		// The text names this one exception: booleans have no mean.
		return nil, errors.WithStack(c.NotAllowed(dense.ErrDtype, `reduction "mean" of boolean data`, nil))
	}
	if c.Words["reduction"] == "mean" && pick(c.Call, inputs).weights.Given {
		return nil, fault.Errorf(dense.ErrOption, `%s: reduction "mean" with per_sample_weights, which are for "sum" alone`, c.Name())
	}
	in := make([]tensor.Shape, len(inputs))
	for i := range inputs {
		in[i] = inputs[i].Shape
	}
	out, err := operators[c.Op].shape(c.Call, in)
	if err != nil {
		return nil, errors.WithMessage(err, c.Name())
	}
	return out, c.checkOutput(out)
}

// checkInputs holds inputs to the shapes of the layer's ports, if it has any.
// The axis port is none of them: Apply and Eval take a scalar and one element
// alike.
func (c *call) checkInputs(inputs []opset.Description) error {
	ports := c.layer.Inputs
	if len(ports) == 0 {
		return nil
	}
	if err := c.checkPorts(); err != nil {
		return err
	}
	for i, p := range c.Parameters {
		if i >= len(ports) || i >= len(inputs) || !inputs[i].Given {
			continue
		}
		if !fits(inputs[i].Shape, ports[i]) {
			return fault.Errorf(dense.ErrShape, "%s: %s has shape %s, the layer's port has %s%s", c.Name(), p.Name,
				fault.Shape(inputs[i].Shape), fault.Shape(ports[i]), fault.ScalarHint(inputs[i].Shape, ports[i]))
		}
	}
	return nil
}

// checkPorts counts the layer's input ports. One for the axis may be missing.
func (c *call) checkPorts() error {
	got, least, need := len(c.layer.Inputs), c.least(), c.arity()
	if least <= got && got <= need {
		return nil
	}
	if least < need && !c.AxisInput {
		return fault.Errorf(dense.ErrShape, "%s: the layer has %d input ports, %d to %d are needed", c.Name(), got, least, need)
	}
	return fault.Errorf(dense.ErrShape, "%s: the layer has %d input ports, %d are needed", c.Name(), got, c.arity())
}

// arity is the number of the operator's inputs, with the axis.
func (c *call) arity() int {
	if c.AxisInput {
		return len(c.Parameters) + 1
	}
	return len(c.Parameters)
}

// least is the number of inputs without those that may be left out at the end.
func (c *call) least() int {
	n := len(c.Parameters)
	for n > 0 && c.Parameters[n-1].Optional {
		n--
	}
	return n
}

// checkOutput holds the result's shape to that of the layer's output port.
func (c *call) checkOutput(out tensor.Shape) error {
	switch ports := c.layer.Outputs; {
	case len(ports) > 1:
		return fault.Errorf(dense.ErrShape, "%s: the layer has %d output ports, 1 is needed", c.Name(), len(ports))
	case len(ports) == 1 && !fits(out, ports[0]):
		return fault.Errorf(dense.ErrShape, "%s: the result has shape %s, the layer's output port has %s", c.Name(), fault.Shape(out), fault.Shape(ports[0]))
	}
	return nil
}

// fits tells whether a shape is what a port says, where -1 is an open dim.
func fits(s tensor.Shape, port []int) bool {
	if len(s) != len(port) {
		return false
	}
	for i, n := range port {
		if n != -1 && n != s[i] {
			return false
		}
	}
	return true
}
