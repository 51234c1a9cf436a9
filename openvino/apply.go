package openvino

import (
	"github.com/pkg/errors"
	"gorgonia.org/gather/dense"
	"gorgonia.org/gather/internal/fault"
	"gorgonia.org/gather/internal/opset"
	"gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

// Apply adds the layer's operator to the graph of its inputs, which are given
// in OpenVINO's order. An axis input comes last; its value must be known when
// Apply is called ([gorgonia.Let] may have set it), or it is left out and
// Layer.Axis set. The values of num_segments and default_index must be known, too, and
// those of the segment_ids of a SegmentMax without num_segments, as its shape depends on
// them. Optional inputs may be nil, or missing at the end.
//
// The result trains like the operators of package gather, which it is made of:
// data and updates have gradients, indices have none. Give indices as input
// nodes with names of their own. Any input may be a gorgonia.NewConstant: see package
// gather.
//
// Errors: a [*VersionError] for what the layer's version does not allow,
// dense.ErrOption for attributes, dense.ErrDtype, dense.ErrAxis and
// dense.ErrShape for inputs. Inputs must also fit the layer's ports, and the
// result its output port, where the layer has them. An index out of range stops
// the run with a [*dense.IndexError], which gather.AsIndexError finds, but for Gather-7 and
// Gather-8, which give zeros.
func Apply(l Layer, inputs ...*gorgonia.Node) (*gorgonia.Node, error) {
	c, err := resolve(l)
	if err != nil {
		return nil, err
	}
	in, described, err := c.nodes(inputs)
	if err != nil {
		return nil, err
	}
	if err := c.checkAll(described); err != nil {
		return nil, err
	}
	out, err := operators[c.Op].Apply(c.Call, in)
	return out, errors.WithMessage(err, c.Name())
}

// checkAll applies the rules of the layer's ports and of the version.
func (c *call) checkAll(inputs []opset.Description) error {
	if err := c.checkInputs(inputs); err != nil {
		return err
	}
	_, err := c.check(inputs)
	return err
}

// nodes takes the axis from the inputs, and returns the others with their
// descriptions.
func (c *call) nodes(inputs []*gorgonia.Node) ([]*gorgonia.Node, []opset.Description, error) {
	described, err := describe(c, inputs, opset.DescribeNode)
	if err != nil {
		return nil, nil, err
	}
	n := min(len(inputs), len(c.Parameters))
	err = readKnown(c, inputs, described, func(n *gorgonia.Node) valued {
		if v := n.Value(); v != nil {
			return v
		}
		return nil
	})
	if err != nil {
		return nil, nil, err
	}
	var ids valued
	if b := pick(c.Call, inputs[:n]); b.borders != nil && b.borders.Value() != nil {
		ids = b.borders.Value()
	}
	if err := c.countSegments(ids); err != nil {
		return nil, nil, err
	}
	if c.AxisInput {
		var value valued
		if len(inputs) > n {
			axis := inputs[n]
			v := axis.Value()
			if v == nil {
				return nil, nil, fault.Errorf(dense.ErrAxis,
					"%s: the value of the axis node %s is not known yet: set it before Apply, or set Layer.Axis", c.Name(), fault.Name(axis.Name()))
			}
			value = v
		}
		if err := c.readAxis(value); err != nil {
			return nil, nil, err
		}
	}
	return inputs[:n], described[:n], nil
}

// describe checks the number of inputs and describes each. None may be left out,
// except for that of the axis.
func describe[T any](c *call, inputs []T, one func(T) (opset.Description, error)) ([]opset.Description, error) {
	if err := c.count(len(inputs)); err != nil {
		return nil, err
	}
	described, err := opset.Describe(c.Call, inputs, one)
	for i, d := range described {
		switch {
		case !d.Given && i < len(c.Parameters) && c.Parameters[i].Optional:
		case !d.Given && i < len(c.Parameters):
			return nil, fault.Errorf(dense.ErrShape, "%s: %s, input %d, is nil", c.Name(), c.Parameters[i].Name, i)
		case !d.Given:
			return nil, fault.Errorf(dense.ErrAxis, "%s: axis, input %d, is nil", c.Name(), i)
		}
	}
	return described, err
}

// count checks the number of inputs. That of the axis may be left out.
func (c *call) count(got int) error {
	least, need := c.least(), c.arity()
	if least <= got && got <= need {
		return nil
	}
	if least < need && !c.AxisInput {
		return fault.Errorf(dense.ErrShape, "%s: %d inputs, %d to %d are needed", c.Name(), got, least, need)
	}
	return fault.Errorf(dense.ErrShape, "%s: %d inputs, %d are needed", c.Name(), got, need)
}

// Eval computes the layer's operator on plain tensors, without a graph. It gives
// what Apply's result has after a run, and has the same errors. A negative index that
// another version would count from the end is a [*VersionError] that wraps a
// [*dense.IndexError]; Gather-7 gives zeros for it.
func Eval(l Layer, inputs ...tensor.Tensor) (*tensor.Dense, error) {
	c, err := resolve(l)
	if err != nil {
		return nil, err
	}
	in, described, err := c.tensors(inputs)
	if err != nil {
		return nil, err
	}
	if err := c.checkAll(described); err != nil {
		return nil, err
	}
	out, err := operators[c.Op].Eval(c.Call, in)
	if err != nil {
		return nil, c.explain(err)
	}
	return out, nil
}

// tensors takes the axis from the inputs, and returns the others with their
// descriptions.
func (c *call) tensors(inputs []tensor.Tensor) ([]tensor.Tensor, []opset.Description, error) {
	described, err := describe(c, inputs, opset.DescribeTensor)
	if err != nil {
		return nil, nil, err
	}
	n := min(len(inputs), len(c.Parameters))
	in := make([]tensor.Tensor, n)
	for i := range in {
		if described[i].Given { // a nil *tensor.Dense is not
			in[i] = inputs[i]
		}
	}
	if err := readKnown(c, in, described, func(t tensor.Tensor) valued { return t }); err != nil {
		return nil, nil, err
	}
	var ids valued
	if b := pick(c.Call, in); b.borders != nil {
		ids = b.borders
	}
	if err := c.countSegments(ids); err != nil {
		return nil, nil, err
	}
	if c.AxisInput {
		var value valued
		if len(inputs) > n {
			value = inputs[n]
		}
		if err := c.readAxis(value); err != nil {
			return nil, nil, err
		}
	}
	return in, described[:n], nil
}

// explain adds to an error about an index which version would take it.
func (c *call) explain(err error) error {
	var bad *dense.IndexError
	if !errors.As(err, &bad) || bad.Index >= 0 || bad.Index < -int64(bad.Size) || !c.NonNegative {
		return errors.WithMessage(err, c.Name())
	}
	return c.NegativeIndex(err, negativesAccepted.String())
}

// OutputShape computes the shape of the layer's result from the shapes of its
// input ports and, where they are inputs, from Layer.Axis and
// Layer.NumSegments; without them it is an error. So is an output port of another shape.
func (l *Layer) OutputShape() (tensor.Shape, error) {
	if l == nil {
		return nil, errors.New("openvino: OutputShape of a nil Layer")
	}
	c, err := resolve(*l)
	if err != nil {
		return nil, err
	}
	if err := c.checkPorts(); err != nil {
		return nil, err
	}
	in := make([]opset.Description, len(c.Parameters))
	for i, p := range c.Parameters {
		if i >= len(l.Inputs) {
			break // it is left out, as checkPorts allows
		}
		for axis, n := range l.Inputs[i] {
			if n < 0 {
				return nil, fault.Errorf(dense.ErrShape, "%s: %s %s has an open dim at axis %d", c.Name(), p.Name, fault.Shape(l.Inputs[i]), axis)
			}
		}
		in[i] = opset.Description{Given: true, Shape: l.Inputs[i]}
	}
	if err := c.countSegments(nil); err != nil {
		return nil, err
	}
	if c.AxisInput {
		if err := c.checkAxisPort(); err != nil {
			return nil, err
		}
		if err := c.readAxis(nil); err != nil {
			return nil, err
		}
	}
	return c.check(in)
}

// checkAxisPort demands that the axis port, if there is one, has one element.
func (c *call) checkAxisPort() error {
	n := len(c.Parameters)
	if len(c.layer.Inputs) <= n {
		return nil
	}
	if port := c.layer.Inputs[n]; len(port) > 1 || len(port) == 1 && port[0] != 1 {
		return fault.Errorf(dense.ErrShape, "%s: the axis port has shape %s, a scalar or one element is allowed", c.Name(), fault.Shape(port))
	}
	return nil
}
