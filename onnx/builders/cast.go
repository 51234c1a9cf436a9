package builders

import (
	"gorgonia.org/gather/dense"
	"gorgonia.org/gather/internal/fault"
	"gorgonia.org/gather/onnx"
	G "gorgonia.org/gorgonia"
)

// Cast converts to the data type whose number in TensorProto.DataType is the
// attribute to, among bool, the integers and the floats, the 16-bit ones too: a
// float loses its fraction on the way to an integer. Between float and double
// the gradient is converted back, integers have none. Opsets from 6 on.
func Cast(n onnx.Node, inputs ...*G.Node) ([]*G.Node, error) {
	return build("Cast", n, inputs, func(c *call) (*G.Node, error) {
		if _, given := c.node.Attributes["to"]; !given {
			return nil, fault.Errorf(dense.ErrOption, "no data type to convert to")
		}
		number, err := c.integer("to", 0)
		if err != nil {
			return nil, err
		}
		to, err := onnx.DataType(number)
		if err != nil {
			return nil, err
		}
		if !c.version.types.Has(to) {
			return nil, c.notAllowed("to "+typeName(to), func(v version) bool { return v.types.Has(to) })
		}
		return apply(casting{to}, c.inputs[0])
	})
}

// CastLike converts to the type of the second input: see [Cast]. Opsets from 15 on.
func CastLike(n onnx.Node, inputs ...*G.Node) ([]*G.Node, error) {
	return build("CastLike", n, inputs, func(c *call) (*G.Node, error) {
		// The second input stays an operand: as a loose end LispMachine would take
		// it for a cost.
		return apply(casting{c.inputs[1].Dtype()}, c.inputs...)
	})
}

// Dropout is the identity: a model that was written for use drops nothing. A
// training_mode that is not false is refused, and so is the second output, the
// mask. Opsets from 7 on.
func Dropout(n onnx.Node, inputs ...*G.Node) ([]*G.Node, error) {
	return build("Dropout", n, inputs, func(c *call) (*G.Node, error) {
		if mode := c.input(2); mode != nil {
			v := known(mode)
			if v == nil || len(elements[bool](v)) != 1 || elements[uint8](v)[0] != 0 {
				return nil, fault.Errorf(dense.ErrOption, "training_mode must be false, and known when the graph is built")
			}
		}
		return c.inputs[0], nil
	})
}
