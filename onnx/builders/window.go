package builders

import (
	"slices"

	"gorgonia.org/gather/dense"
	"gorgonia.org/gather/internal/fault"
	G "gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

// A window is what Conv and the pools move over the spatial axes, which are
// those behind the first two: their sizes, and for each of them the window's
// size, its steps from one place to the next, the distance of its elements, and
// what is added to the axis at either end.
type window struct {
	sizes, kernel, strides, dilations, begin, end []int

	out      []int // how many places it has on each axis
	overhang []int // what ceil_mode adds behind the end
}

// maxWindow bounds what attributes give, so that sums of them are integers.
const maxWindow = 1 << 28

// window is that of the attributes, with a kernel of that size.
func (c *call) window(kernel []int) (*window, error) {
	shape := c.shape(0)
	if len(shape) < 3 {
		return nil, fault.Errorf(dense.ErrShape, "X of shape %v, ranks of at least 3 are allowed", shape)
	}
	w := &window{sizes: shape[2:], kernel: kernel}
	if n := len(w.sizes); len(kernel) != n || slices.Min(kernel) < 1 || slices.Max(kernel) > maxWindow {
		return nil, fault.Errorf(dense.ErrShape, "a kernel of shape %v for %d spatial axes, %d dims from 1 to %d are needed", kernel, n, n, maxWindow)
	}
	var err error
	if w.strides, err = c.perAxis("strides", len(w.sizes), 1); err != nil {
		return nil, err
	}
	if w.dilations, err = c.perAxis("dilations", len(w.sizes), 1); err != nil {
		return nil, err
	}
	pads, err := c.perAxis("pads", 2*len(w.sizes), 0)
	if err != nil {
		return nil, err
	}
	ceil, err := c.boolean("ceil_mode", false)
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
	w.begin, w.end = pads[:len(w.sizes)], pads[len(w.sizes):]
	for d := range w.sizes {
		if err := w.place(d, auto, ceil); err != nil {
			return nil, err
		}
	}
	return w, nil
}

// perAxis is a list of integers that are at least least, which they are unless
// given.
func (c *call) perAxis(name string, n, least int) ([]int, error) {
	list, given, err := c.integers(name)
	if err != nil {
		return nil, err
	}
	if !given {
		list = slices.Repeat([]int{least}, n)
	}
	if len(list) != n || slices.Min(list) < least || slices.Max(list) > maxWindow {
		return nil, fault.Errorf(dense.ErrOption, "%s are %v, %d numbers from %d to %d are needed", name, list, n, least, maxWindow)
	}
	return slices.Clone(list), nil
}

// place works out how many places the window has on an axis.
func (w *window) place(d int, auto string, ceil bool) error {
	size, stride := int64(w.sizes[d]), int64(w.strides[d])
	extent := int64(w.dilations[d])*int64(w.kernel[d]-1) + 1
	var n int64
	if auto == "SAME_UPPER" || auto == "SAME_LOWER" {
		n = (size + stride - 1) / stride
		total := max((n-1)*stride+extent-size, 0)
		w.begin[d] = int(total / 2)
		if auto == "SAME_LOWER" {
			w.begin[d] = int(total - total/2)
		}
		w.end[d] = int(total) - w.begin[d]
	} else {
		room := size + int64(w.begin[d]) + int64(w.end[d]) - extent
		if room < 0 {
			return fault.Errorf(dense.ErrShape, "a window of %d elements %d apart is longer than axis %d, which has %d with its pads",
				w.kernel[d], w.dilations[d], d+2, w.sizes[d]+w.begin[d]+w.end[d])
		}
		n = room/stride + 1
		// One more place for what is left, unless it started in the pads.
		if ceil && auto == "NOTSET" && room%stride > 0 && n*stride < size+int64(w.begin[d]) {
			n++
		}
	}
	w.out = append(w.out, int(n))
	w.overhang = append(w.overhang, int(max((n-1)*stride+extent-size-int64(w.begin[d])-int64(w.end[d]), 0)))
	return nil
}

// padded is X with pads around it: zeros, or the least value.
func (w *window) padded(x *G.Node, least bool) (*G.Node, error) {
	if slices.Max(w.begin) == 0 && slices.Max(w.end) == 0 && slices.Max(w.overhang) == 0 {
		return x, nil
	}
	part := x.Shape().Clone()
	whole, start := part.Clone(), make([]int, len(part))
	for d := range w.sizes {
		whole[d+2] += w.begin[d] + w.end[d] + w.overhang[d]
		start[d+2] = w.begin[d]
	}
	return apply(padding{within(part, whole, start), least}, x)
}

// each are, of a padded input, the elements under the window at each of its
// places: the axes in front, then those of the kernel and of the places, both
// behind each other.
func (w *window) each(padded tensor.Shape, front tensor.Shape, frontSteps []int, kernelFirst bool) places {
	steps := rowMajor(padded)
	p := places{whole: padded}
	inKernel := func() {
		for d, k := range w.kernel {
			p.part, p.steps = append(p.part, k), append(p.steps, w.dilations[d]*steps[d+2])
		}
	}
	if kernelFirst {
		inKernel()
	}
	p.part, p.steps = append(p.part, front...), append(p.steps, frontSteps...)
	if !kernelFirst {
		inKernel()
	}
	for d, n := range w.out {
		p.part, p.steps = append(p.part, n), append(p.steps, w.strides[d]*steps[d+2])
	}
	return p
}
