package builders

import (
	"gorgonia.org/gather/onnx"
	"gorgonia.org/gather/shapes"
	G "gorgonia.org/gorgonia"
)

// Equal tells where A and B are equal. The shapes are broadcast to each other, as
// for [Add]. The result is bool and has no gradient. Opsets from 7 on.
func Equal(n onnx.Node, inputs ...*G.Node) ([]*G.Node, error) { return compare("Equal", n, inputs) }

// Less tells where A is less than B: see [Equal].
func Less(n onnx.Node, inputs ...*G.Node) ([]*G.Node, error) { return compare("Less", n, inputs) }

// Greater tells where A is greater than B: see [Equal].
func Greater(n onnx.Node, inputs ...*G.Node) ([]*G.Node, error) { return compare("Greater", n, inputs) }

func compare(op string, n onnx.Node, inputs []*G.Node) ([]*G.Node, error) {
	return build(op, n, inputs, func(c *call) (*G.Node, error) { return apply(comparing{op}, c.inputs...) })
}

// Not is true where X, which is bool, is false.
func Not(n onnx.Node, inputs ...*G.Node) ([]*G.Node, error) {
	return build("Not", n, inputs, func(c *call) (*G.Node, error) { return apply(negating{}, c.inputs...) })
}

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
