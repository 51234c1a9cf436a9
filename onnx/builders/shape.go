package builders

import (
	"slices"

	"gorgonia.org/gather/dense"
	"gorgonia.org/gather/internal/fault"
	"gorgonia.org/gather/onnx"
	G "gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

// reshape copies a node under another shape of the same size: Gorgonia's own
// Reshape shares memory with its input, and its gradient is wrong.
func reshape(n *G.Node, shape tensor.Shape) (*G.Node, error) {
	return apply(copying{reshaped(n.Shape().Clone(), shape)}, n)
}

// reshape is the first input under another shape.
func (c *call) reshape(shape tensor.Shape) (*G.Node, error) {
	return c.apply(copying{reshaped(c.shape(0).Clone(), shape)}, c.inputs[0])
}

// Reshape copies data under another shape, an input from opset 5 on, which must
// be known when the graph is built. A dim of -1 is what remains, and one of 0 is
// data's own, unless allowzero, since opset 14, is 1.
func Reshape(n onnx.Node, inputs ...*G.Node) ([]*G.Node, error) {
	return build("Reshape", n, inputs, func(c *call) (*G.Node, error) {
		dims, given, err := c.integers("shape")
		if c.version.since >= 5 {
			dims, given, err = c.static(1, "shape")
		}
		if err != nil {
			return nil, err
		}
		if !given {
			return nil, fault.Errorf(dense.ErrShape, "no shape")
		}
		zero, err := c.boolean("allowzero", false)
		if err != nil {
			return nil, err
		}
		shape, err := newShape(c.shape(0), dims, zero)
		if err != nil {
			return nil, err
		}
		return c.reshape(shape)
	})
}

// newShape is the shape that Reshape's dims mean.
func newShape(data tensor.Shape, dims []int, zero bool) (tensor.Shape, error) {
	shape := append(tensor.Shape{}, dims...)
	open := -1
	for d, n := range dims {
		switch {
		case n == 0 && !zero:
			if d >= len(data) {
				return nil, fault.Errorf(dense.ErrShape, "shape %v: dim %d is 0, data of shape %v has none there", dims, d, data)
			}
			shape[d] = data[d]
		case n == -1 && open < 0:
			open, shape[d] = d, 1
		case n < 0:
			return nil, fault.Errorf(dense.ErrShape, "shape %v: one -1 is allowed, and no other negative dim", dims)
		}
	}
	rest, err := size(shape)
	if err != nil {
		return nil, err
	}
	total := count(data)
	if open >= 0 {
		if rest == 0 || zero && slices.Contains(dims, 0) || total%rest != 0 {
			return nil, fault.Errorf(dense.ErrShape, "shape %v: no dim at %d fits the %d elements of %v", dims, open, total, data)
		}
		shape[open] = total / rest
		rest *= shape[open]
	}
	if rest != total {
		return nil, fault.Errorf(dense.ErrShape, "shape %v has %d elements, data of shape %v has %d", dims, rest, data, total)
	}
	return shape, nil
}

// Flatten makes a matrix: the axes before axis are its rows, the others its
// columns. axis is 1 unless given, and may be the rank.
func Flatten(n onnx.Node, inputs ...*G.Node) ([]*G.Node, error) {
	return build("Flatten", n, inputs, func(c *call) (*G.Node, error) {
		axis, err := c.integer("axis", 1)
		if err != nil {
			return nil, err
		}
		// The rank itself is a place between axes, too, and no axis.
		low := 0
		if c.version.since >= 11 {
			low = -c.rank()
		}
		if axis < low || axis > c.rank() {
			return nil, fault.Errorf(dense.ErrAxis, "axis %d is not in [%d, %d]", axis, low, c.rank())
		}
		if axis < 0 {
			axis += c.rank()
		}
		shape := c.shape(0)
		return c.reshape(tensor.Shape{count(shape[:axis]), count(shape[axis:])})
	})
}

// Squeeze removes axes of size 1, all of them unless some are given. axes are an
// input from opset 13 on, which must be known when the graph is built.
func Squeeze(n onnx.Node, inputs ...*G.Node) ([]*G.Node, error) {
	return build("Squeeze", n, inputs, func(c *call) (*G.Node, error) {
		list, given, err := c.givenAxes()
		if err != nil {
			return nil, err
		}
		removed, err := c.axes(list, c.rank())
		if err != nil {
			return nil, err
		}
		shape := tensor.Shape{}
		for d, n := range c.shape(0) {
			switch {
			case removed[d] && n != 1:
				return nil, fault.Errorf(dense.ErrShape, "axis %d of shape %v has not size 1", d, c.shape(0))
			case !removed[d] && (given || n != 1):
				shape = append(shape, n)
			}
		}
		return c.reshape(shape)
	})
}

// Unsqueeze adds axes of size 1, which axes count in the result. axes are an
// input from opset 13 on, which must be known when the graph is built.
func Unsqueeze(n onnx.Node, inputs ...*G.Node) ([]*G.Node, error) {
	return build("Unsqueeze", n, inputs, func(c *call) (*G.Node, error) {
		list, given, err := c.givenAxes()
		if err != nil {
			return nil, err
		}
		if !given {
			return nil, fault.Errorf(dense.ErrOption, "no axes")
		}
		added, err := c.axes(list, c.rank()+len(list))
		if err != nil {
			return nil, err
		}
		shape := tensor.Shape{}
		rest := c.shape(0)
		for _, one := range added {
			if one {
				shape = append(shape, 1)
			} else {
				shape, rest = append(shape, rest[0]), rest[1:]
			}
		}
		return c.reshape(shape)
	})
}

// givenAxes are the axes of Squeeze and Unsqueeze: an attribute before opset 13.
func (c *call) givenAxes() ([]int, bool, error) {
	if c.version.since < 13 {
		return c.integers("axes")
	}
	return c.static(1, "axes")
}

// Transpose puts the axes into the order of perm: axis d of the result is axis
// perm[d] of data. Without perm the order is reversed.
func Transpose(n onnx.Node, inputs ...*G.Node) ([]*G.Node, error) {
	return build("Transpose", n, inputs, func(c *call) (*G.Node, error) {
		perm, given, err := c.integers("perm")
		if err != nil {
			return nil, err
		}
		for d := c.rank() - 1; d >= 0 && !given; d-- {
			perm = append(perm, d)
		}
		isOrder := len(perm) == c.rank()
		for d, axis := range slices.Sorted(slices.Values(perm)) {
			isOrder = isOrder && axis == d
		}
		if !isOrder {
			return nil, fault.Errorf(dense.ErrAxis, "perm %v is no order of the %d axes of data", perm, c.rank())
		}
		return c.apply(copying{permuted(c.shape(0).Clone(), perm)}, c.inputs[0])
	})
}

// Expand repeats data along axes of size 1, and along new ones in front of it:
// data and a tensor of the given shape are broadcast to each other. The shape
// must be known when the graph is built.
func Expand(n onnx.Node, inputs ...*G.Node) ([]*G.Node, error) {
	return build("Expand", n, inputs, func(c *call) (*G.Node, error) {
		dims, _, err := c.static(1, "shape")
		if err != nil {
			return nil, err
		}
		if slices.ContainsFunc(dims, func(n int) bool { return n < 0 }) {
			return nil, fault.Errorf(dense.ErrShape, "shape %v has a negative dim", dims)
		}
		shape, err := broadcast(c.shape(0), tensor.Shape(dims))
		if err != nil {
			return nil, err
		}
		return c.apply(copying{expanded(c.shape(0).Clone(), shape)}, c.inputs[0])
	})
}
