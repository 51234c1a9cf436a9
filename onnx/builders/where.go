package builders

import (
	"slices"

	"gorgonia.org/gather/onnx"
	G "gorgonia.org/gorgonia"
)

// Equal tells where A and B are equal. The shapes are broadcast to each other, as
// for [Add]. The result is bool and has no gradient. Opsets from 7 on.
func Equal(n onnx.Node, inputs ...*G.Node) ([]*G.Node, error) { return compare("Equal", n, inputs) }

// Less tells where A is less than B: see [Equal].
func Less(n onnx.Node, inputs ...*G.Node) ([]*G.Node, error) { return compare("Less", n, inputs) }

// Greater tells where A is greater than B: see [Equal].
func Greater(n onnx.Node, inputs ...*G.Node) ([]*G.Node, error) { return compare("Greater", n, inputs) }

// LessOrEqual tells where A is at most B: see [Equal]. Opsets from 12 on.
func LessOrEqual(n onnx.Node, inputs ...*G.Node) ([]*G.Node, error) {
	return compare("LessOrEqual", n, inputs)
}

// GreaterOrEqual tells where A is at least B: see [Equal]. Opsets from 12 on.
func GreaterOrEqual(n onnx.Node, inputs ...*G.Node) ([]*G.Node, error) {
	return compare("GreaterOrEqual", n, inputs)
}

// And tells where both A and B, which are bool, are true: see [Equal].
func And(n onnx.Node, inputs ...*G.Node) ([]*G.Node, error) { return compare("And", n, inputs) }

// Or tells where A or B or both are true: see [And].
func Or(n onnx.Node, inputs ...*G.Node) ([]*G.Node, error) { return compare("Or", n, inputs) }

// Xor tells where either A or B is true: see [And].
func Xor(n onnx.Node, inputs ...*G.Node) ([]*G.Node, error) { return compare("Xor", n, inputs) }

func compare(op string, n onnx.Node, inputs []*G.Node) ([]*G.Node, error) {
	return build(op, n, inputs, func(c *call) (*G.Node, error) { return apply(comparing{op}, c.inputs...) })
}

// Not is true where X, which is bool, is false.
func Not(n onnx.Node, inputs ...*G.Node) ([]*G.Node, error) {
	return build("Not", n, inputs, func(c *call) (*G.Node, error) { return apply(negating{}, c.inputs...) })
}

// IsNaN tells where X is NaN. Opsets from 9 on; float and double.
func IsNaN(n onnx.Node, inputs ...*G.Node) ([]*G.Node, error) {
	return build("IsNaN", n, inputs, func(c *call) (*G.Node, error) { return apply(examining{nan: true}, c.inputs...) })
}

// IsInf tells where X is infinite, of either sign unless detect_negative or
// detect_positive is 0. Opsets from 10 on; float and double.
func IsInf(n onnx.Node, inputs ...*G.Node) ([]*G.Node, error) {
	return build("IsInf", n, inputs, func(c *call) (*G.Node, error) {
		below, err := c.boolean("detect_negative", true)
		if err != nil {
			return nil, err
		}
		above, err := c.boolean("detect_positive", true)
		if err != nil {
			return nil, err
		}
		return apply(examining{below: below, above: above}, c.inputs...)
	})
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
			if same[i] = n; !slices.Equal(n.Shape(), shape) {
				if same[i], err = apply(copying{expanded(n.Shape().Clone(), shape)}, n); err != nil {
					return nil, err
				}
			}
		}
		return apply(choosing{}, same...)
	})
}
