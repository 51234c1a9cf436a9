package builders

import (
	"slices"

	"gorgonia.org/gather"
	"gorgonia.org/gather/dense"
	"gorgonia.org/gather/internal/fault"
	"gorgonia.org/gather/onnx"
	G "gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

// NegativeLogLikelihoodLoss is minus the log-probability of the target class, times the
// weight of that class:
//
//	input (n, c, …), target (n, …), weight (c) → (n, …), or a scalar
//
// reduction mean, the default, is the sum divided by the sum of the weights, which are 1
// unless given; sum and none are what they say. Targets that are ignore_index count
// nothing. Input and weight have gradients. float and double. Opsets from 12 on.
func NegativeLogLikelihoodLoss(n onnx.Node, inputs ...*G.Node) ([]*G.Node, error) {
	return build("NegativeLogLikelihoodLoss", n, inputs, func(c *call) (*G.Node, error) { return c.likelihood(c.inputs[0]) })
}

// SoftmaxCrossEntropyLoss is [NegativeLogLikelihoodLoss] of the LogSoftmax of scores along
// their second axis, which is the second result.
func SoftmaxCrossEntropyLoss(n onnx.Node, inputs ...*G.Node) ([]*G.Node, error) {
	return buildAll("SoftmaxCrossEntropyLoss", n, inputs, func(c *call) ([]*G.Node, error) {
		if c.rank() < 2 {
			return nil, fault.Errorf(dense.ErrShape, "scores of shape %v, ranks of at least 2 are allowed", c.shape(0))
		}
		logs, err := apply(softmax{true, linesOf(c.shape(0).Clone(), 1)}, c.inputs[0])
		if err != nil {
			return nil, err
		}
		out := []*G.Node{nil, nil}
		if out[0], err = c.likelihood(logs); len(c.node.Outputs) == 0 || c.wants(1) {
			out[1] = logs
		}
		return out, err
	})
}

// likelihood is the loss for log-probabilities.
func (c *call) likelihood(logs *G.Node) (*G.Node, error) {
	shape, target := logs.Shape().Clone(), c.shape(1).Clone()
	if len(shape) < 2 || !slices.Equal(target, slices.Delete(shape.Clone(), 1, 2)) {
		return nil, fault.Errorf(dense.ErrShape, "input of shape %v and target of shape %v", shape, target)
	}
	weight := c.input(2)
	if weight != nil && !slices.Equal(weight.Shape(), tensor.Shape{shape[1]}) {
		return nil, fault.Errorf(dense.ErrShape, "weight of shape %v, (%d) is allowed", weight.Shape(), shape[1])
	}
	reduction, err := c.text("reduction", "mean", "mean", "none", "sum")
	if err != nil {
		return nil, err
	}
	f := classes{op: c.op, n: shape[1]}
	_, f.ignores = c.node.Attributes["ignore_index"]
	if f.ignore, err = c.integer("ignore_index", 0); err != nil {
		return nil, err
	}
	places, err := apply(f, c.inputs[1])
	if err != nil {
		return nil, err
	}
	// The place of an ignored target is no place, where a gather gives 0.
	fill := gather.WithOutOfRange(gather.ZeroFill)
	picked, err := gather.GatherElements(logs, places, 1, fill)
	if err != nil {
		return nil, err
	}
	var weights *G.Node
	switch {
	case weight != nil:
		if weights, err = gather.Gather(weight, places, 0, fill); err == nil {
			picked, err = apply(pairing{"Mul"}, picked, weights)
		}
	case f.ignores && reduction == "mean":
		weights, err = apply(counted{logs.Dtype(), f.n}, places)
	}
	if err != nil {
		return nil, err
	}
	loss, err := apply(pointwise{name: "Neg"}, picked)
	if err != nil {
		return nil, err
	}
	if reduction == "none" {
		return reshape(loss, target)
	}
	size := count(target)
	if loss, err = total(loss); err != nil || reduction == "sum" {
		return loss, err
	}
	if weights == nil {
		return apply(scaling{1 / float64(size)}, loss)
	}
	if weights, err = total(weights); err != nil {
		return nil, err
	}
	return apply(pairing{"Div"}, loss, weights)
}

// total is the sum of all elements.
func total(n *G.Node) (*G.Node, error) {
	shape := n.Shape().Clone()
	return apply(summing{expanded(tensor.Shape{}, shape)}, n)
}
