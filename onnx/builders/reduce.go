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
		y, _, err := c.reduce()
		return y, err
	})
}

// ReduceMean is [ReduceSum] divided by the number of terms, NaN for none of
// them. float and double are allowed.
func ReduceMean(n onnx.Node, inputs ...*G.Node) ([]*G.Node, error) {
	return build("ReduceMean", n, inputs, func(c *call) (*G.Node, error) {
		y, terms, err := c.reduce()
		if err != nil || terms == 1 {
			return y, err
		}
		return apply(scaling{1 / float64(terms)}, y)
	})
}

// reduce sums, and says how many terms each sum has.
func (c *call) reduce() (*G.Node, int, error) {
	keep, err := c.boolean("keepdims", true)
	if err != nil {
		return nil, 0, err
	}
	none, err := c.boolean("noop_with_empty_axes", false)
	if err != nil {
		return nil, 0, err
	}
	list, _, err := c.integers("axes")
	if err != nil {
		return nil, 0, err
	}
	if c.version.max == 2 {
		if list, _, err = c.static(1, "axes"); err != nil {
			return nil, 0, err
		}
	}
	reduced, err := c.axes(list, c.rank())
	if err != nil {
		return nil, 0, err
	}
	shape := c.shape(0)
	p := places{part: shape}
	var kept tensor.Shape // with the reduced axes left out
	var whole tensor.Shape
	terms := 1
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
	y, err := c.apply(summing{p}, c.inputs[0])
	return y, terms, err
}
