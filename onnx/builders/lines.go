package builders

import (
	"gorgonia.org/gather/dense"
	"gorgonia.org/gather/internal/fault"
	"gorgonia.org/gather/onnx"
	G "gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

// linesOf are the lines of a shape along an axis.
func linesOf(shape tensor.Shape, axis int) lines {
	return lines{outer: count(shape[:axis]), n: shape[axis], step: count(shape[axis+1:])}
}

// CumSum is the running sum along an axis, an input of one element that must be
// known when the graph is built: up to each element, or without it if exclusive,
// and from the end if reverse. Opsets from 11 on; float and double, and integers of
// 32 and 64 bits.
func CumSum(n onnx.Node, inputs ...*G.Node) ([]*G.Node, error) {
	return build("CumSum", n, inputs, func(c *call) (*G.Node, error) {
		exclusive, err := c.boolean("exclusive", false)
		if err != nil {
			return nil, err
		}
		reverse, err := c.boolean("reverse", false)
		if err != nil {
			return nil, err
		}
		axis, _, err := c.staticOne("axis")
		if err != nil {
			return nil, err
		}
		if axis, err = c.axis(axis, c.rank()); err != nil {
			return nil, err
		}
		return c.apply(running{exclusive, reverse, linesOf(c.shape(0), axis)}, c.inputs[0])
	})
}

// ArgMax is the index of the largest element along an axis, 0 unless given, as
// int64: of the first one, or the last one with select_last_index. NaN is the
// largest of all.
func ArgMax(n onnx.Node, inputs ...*G.Node) ([]*G.Node, error) {
	return arg("ArgMax", false, n, inputs)
}

// ArgMin is the index of the smallest element: see [ArgMax].
func ArgMin(n onnx.Node, inputs ...*G.Node) ([]*G.Node, error) { return arg("ArgMin", true, n, inputs) }

func arg(op string, smallest bool, n onnx.Node, inputs []*G.Node) ([]*G.Node, error) {
	return build(op, n, inputs, func(c *call) (*G.Node, error) {
		last, err := c.boolean("select_last_index", false)
		if err != nil {
			return nil, err
		}
		keep, err := c.boolean("keepdims", true)
		if err != nil {
			return nil, err
		}
		axis, err := c.integer("axis", 0)
		if err != nil {
			return nil, err
		}
		if axis, err = c.axis(axis, c.rank()); err != nil {
			return nil, err
		}
		shape := c.shape(0)
		if shape[axis] == 0 {
			return nil, fault.Errorf(dense.ErrShape, "data of shape %v has no element along axis %d, one is needed", shape, axis)
		}
		f := picking{smallest: smallest, last: last, lines: linesOf(shape, axis), shape: append(tensor.Shape{}, shape[:axis]...)}
		if keep {
			f.shape = append(f.shape, 1)
		}
		f.shape = append(f.shape, shape[axis+1:]...)
		return apply(f, c.inputs[0])
	})
}
