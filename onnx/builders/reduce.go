package builders

import (
	"gorgonia.org/gather/onnx"
	G "gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

// ReduceSum is the sum over axes, over all of them unless some are given, and 0
// over an empty one. With keepdims, which is 1 unless given, the axes stay with
// size 1. axes are an input from opset 13 on, for [ReduceMean] from opset 18 on,
// and must then be known when the graph is built.
//
// float is summed in double and rounded. double, int32, int64, uint32 and uint64
// are allowed, too.
func ReduceSum(n onnx.Node, inputs ...*G.Node) ([]*G.Node, error) {
	return build("ReduceSum", n, inputs, func(c *call) (*G.Node, error) {
		p, _, err := c.reduced()
		if err != nil {
			return nil, err
		}
		return c.apply(summing{p}, c.inputs[0])
	})
}

// ReduceMean is [ReduceSum] divided by the number of terms, NaN for none of
// them. float and double are allowed.
func ReduceMean(n onnx.Node, inputs ...*G.Node) ([]*G.Node, error) {
	return build("ReduceMean", n, inputs, func(c *call) (*G.Node, error) {
		p, terms, err := c.reduced()
		if err != nil {
			return nil, err
		}
		y, err := c.apply(summing{p}, c.inputs[0])
		if err != nil || terms == 1 {
			return y, err
		}
		return apply(scaling{1 / float64(terms)}, y)
	})
}

// ReduceSumSquare is [ReduceSum] of the squares.
func ReduceSumSquare(n onnx.Node, inputs ...*G.Node) ([]*G.Node, error) {
	return build("ReduceSumSquare", n, inputs, (*call).sumOfSquares)
}

// ReduceL1 is [ReduceSum] of the absolute values.
func ReduceL1(n onnx.Node, inputs ...*G.Node) ([]*G.Node, error) {
	return build("ReduceL1", n, inputs, func(c *call) (*G.Node, error) {
		return c.sumOf(func(x *G.Node) (*G.Node, error) { return apply(pointwise{name: "Abs"}, x) })
	})
}

// ReduceL2 is the root of [ReduceSumSquare]. Its gradient at the zero vector is 0.
// float and double are allowed.
func ReduceL2(n onnx.Node, inputs ...*G.Node) ([]*G.Node, error) {
	return build("ReduceL2", n, inputs, func(c *call) (*G.Node, error) {
		y, err := c.sumOfSquares()
		if err != nil {
			return nil, err
		}
		return apply(pointwise{name: "root of a sum of squares"}, y)
	})
}

func (c *call) sumOfSquares() (*G.Node, error) {
	return c.sumOf(func(x *G.Node) (*G.Node, error) { return apply(pairing{"Mul"}, x, x) })
}

// sumOf reduces a function of the input.
func (c *call) sumOf(f func(x *G.Node) (*G.Node, error)) (*G.Node, error) {
	p, _, err := c.reduced()
	if err != nil {
		return nil, err
	}
	y, err := f(c.inputs[0])
	if err != nil {
		return nil, err
	}
	return c.apply(summing{p}, y)
}

// ReduceProd is the product: see [ReduceSum].
func ReduceProd(n onnx.Node, inputs ...*G.Node) ([]*G.Node, error) {
	return build("ReduceProd", n, inputs, func(c *call) (*G.Node, error) {
		p, _, err := c.reduced()
		if err != nil {
			return nil, err
		}
		return c.apply(multiplying{p}, c.inputs[0])
	})
}

// ReduceLogSumExp is the logarithm of [ReduceSum] of the exponentials, computed
// without overflow. float and double are allowed.
func ReduceLogSumExp(n onnx.Node, inputs ...*G.Node) ([]*G.Node, error) {
	return build("ReduceLogSumExp", n, inputs, func(c *call) (*G.Node, error) {
		p, _, err := c.reduced()
		if err != nil {
			return nil, err
		}
		kept := p // with the reduced axes
		kept.whole = p.part.Clone()
		for d := range kept.whole {
			if p.steps[d] == 0 {
				kept.whole[d] = 1
			}
		}
		largest, err := c.apply(extreme{kept, true}, c.inputs[0])
		if err == nil {
			largest, err = apply(pointwise{name: "finite or 0"}, largest)
		}
		y := c.inputs[0]
		if err == nil {
			y, err = apply(pairing{"Sub"}, y, largest)
		}
		if err == nil {
			y, err = apply(pointwise{name: "Exp"}, y)
		}
		if err == nil {
			y, err = apply(summing{kept}, y)
		}
		if err == nil {
			y, err = apply(pointwise{name: "Log"}, y)
		}
		if err == nil {
			y, err = apply(pairing{"Add"}, y, largest)
		}
		if err != nil {
			return nil, err
		}
		return reshape(y, p.whole.Clone())
	})
}

// ReduceMax is the largest element along axes, which are given as for
// [ReduceSum], in their case from opset 18 on as an input. NaN is the largest of
// all; of no elements it is minus infinity, or the least that an integer can be.
// Elements that are equally large get equal shares of the gradient.
func ReduceMax(n onnx.Node, inputs ...*G.Node) ([]*G.Node, error) {
	return reduceTo("ReduceMax", true, n, inputs)
}

// ReduceMin is the smallest element: see [ReduceMax].
func ReduceMin(n onnx.Node, inputs ...*G.Node) ([]*G.Node, error) {
	return reduceTo("ReduceMin", false, n, inputs)
}

func reduceTo(op string, largest bool, n onnx.Node, inputs []*G.Node) ([]*G.Node, error) {
	return build(op, n, inputs, func(c *call) (*G.Node, error) {
		p, _, err := c.reduced()
		if err != nil {
			return nil, err
		}
		return c.apply(extreme{p, largest}, c.inputs[0])
	})
}

// reduced are the places where the elements of the input are reduced to, and how
// many there are for each result.
func (c *call) reduced() (p places, terms int, err error) {
	keep, err := c.boolean("keepdims", true)
	if err != nil {
		return p, 0, err
	}
	none, err := c.boolean("noop_with_empty_axes", false)
	if err != nil {
		return p, 0, err
	}
	list, _, err := c.integers("axes")
	if err != nil {
		return p, 0, err
	}
	if c.version.max == 2 {
		if list, _, err = c.static(1, "axes"); err != nil {
			return p, 0, err
		}
	}
	reduced, err := c.axes(list, c.rank())
	if err != nil {
		return p, 0, err
	}
	shape := c.shape(0).Clone()
	var kept, whole tensor.Shape // kept leaves the reduced axes out
	terms = 1
	for d, n := range shape {
		if len(list) == 0 {
			reduced[d] = !none
		}
		switch {
		case !reduced[d]:
			whole, kept = append(whole, n), append(kept, n)
		default:
			whole = append(whole, 1)
			terms *= n
		}
	}
	p = expanded(whole, shape)
	if p.whole = kept; keep {
		p.whole = whole
	}
	return p, terms, nil
}
