package gather

// Other layers: shape shapes/segments.go, tensors internal/core/softmax.go, loops
// internal/bag/softmax.go, without a graph dense/segments.go, gradient
// diff/softmax.go, oracle internal/oracle/softmax.go.

import (
	"gorgonia.org/gather/diff"
	"gorgonia.org/gather/internal/core"
	"gorgonia.org/gather/internal/graph"
	"gorgonia.org/gather/internal/plan"
	G "gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

// SegmentSoftmax is the softmax over the rows of each segment, column by column:
//
//	out[p, d…] = exp(data[p, d…] - m) / Σ exp(data[q, d…] - m)    over all q with segmentIDs[q] = segmentIDs[p]
//
// where m is the greatest of them. It is the attention over the neighbours of a node:
// PyTorch Geometric's softmax, for ids in ascending order. data is float32 or float64,
// and the result has its shape; shapes and ids are those of [SegmentSum]. With [Skip] a
// row whose id is out of range is 0, and so is its gradient. A column of -Inf alone
// gives NaN.
//
// With y the result and g its gradient, the gradient of data is y·(g - Σ g·y) over the
// segment. That has a gradient, too: there is a second derivative, and no third.
//
// Options: [WithOutOfRange], [WithPadding]. Errors: as for [SegmentSum].
func SegmentSoftmax(data, segmentIDs *G.Node, numSegments int, opts ...Option) (*G.Node, error) {
	p, d, err := describe(plan.SegmentSoftmax, 0, numSegments, []*G.Node{data, segmentIDs}, opts, func(p plan.Params, dst *tensor.Dense, in []tensor.Tensor) (*tensor.Dense, error) {
		return core.Softmax.Apply(p, dst, in[1], in[0])
	})
	if err != nil {
		return nil, err
	}
	return graph.Apply(&segmentSoftmaxOp{graph.New(d), p}, data, segmentIDs)
}

// segmentSoftmaxOp is an operator of (data, segmentIDs).
type segmentSoftmaxOp struct {
	graph.Operator
	params plan.Params
}

// Params says what the operator does.
func (op *segmentSoftmaxOp) Params() plan.Params { return op.params }

// DiffWRT is true for data, and false for segment ids.
func (op *segmentSoftmaxOp) DiffWRT(int) []bool { return []bool{true, false} }

// SymDiff gives the gradient of data, made of the result.
func (op *segmentSoftmaxOp) SymDiff(inputs G.Nodes, output, grad *G.Node) (G.Nodes, error) {
	if err := graph.CheckSymDiff(op, inputs, grad); err != nil {
		return nil, err
	}
	data, err := diff.SegmentSoftmaxGrad(op, grad, output, inputs[1])
	return G.Nodes{data, nil}, err
}

// DoDiff adds the gradient of data to its own, in place.
func (op *segmentSoftmaxOp) DoDiff(_ G.ExecutionContext, inputs G.Nodes, output *G.Node) error {
	return diff.AddSegmentTo(op, inputs, output)
}

var (
	_ G.SDOp        = (*segmentSoftmaxOp)(nil)
	_ G.ADOp        = (*segmentSoftmaxOp)(nil)
	_ diff.Operator = (*segmentSoftmaxOp)(nil)
)
