package builders

import (
	"math"

	"gorgonia.org/gather/onnx"
	G "gorgonia.org/gorgonia"
)

// Max is the largest of its inputs, element by element, whose shapes are
// broadcast to each other as for [Add]; NaN where one of them is NaN. Where two
// are equally large each gets half of the gradient. Opsets from 8 on; float and
// double, from opset 12 on integers.
func Max(n onnx.Node, inputs ...*G.Node) ([]*G.Node, error) { return chain("Max", "Max", n, inputs) }

// Min is the smallest of its inputs: see [Max].
func Min(n onnx.Node, inputs ...*G.Node) ([]*G.Node, error) { return chain("Min", "Min", n, inputs) }

// Sum is the sum of its inputs, whose shapes are broadcast to each other as for
// [Add]. Opsets from 8 on; float and double.
func Sum(n onnx.Node, inputs ...*G.Node) ([]*G.Node, error) { return chain("Sum", "Add", n, inputs) }

// Mean is [Sum] divided by the number of inputs.
func Mean(n onnx.Node, inputs ...*G.Node) ([]*G.Node, error) {
	y, err := chain("Mean", "Add", n, inputs)
	if err != nil || len(inputs) == 1 {
		return y, err
	}
	y[0], err = apply(scaling{1 / float64(len(inputs))}, y[0])
	return y, err
}

// chain applies arithmetic on two operands to any number of them, one after the
// other. A single one is its own result.
func chain(op, pair string, n onnx.Node, inputs []*G.Node) ([]*G.Node, error) {
	return build(op, n, inputs, func(c *call) (*G.Node, error) {
		y := c.inputs[0]
		for _, x := range c.inputs[1:] {
			var err error
			if y, err = apply(pairing{pair}, y, x); err != nil {
				return nil, err
			}
		}
		return y, nil
	})
}

// Clip cuts X off at min and max, inputs of one element since opset 11, of which
// either may be left out and is the least or greatest finite number then; where min
// is above max the result is max. What is cut
// off has no gradient, the bound has it; so it is at the bound itself. Opsets from
// 6 on; float and double, from opset 12 on integers.
func Clip(n onnx.Node, inputs ...*G.Node) ([]*G.Node, error) {
	return build("Clip", n, inputs, func(c *call) (*G.Node, error) {
		if c.version.since < 11 {
			low, err := c.real("min", -math.MaxFloat32)
			if err != nil {
				return nil, err
			}
			high, err := c.real("max", math.MaxFloat32)
			if err != nil {
				return nil, err
			}
			return apply(pointwise{"Clip", low, high}, c.inputs[0])
		}
		low, high := c.input(1), c.input(2)
		nodes := []*G.Node{c.inputs[0]}
		for _, bound := range []*G.Node{low, high} {
			if bound != nil {
				nodes = append(nodes, bound)
			}
		}
		return apply(clipping{low != nil, high != nil}, nodes...)
	})
}

// Mod is the rest of the division A / B, with the sign of B; with fmod, which
// floats need before opset 28, with that of A. The shapes are broadcast to each
// other as for [Add]. An integer modulo zero is an error when the graph runs.
// Opsets from 10 on.
func Mod(n onnx.Node, inputs ...*G.Node) ([]*G.Node, error) {
	return build("Mod", n, inputs, func(c *call) (*G.Node, error) {
		fmod, err := c.boolean("fmod", false)
		if err != nil {
			return nil, err
		}
		if fmod {
			return apply(pairing{truncated}, c.inputs...)
		}
		if isFloat(c.inputs[0].Dtype()) && c.version.since < 28 {
			return nil, orOption(nil, "fmod is 0, floats need 1 before opset 28")
		}
		return apply(pairing{"Mod"}, c.inputs...)
	})
}
