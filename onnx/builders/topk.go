package builders

import (
	"gorgonia.org/gather"
	"gorgonia.org/gather/dense"
	"gorgonia.org/gather/internal/fault"
	"gorgonia.org/gather/onnx"
	G "gorgonia.org/gorgonia"
)

// TopK is the K largest elements along an axis, the last one unless given, in their
// order, and their indices: of equal ones the first come first. With largest 0, since
// opset 11, it is the K smallest. NaN is larger than any number. K, an input of one
// element since opset 10, must be known when the graph is built. The elements hand their
// gradients to where they were. float, double and, since opset 11, integers.
func TopK(n onnx.Node, inputs ...*G.Node) ([]*G.Node, error) {
	return buildAll("TopK", n, inputs, func(c *call) ([]*G.Node, error) {
		k, given, err := c.k()
		if err != nil {
			return nil, err
		}
		if !given {
			return nil, fault.Errorf(dense.ErrOption, "no k")
		}
		largest, err := c.boolean("largest", true)
		if err != nil {
			return nil, err
		}
		// Sorted is one of the orders that sorted 0 allows.
		if _, err := c.boolean("sorted", true); err != nil {
			return nil, err
		}
		axis, err := c.integer("axis", -1)
		if err != nil {
			return nil, err
		}
		if axis, err = c.axis(axis, c.rank()); err != nil {
			return nil, err
		}
		shape := c.shape(0).Clone()
		if k < 0 || k > shape[axis] {
			return nil, fault.Errorf(dense.ErrShape, "k is %d, axis %d has %d elements", k, axis, shape[axis])
		}
		at, err := c.apply(ranking{linesOf(shape, axis), k, !largest, axis}, c.inputs[0])
		if err != nil || len(c.node.Outputs) > 0 && !c.wants(0) {
			return []*G.Node{nil, at}, err
		}
		y, err := gather.GatherElements(c.inputs[0], at, axis)
		return []*G.Node{y, at}, err
	})
}

// k is an attribute before opset 10, and then an input.
func (c *call) k() (k int, given bool, err error) {
	if c.version.since < 10 {
		_, given = c.node.Attributes["k"]
		k, err = c.integer("k", 0)
		return k, given, err
	}
	return c.staticOne("K")
}
