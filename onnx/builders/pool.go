package builders

import (
	"fmt"

	"gorgonia.org/gather"
	"gorgonia.org/gather/dense"
	"gorgonia.org/gather/internal/fault"
	"gorgonia.org/gather/onnx"
	G "gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

// MaxPool is the largest element under a window of kernel_shape that is moved
// over the spatial axes, which are those behind the first two, with strides,
// dilations, pads and auto_pad, and with ceil_mode one more place where the window
// ends behind the input. The first of equal elements gets the gradient. Indices,
// the second result, are refused. float and double.
func MaxPool(n onnx.Node, inputs ...*G.Node) ([]*G.Node, error) {
	return build("MaxPool", n, inputs, func(c *call) (*G.Node, error) {
		if c.wants(1) {
			return nil, fault.Errorf(dense.ErrOption, "the indices, output 1, are not supported")
		}
		if order, err := c.integer("storage_order", 0); err != nil || order != 0 {
			return nil, orOption(err, "storage_order is %d, 0 is allowed", order)
		}
		w, err := c.poolWindow()
		if err != nil {
			return nil, err
		}
		return c.largestUnder(w)
	})
}

// GlobalMaxPool is [MaxPool] under a window of the spatial axes' sizes.
func GlobalMaxPool(n onnx.Node, inputs ...*G.Node) ([]*G.Node, error) {
	return build("GlobalMaxPool", n, inputs, func(c *call) (*G.Node, error) {
		w, err := c.window(c.spatial())
		if err != nil {
			return nil, err
		}
		return c.largestUnder(w)
	})
}

// AveragePool is the mean of the elements under a window, which is that of
// [MaxPool]. Pads count if count_include_pad is 1. float and double.
func AveragePool(n onnx.Node, inputs ...*G.Node) ([]*G.Node, error) {
	return build("AveragePool", n, inputs, func(c *call) (*G.Node, error) {
		include, err := c.boolean("count_include_pad", false)
		if err != nil {
			return nil, err
		}
		w, err := c.poolWindow()
		if err != nil {
			return nil, err
		}
		return c.meanUnder(w, include)
	})
}

// GlobalAveragePool is the mean over the spatial axes, which stay with size 1.
func GlobalAveragePool(n onnx.Node, inputs ...*G.Node) ([]*G.Node, error) {
	return build("GlobalAveragePool", n, inputs, func(c *call) (*G.Node, error) {
		w, err := c.window(c.spatial())
		if err != nil {
			return nil, err
		}
		return c.meanUnder(w, false)
	})
}

// spatial are the sizes of the axes behind the first two.
func (c *call) spatial() []int { return c.shape(0).Clone()[min(2, c.rank()):] }

func (c *call) poolWindow() (*window, error) {
	kernel, given, err := c.integers("kernel_shape")
	if err != nil {
		return nil, err
	}
	if !given {
		return nil, fault.Errorf(dense.ErrOption, "no kernel_shape")
	}
	return c.window(kernel)
}

// under are the elements under the window, the axes of the kernel first: (k…, n,
// c, places…) as (k, n, c, places…).
func (c *call) under(w *window, least bool) (*G.Node, error) {
	padded, err := w.padded(c.inputs[0], least)
	if err != nil {
		return nil, err
	}
	whole := padded.Shape().Clone()
	p := w.each(whole, whole[:2].Clone(), rowMajor(whole)[:2], true)
	x, err := apply(copying{p}, padded)
	if err != nil {
		return nil, err
	}
	return reshape(x, append(tensor.Shape{count(w.kernel)}, p.part[len(w.kernel):]...))
}

func (c *call) largestUnder(w *window) (*G.Node, error) {
	x, err := c.under(w, true)
	if err != nil {
		return nil, err
	}
	shape := x.Shape().Clone()
	one := append(tensor.Shape{1}, shape[1:]...)
	at, err := apply(picking{lines: linesOf(shape, 0), shape: one}, x)
	if err != nil {
		return nil, err
	}
	y, err := gather.GatherElements(x, at, 0)
	if err != nil {
		return nil, err
	}
	return reshape(y, shape[1:])
}

func (c *call) meanUnder(w *window, include bool) (*G.Node, error) {
	x, err := c.under(w, false)
	if err != nil {
		return nil, err
	}
	shape := x.Shape().Clone()
	sums := expanded(append(tensor.Shape{1}, shape[1:]...), shape)
	sums.whole = shape[1:]
	y, err := apply(summing{sums}, x)
	if err != nil {
		return nil, err
	}
	return apply(averaging{w, include}, y)
}

// count is how many elements of the input lie under the window, or of the padded one, at a place of an axis.
func (w *window) count(d, place int, padded bool) int {
	low, high, first := 0, w.sizes[d], place*w.strides[d]-w.begin[d]
	if padded {
		low, high = -w.begin[d], high+w.end[d]
	}
	before := func(end int) int { // how many elements of the kernel
		return min(w.kernel[d], max(0, end-first+w.dilations[d]-1)/w.dilations[d])
	}
	return max(0, before(high)-before(low))
}

// averaging divides every element by how many lie under the window.
type averaging struct {
	w      *window
	padded bool
}

func (f averaging) String() string {
	return fmt.Sprintf("divide by the counts under the window %v, padded %v", *f.w, f.padded)
}

func (f averaging) result(in []operand) (operand, error) {
	if !isFloat(in[0].dtype) {
		return operand{}, fault.Errorf(dense.ErrDtype, "an input of type %v is not supported, float and double are", typeName(in[0].dtype))
	}
	return in[0], nil
}

func (f averaging) run(out *tensor.Dense, in []*tensor.Dense) error {
	if len(out.Uint8s()) == 0 {
		return nil // there may be more places than memory for their counts
	}
	counts := []float64{1}
	for d, places := range f.w.out {
		var next []float64
		for _, c := range counts {
			for place := range places {
				next = append(next, c*float64(f.w.count(d, place, f.padded)))
			}
		}
		counts = next
	}
	if out.Dtype() == tensor.Float32 {
		divideBy[float32](counts, out, in[0])
	} else {
		divideBy[float64](counts, out, in[0])
	}
	return nil
}

func divideBy[T float](counts []float64, out, in *tensor.Dense) {
	dst := elements[T](out)
	for i, x := range elements[T](in) {
		dst[i] = T(float64(x) / counts[i%len(counts)])
	}
}

func (f averaging) gradients([]operand, operand) []*term { return []*term{of(f, grad())} }
