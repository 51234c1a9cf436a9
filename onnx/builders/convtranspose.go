package builders

import (
	"slices"

	"gorgonia.org/gather/dense"
	"gorgonia.org/gather/internal/fault"
	"gorgonia.org/gather/onnx"
	G "gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

// ConvTranspose adds at each place of X its products with the filters to what lies
// under them, which is the gradient of a [Conv] by its input:
//
//	X (n, c, …), W (c, m/group, kernel…), B (m) → (n, m, …)
//
// A spatial axis of the result has strides (size - 1) + output_padding +
// dilations (kernel - 1) + 1 - pads elements. output_shape and auto_pad say the pads by
// the size of the result, the larger half in front unless auto_pad is SAME_UPPER. What
// pads cut off, and what output_padding and output_shape add behind, is not reached by
// any filter. float and double.
func ConvTranspose(n onnx.Node, inputs ...*G.Node) ([]*G.Node, error) {
	return build("ConvTranspose", n, inputs, func(c *call) (*G.Node, error) {
		x, filters := c.shape(0).Clone(), c.shape(1).Clone()
		group, err := c.integer("group", 1)
		if err != nil {
			return nil, err
		}
		if len(x) < 3 || len(filters) != len(x) {
			return nil, fault.Errorf(dense.ErrShape, "X of shape %v and W of shape %v, equal ranks of at least 3 are allowed", x, filters)
		}
		if group < 1 || x[1]%group != 0 || filters[0] != x[1] {
			return nil, fault.Errorf(dense.ErrShape, "X of shape %v and W of shape %v do not fit in %d groups", x, filters, group)
		}
		kernel := []int(filters[2:])
		if given, ok, err := c.integers("kernel_shape"); err != nil || ok && !slices.Equal(given, kernel) {
			return nil, orOption(err, "kernel_shape is %v, W has %v", given, kernel)
		}
		if slices.Min(x[2:]) < 1 {
			return nil, fault.Errorf(dense.ErrShape, "X of shape %v has an empty spatial axis", x)
		}
		if slices.Min(kernel) < 1 || slices.Max(kernel) > maxWindow {
			return nil, fault.Errorf(dense.ErrShape, "a kernel of shape %v", kernel)
		}
		w := &window{kernel: kernel, out: x[2:]}
		if w.strides, err = c.perAxis("strides", len(kernel), 1); err != nil {
			return nil, err
		}
		if w.dilations, err = c.perAxis("dilations", len(kernel), 1); err != nil {
			return nil, err
		}
		sizes, err := c.transposedSizes(w)
		if err != nil {
			return nil, err
		}
		return c.transposedConvolution(w, group, sizes)
	})
}

// transposedSizes are the sizes of the result's spatial axes. It sets those of the
// window to all that it reaches or the result has, and begin to the pads in front.
func (c *call) transposedSizes(w *window) ([]int, error) {
	n := len(w.kernel)
	pads, err := c.perAxis("pads", 2*n, 0)
	if err != nil {
		return nil, err
	}
	added, err := c.perAxis("output_padding", n, 0)
	if err != nil {
		return nil, err
	}
	auto, err := c.text("auto_pad", "NOTSET", "NOTSET", "SAME_UPPER", "SAME_LOWER", "VALID")
	if err != nil {
		return nil, err
	}
	if auto != "NOTSET" && slices.Max(pads) > 0 {
		return nil, fault.Errorf(dense.ErrOption, "auto_pad is %q and pads are %v, one of them is allowed", auto, pads)
	}
	sizes, given, err := c.integers("output_shape")
	if err != nil {
		return nil, err
	}
	if given && (len(sizes) != n || slices.Min(sizes) < 1 || slices.Max(sizes) > maxWindow) {
		return nil, fault.Errorf(dense.ErrOption, "output_shape is %v, %d sizes from 1 to %d are needed", sizes, n, maxWindow)
	}
	sizes = slices.Clone(sizes)
	w.sizes, w.begin = make([]int, n), pads[:n]
	for d, places := range w.out {
		// Sums of attributes, each bounded by maxWindow: too large for an int of 32 bits.
		reach := int64(w.strides[d])*int64(places-1) + int64(w.dilations[d])*int64(w.kernel[d]-1) + 1
		all := reach + int64(added[d])
		var size int64
		switch {
		case given:
			size = int64(sizes[d])
		case auto == "SAME_UPPER" || auto == "SAME_LOWER":
			size = int64(places) * int64(w.strides[d])
		default:
			size = all - int64(pads[d]) - int64(pads[n+d])
		}
		if given || auto == "SAME_UPPER" || auto == "SAME_LOWER" {
			cut := max(all-size, 0)
			w.begin[d] = int(min(cut-cut/2, maxWindow))
			if auto == "SAME_UPPER" {
				w.begin[d] = int(min(cut/2, maxWindow))
			}
		}
		whole := max(reach, int64(w.begin[d])+size)
		if size < 1 || whole > maxWindow {
			return nil, fault.Errorf(dense.ErrShape, "axis %d of the result has size %d, 1 to %d are allowed", d+2, size, maxWindow)
		}
		w.sizes[d] = int(whole)
		if !given {
			sizes = append(sizes, int(size))
		}
	}
	return sizes, nil
}

// transposedConvolution is the matrix product for every group, whose columns are added
// to the places of the result that they belong to.
func (c *call) transposedConvolution(w *window, group int, sizes []int) (*G.Node, error) {
	x, filters := c.shape(0).Clone(), c.shape(1).Clone()
	n, each, m := x[0], filters[1], filters[1]*group
	rows, err := reshape(c.inputs[1], tensor.Shape{group, filters[0] / group, each * count(w.kernel)})
	if err != nil {
		return nil, err
	}
	columns, err := reshape(c.inputs[0], tensor.Shape{n, group, x[1] / group, count(w.out)})
	if err != nil {
		return nil, err
	}
	if columns, err = apply(product{transposeA: true}, rows, columns); err != nil {
		return nil, err
	}
	whole := append(tensor.Shape{n, m}, w.sizes...)
	if _, err := size(whole); err != nil {
		return nil, err
	}
	steps := rowMajor(whole)
	under := w.each(whole, tensor.Shape{n, group, each}, []int{steps[0], each * steps[1], steps[1]}, false)
	if columns, err = reshape(columns, under.part); err != nil {
		return nil, err
	}
	y, err := apply(summing{under}, columns)
	if err != nil {
		return nil, err
	}
	if part := append(tensor.Shape{n, m}, sizes...); !slices.Equal(part, whole) {
		cut := within(part, whole, append([]int{0, 0}, w.begin...))
		if y, err = apply(copying{cut}, y); err != nil {
			return nil, err
		}
	}
	if c.input(2) == nil {
		return y, nil
	}
	bias, err := c.perChannel(2, m, len(w.out))
	if err != nil {
		return nil, err
	}
	return apply(pairing{"Add"}, y, bias)
}
