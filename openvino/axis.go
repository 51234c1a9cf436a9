package openvino

import (
	"math"
	"reflect"

	"github.com/pkg/errors"
	"gorgonia.org/gather/dense"
	"gorgonia.org/gather/internal/fault"
	"gorgonia.org/gather/internal/opset"
	"gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

// valued is what a tensor and the value of a node have in common.
type valued interface {
	Shape() tensor.Shape
	Dtype() tensor.Dtype
}

// readAxis reads the axis from the operator's last input. nil stands for an
// input that was left out.
func (c *call) readAxis(input valued) error {
	known := c.layer.Axis
	if input == nil {
		if known == nil {
			return fault.Errorf(dense.ErrAxis, "%s: the axis is not known: it is needed as input %d or as Layer.Axis", c.Name(), len(c.Parameters))
		}
		c.Axis = *known
		return nil
	}
	if t, ok := input.(tensor.Tensor); ok {
		if _, err := opset.DescribeTensor(t); err != nil {
			return errors.WithMessagef(err, "%s: axis", c.Name())
		}
	}
	if dt := input.Dtype(); !anyInteger.Has(dt) {
		return fault.Errorf(dense.ErrDtype, "%s: axis of type %s, allowed are %s", c.Name(), specification.NameOf(dt), anyInteger.Text(specification.TypeName))
	}
	var err error
	if c.Axis, err = c.oneInteger("axis", input); err != nil {
		return err
	}
	if known != nil && *known != c.Axis {
		return fault.Errorf(dense.ErrAxis, "%s: the axis input is %d, Layer.Axis is %d", c.Name(), c.Axis, *known)
	}
	return nil
}

// oneInteger is the value of an input of integers that has one.
func (c *call) oneInteger(name string, input valued) (int, error) {
	if s := input.Shape(); len(s) > 1 || len(s) == 1 && s[0] != 1 {
		return 0, fault.Errorf(dense.ErrShape, "%s: %s has shape %s, a scalar or one element is allowed", c.Name(), name, fault.Shape(s))
	}
	switch v := input.(type) {
	case *tensor.Dense:
		// Its Data would hold the memory by an integer for a moment, in which the
		// garbage collector may free it.
		return clamped(reflect.ValueOf(v.Get(0))), nil
	case gorgonia.Scalar:
		return clamped(reflect.ValueOf(v.Data())), nil
	}
	return 0, fault.Errorf(dense.ErrLayout, "%s: %s is %T, a *tensor.Dense or a scalar is needed", c.Name(), name, input)
}

// clamped is an integer as an int. One that is too large becomes the largest,
// which no rank allows either.
func clamped(v reflect.Value) int {
	if v.CanUint() {
		return int(min(v.Uint(), math.MaxInt))
	}
	return int(max(math.MinInt, min(v.Int(), math.MaxInt)))
}
