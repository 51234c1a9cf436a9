package builders

import (
	"gorgonia.org/gather/onnx"
	G "gorgonia.org/gorgonia"
)

// Softmax is exp(X) divided by its sum along an axis, computed without overflow.
// axis is -1 unless given.
//
// Before opset 13 the input is taken for a matrix, all axes before axis (1
// unless given) its rows and all from there on its columns, and the sum is that
// of a row.
func Softmax(n onnx.Node, inputs ...*G.Node) ([]*G.Node, error) {
	return softmaxOn("Softmax", n, inputs)
}

// LogSoftmax is the logarithm of [Softmax], computed without the detour.
func LogSoftmax(n onnx.Node, inputs ...*G.Node) ([]*G.Node, error) {
	return softmaxOn("LogSoftmax", n, inputs)
}

func softmaxOn(op string, n onnx.Node, inputs []*G.Node) ([]*G.Node, error) {
	return build(op, n, inputs, func(c *call) (*G.Node, error) {
		fallback := -1
		if c.version.since < 13 {
			fallback = 1
		}
		axis, err := c.integer("axis", fallback)
		if err != nil {
			return nil, err
		}
		if axis, err = c.axis(axis, c.rank()); err != nil {
			return nil, err
		}
		shape := c.shape(0)
		f := softmax{log: op == "LogSoftmax", lines: linesOf(shape, axis)}
		if c.version.since < 13 {
			f.n, f.step = count(shape[axis:]), 1
		}
		return apply(f, c.inputs...)
	})
}
