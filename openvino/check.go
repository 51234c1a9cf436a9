package openvino

import (
	"fmt"

	"github.com/pkg/errors"
	"gorgonia.org/gather/dense"
	"gorgonia.org/gather/internal/fault"
	"gorgonia.org/gather/internal/opset"
	"gorgonia.org/tensor"
)

// A role is what an input is to an operator.
type role int

const (
	data    role = iota
	indices      // dtype by the version's other column
	alike        // of data's dtype
)

// A parameter is one input of an operator, under OpenVINO's name for it.
type parameter struct {
	name string
	role role
}

// check applies the version's rules to the inputs, without the axis input, and
// returns the shape of the result.
func (c *call) check(inputs []opset.Description) (tensor.Shape, error) {
	if err := c.checkDtypes(inputs); err != nil {
		return nil, err
	}
	if err := c.checkRanges(inputs); err != nil {
		return nil, err
	}
	in := make([]tensor.Shape, len(inputs))
	for i := range inputs {
		in[i] = inputs[i].Shape
	}
	out, err := c.shape(c, in)
	if err != nil {
		return nil, errors.WithMessage(err, c.name())
	}
	return out, c.checkOutput(out)
}

// checkDtypes applies the version's type constraints.
func (c *call) checkDtypes(inputs []opset.Description) error {
	for i, p := range c.parameters {
		dt := inputs[i].Dtype
		if dt.Type == nil {
			continue // a port
		}
		column := func(v version) dtypes { return v.data }
		if p.role == indices {
			column = func(v version) dtypes { return v.index }
		}
		if p.role == alike && dt != inputs[0].Dtype {
			return fault.Errorf(dense.ErrDtype, "%s: %s of type %s, %s is of type %s",
				c.name(), p.name, typeName(dt), c.parameters[0].name, typeName(inputs[0].Dtype))
		}
		if set := column(c.version); !set.has(dt) {
			what := fmt.Sprintf("%s of type %s (out of %v)", p.name, typeName(dt), set)
			return errors.WithStack(c.notAllowed(dense.ErrDtype, what, func(v version) bool { return column(v).has(dt) }))
		}
		if p.role == data && dt == tensor.Bool && c.words["reduction"] == "mean" {
			// The text names this one exception: booleans have no mean.
			return errors.WithStack(c.notAllowed(dense.ErrDtype, `reduction "mean" of boolean data`, func(version) bool { return false }))
		}
	}
	return nil
}

// checkRanges holds the integer attributes to the ranges that the inputs' ranks
// give them.
func (c *call) checkRanges(inputs []opset.Description) error {
	for _, a := range c.version.attrs {
		if a.in == nil {
			continue
		}
		r, q := len(inputs[0].Shape), len(inputs[1].Shape)
		low, high := a.in(r, q)
		n := c.ints[a.name]
		if n >= low && n <= high {
			continue
		}
		sentinel := dense.ErrOption
		if a.name == "axis" {
			sentinel = dense.ErrAxis
		}
		return fault.Errorf(sentinel, "%s: %s %d is not in [%d, %d] for data of rank %d and indices of rank %d",
			c.name(), a.name, n, low, high, r, q)
	}
	return nil
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
	for i, p := range c.parameters {
		if !fits(inputs[i].Shape, ports[i]) {
			return fault.Errorf(dense.ErrShape, "%s: %s has shape %s, the layer's port has %s%s", c.name(), p.name,
				fault.Shape(inputs[i].Shape), fault.Shape(ports[i]), fault.ScalarHint(inputs[i].Shape, ports[i]))
		}
	}
	return nil
}

// checkPorts counts the layer's input ports. One for the axis may be missing.
func (c *call) checkPorts() error {
	got, need := len(c.layer.Inputs), len(c.parameters)
	if got == need || got == need+1 && c.axisInput {
		return nil
	}
	return fault.Errorf(dense.ErrShape, "%s: the layer has %d input ports, %d are needed", c.name(), got, c.arity())
}

// arity is the number of the operator's inputs, with the axis.
func (c *call) arity() int {
	if c.axisInput {
		return len(c.parameters) + 1
	}
	return len(c.parameters)
}

// checkOutput holds the result's shape to that of the layer's output port.
func (c *call) checkOutput(out tensor.Shape) error {
	switch ports := c.layer.Outputs; {
	case len(ports) > 1:
		return fault.Errorf(dense.ErrShape, "%s: the layer has %d output ports, 1 is needed", c.name(), len(ports))
	case len(ports) == 1 && !fits(out, ports[0]):
		return fault.Errorf(dense.ErrShape, "%s: the result has shape %s, the layer's output port has %s", c.name(), fault.Shape(out), fault.Shape(ports[0]))
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
