package builders

import (
	"fmt"

	"gorgonia.org/gather/dense"
	"gorgonia.org/gather/internal/fault"
	"gorgonia.org/gather/onnx"
	G "gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

// DynamicQuantizeLinear is [QuantizeLinear] to uint8, with the scale and zero point that
// the least and the greatest element of x ask for, 0 among them: y, y_scale and
// y_zero_point. Gradients are refused. float.
func DynamicQuantizeLinear(n onnx.Node, inputs ...*G.Node) ([]*G.Node, error) {
	return buildAll("DynamicQuantizeLinear", n, inputs, func(c *call) ([]*G.Node, error) {
		x := c.inputs[0]
		ends, err := apply(spanning{}, x)
		if err != nil {
			return nil, err
		}
		out := make([]*G.Node, 3)
		every := len(c.node.Outputs) == 0
		if every || c.wants(0) || c.wants(1) {
			if out[1], err = apply(spanned{}, ends); err != nil {
				return nil, err
			}
		}
		if every || c.wants(0) || c.wants(2) {
			if out[2], err = apply(spanned{zero: true}, ends); err != nil {
				return nil, err
			}
		}
		if every || c.wants(0) {
			s := scales{way: perTensor, lines: lines{1, count(c.shape(0)), 1}}
			out[0], err = apply(quantizing{s, quantizedTypes[2]}, x, out[1], out[2])
		}
		return out, err
	})
}

// spanning are the least and the greatest element of a tensor, or 0 if that is beyond
// them.
type spanning struct{}

func (f spanning) String() string { return "span of DynamicQuantizeLinear" }

func (f spanning) result(in []operand) (operand, error) {
	if in[0].dtype != tensor.Float32 {
		return operand{}, fault.Errorf(dense.ErrDtype, "an input of type %v is not supported, float is", typeName(in[0].dtype))
	}
	return operand{tensor.Float32, tensor.Shape{2}}, nil
}

func (f spanning) run(out *tensor.Dense, in []*tensor.Dense) error {
	var low, high float32
	for _, x := range elements[float32](in[0]) {
		if x < low {
			low = x
		} else if x > high {
			high = x
		}
	}
	copy(elements[float32](out), []float32{low, high})
	return nil
}

func (f spanning) gradients([]operand, operand) []*term {
	return []*term{refuse("gradients of DynamicQuantizeLinear are not supported")}
}

// spanned is the scale for a span, or the zero point.
type spanned struct{ zero bool }

func (f spanned) String() string {
	return fmt.Sprint("DynamicQuantizeLinear of a span, zero point ", f.zero)
}

func (f spanned) result([]operand) (operand, error) {
	if f.zero {
		return operand{tensor.Uint8, tensor.Shape{}}, nil
	}
	return operand{tensor.Float32, tensor.Shape{}}, nil
}

func (f spanned) run(out *tensor.Dense, in []*tensor.Dense) error {
	span := elements[float32](in[0])
	low, high := span[0], span[1]
	scale := (high - low) / 255
	if scale == 0 { // all are 0, or nearly so
		scale = 1
	}
	if !f.zero {
		elements[float32](out)[0] = scale
		return nil
	}
	zero := newTensor(operand{tensor.Float32, tensor.Shape{}})
	elements[float32](zero)[0] = -low
	one := newTensor(operand{tensor.Float32, tensor.Shape{}})
	elements[float32](one)[0] = scale
	return quantizing{scales{lines: lines{1, 1, 1}}, quantizedTypes[2]}.run(out, []*tensor.Dense{zero, one})
}

func (f spanned) gradients([]operand, operand) []*term {
	return []*term{refuse("gradients of DynamicQuantizeLinear are not supported")}
}
