package builders

import (
	"gorgonia.org/gather/onnx"
	"gorgonia.org/gather/shapes"
	G "gorgonia.org/gorgonia"
)

// Where is X where the condition is true and Y where it is false. The three
// shapes are broadcast to each other. Opsets from 9 on.
func Where(n onnx.Node, inputs ...*G.Node) ([]*G.Node, error) {
	return build("Where", n, inputs, func(c *call) (*G.Node, error) {
		shape := c.shape(0)
		for i := range 2 {
			var err error
			if shape, err = broadcast(shape, c.shape(i+1)); err != nil {
				return nil, err
			}
		}
		same := make([]*G.Node, 3)
		for i, n := range c.inputs {
			var err error
			if same[i] = n; !shapes.Equal(n.Shape(), shape) {
				if same[i], err = apply(copying{expanded(n.Shape().Clone(), shape)}, n); err != nil {
					return nil, err
				}
			}
		}
		return apply(choosing{}, same...)
	})
}
