package opset

import (
	"gorgonia.org/gather"
	"gorgonia.org/gather/dense"
	"gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

// An Operator is what does an operator's work with and without a graph. The two
// get the same call and differ in nothing else.
type Operator struct {
	Apply func(c *Call, in []*gorgonia.Node) (*gorgonia.Node, error)
	Eval  func(c *Call, in []tensor.Tensor) (*tensor.Dense, error)
}

// The operators that both specifications have, whatever they call them.
var (
	Gather = Operator{
		Apply: func(c *Call, in []*gorgonia.Node) (*gorgonia.Node, error) {
			return gather.Gather(in[0], in[1], c.Axis, c.Options()...)
		},
		Eval: func(c *Call, in []tensor.Tensor) (*tensor.Dense, error) {
			return dense.Gather(in[0], in[1], c.Axis, c.Options()...)
		},
	}
	GatherElements = Operator{
		Apply: func(c *Call, in []*gorgonia.Node) (*gorgonia.Node, error) {
			return gather.GatherElements(in[0], in[1], c.Axis, c.Options()...)
		},
		Eval: func(c *Call, in []tensor.Tensor) (*tensor.Dense, error) {
			return dense.GatherElements(in[0], in[1], c.Axis, c.Options()...)
		},
	}
	GatherND = Operator{
		Apply: func(c *Call, in []*gorgonia.Node) (*gorgonia.Node, error) {
			return gather.GatherND(in[0], in[1], c.Options()...)
		},
		Eval: func(c *Call, in []tensor.Tensor) (*tensor.Dense, error) {
			return dense.GatherND(in[0], in[1], c.Options()...)
		},
	}
	ScatterElements = Operator{
		Apply: func(c *Call, in []*gorgonia.Node) (*gorgonia.Node, error) {
			return gather.ScatterElements(in[0], in[1], in[2], c.Axis, c.Options()...)
		},
		Eval: func(c *Call, in []tensor.Tensor) (*tensor.Dense, error) {
			return dense.ScatterElements(in[0], in[1], in[2], c.Axis, c.Options()...)
		},
	}
	ScatterND = Operator{
		Apply: func(c *Call, in []*gorgonia.Node) (*gorgonia.Node, error) {
			return gather.ScatterND(in[0], in[1], in[2], c.Options()...)
		},
		Eval: func(c *Call, in []tensor.Tensor) (*tensor.Dense, error) {
			return dense.ScatterND(in[0], in[1], in[2], c.Options()...)
		},
	}
)
