package builders

import (
	"slices"

	"gorgonia.org/gather/dense"
	"gorgonia.org/gather/internal/fault"
	"gorgonia.org/gather/onnx"
	G "gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

// Conv moves filters over the spatial axes of X, of which there may be any
// number, and sums at each place the products with what lies under them:
//
//	X (n, c, …), W (m, c/group, kernel…), B (m) → (n, m, places…)
//
// with strides, dilations, pads and auto_pad; channels are in as many groups as
// group says, each with filters of its own. B may be left out. It is computed as a
// matrix product with a copy of X that has a column for each place, which takes as
// many times the memory of X as a filter has places. float and double.
func Conv(n onnx.Node, inputs ...*G.Node) ([]*G.Node, error) {
	return build("Conv", n, inputs, func(c *call) (*G.Node, error) {
		x, filters := c.shape(0), c.shape(1)
		group, err := c.integer("group", 1)
		if err != nil {
			return nil, err
		}
		if len(x) < 3 || len(filters) != len(x) {
			return nil, fault.Errorf(dense.ErrShape, "X of shape %v and W of shape %v, equal ranks of at least 3 are allowed", x, filters)
		}
		if group < 1 || x[1]%group != 0 || filters[0]%group != 0 || filters[1] != x[1]/group {
			return nil, fault.Errorf(dense.ErrShape, "X of shape %v and W of shape %v do not fit in %d groups", x, filters, group)
		}
		kernel := []int(filters[2:].Clone())
		if given, ok, err := c.integers("kernel_shape"); err != nil || ok && !slices.Equal(given, kernel) {
			return nil, orOption(err, "kernel_shape is %v, W has %v", given, kernel)
		}
		w, err := c.window(kernel)
		if err != nil {
			return nil, err
		}
		padded, err := w.padded(c.inputs[0], false)
		if err != nil {
			return nil, err
		}
		return c.convolution(w, padded, group)
	})
}

// convolution is the matrix product for every group.
func (c *call) convolution(w *window, padded *G.Node, group int) (*G.Node, error) {
	whole := padded.Shape().Clone()
	filters := c.shape(1)
	n, m, each := whole[0], filters[0], filters[1]
	steps := rowMajor(whole)
	under := w.each(whole, tensor.Shape{n, group, each}, []int{steps[0], each * steps[1], steps[1]}, false)
	columns, err := apply(copying{under}, padded)
	if err != nil {
		return nil, err
	}
	places := count(w.out)
	if columns, err = reshape(columns, tensor.Shape{n, group, each * count(w.kernel), places}); err != nil {
		return nil, err
	}
	rows, err := reshape(c.inputs[1], tensor.Shape{group, m / group, each * count(w.kernel)})
	if err != nil {
		return nil, err
	}
	y, err := apply(product{}, rows, columns)
	if err != nil {
		return nil, err
	}
	if y, err = reshape(y, append(tensor.Shape{n, m}, w.out...)); err != nil || c.input(2) == nil {
		return y, err
	}
	bias, err := c.perChannel(2, m, len(w.out))
	if err != nil {
		return nil, err
	}
	return apply(pairing{"Add"}, y, bias)
}
