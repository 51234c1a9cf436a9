package builders

import (
	"gorgonia.org/gather/dense"
	"gorgonia.org/gather/internal/fault"
	"gorgonia.org/gather/onnx"
	G "gorgonia.org/gorgonia"
)

// Concat puts its inputs behind each other along an axis; their other axes
// agree. axis must be given from opset 4 on, and is 1 unless given before.
func Concat(n onnx.Node, inputs ...*G.Node) ([]*G.Node, error) {
	return build("Concat", n, inputs, func(c *call) (*G.Node, error) {
		if _, given := c.node.Attributes["axis"]; !given && c.version.since >= 4 {
			return nil, fault.Errorf(dense.ErrOption, "no axis")
		}
		axis, err := c.integer("axis", 1)
		if err != nil {
			return nil, err
		}
		if axis, err = c.axis(axis, c.rank()); err != nil {
			return nil, err
		}
		return apply(joining{axis}, c.inputs...)
	})
}
