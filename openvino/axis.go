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
			return fault.Errorf(dense.ErrAxis, "%s: the axis is not known: it is needed as input %d or as Layer.Axis", c.name(), len(c.parameters))
		}
		c.axis = *known
		return nil
	}
	if t, ok := input.(tensor.Tensor); ok {
		if _, err := opset.DescribeTensor(t); err != nil {
			return errors.WithMessagef(err, "%s: axis", c.name())
		}
	}
	if dt := input.Dtype(); !anyInteger.has(dt) {
		return fault.Errorf(dense.ErrDtype, "%s: axis of type %s, allowed are %v", c.name(), typeName(dt), anyInteger)
	}
	if s := input.Shape(); len(s) > 1 || len(s) == 1 && s[0] != 1 {
		return fault.Errorf(dense.ErrShape, "%s: axis has shape %s, a scalar or one element is allowed", c.name(), fault.Shape(s))
	}
	c.axis = clamped(reflect.ValueOf(onlyElement(input)))
	if known != nil && *known != c.axis {
		return fault.Errorf(dense.ErrAxis, "%s: the axis input is %d, Layer.Axis is %d", c.name(), c.axis, *known)
	}
	return nil
}

// onlyElement is that of an integer tensor, or of a scalar of Gorgonia's. It
// does not ask a tensor for its Data, which holds the memory by an integer for a
// moment: a garbage collection may then free it.
func onlyElement(v valued) any {
	d, ok := v.(*tensor.Dense)
	if !ok {
		return v.(gorgonia.Scalar).Data()
	}
	switch d.Dtype() {
	case tensor.Int8:
		return d.Int8s()[0]
	case tensor.Int16:
		return d.Int16s()[0]
	case tensor.Int32:
		return d.Int32s()[0]
	case tensor.Int64:
		return d.Int64s()[0]
	case tensor.Int:
		return d.Ints()[0]
	case tensor.Uint8:
		return d.Uint8s()[0]
	case tensor.Uint16:
		return d.Uint16s()[0]
	case tensor.Uint32:
		return d.Uint32s()[0]
	case tensor.Uint64:
		return d.Uint64s()[0]
	}
	return d.Uints()[0]
}

// clamped is an integer as an int. One that is too large becomes the largest,
// which no rank allows either.
func clamped(v reflect.Value) int {
	if v.CanUint() {
		return int(min(v.Uint(), math.MaxInt))
	}
	return int(max(math.MinInt, min(v.Int(), math.MaxInt)))
}
