package gather

// Other layers: shape shapes/segments.go, tensors internal/core/segment.go, loops
// internal/bag/scatter.go, without a graph dense/segments.go, gradient
// diff/segment.go, oracle internal/oracle/segment.go.

import (
	"gorgonia.org/gather/diff"
	"gorgonia.org/gather/internal/graph"
	"gorgonia.org/gather/internal/plan"
	G "gorgonia.org/gorgonia"
)

// SegmentSum is the sum of the rows of each segment:
//
//	out[s, d…] = Σ data[p, d…]    over all p with segmentIDs[p] = s
//
// data has the shape (n, d…) and rank 1 or more, of any integer, float or complex
// number; segmentIDs are (n) of any integer dtype, ascending and within
// [0, numSegments): one that is not is an [*IndexError] whose Argument is "segmentIDs".
// With [Skip] its row is left out instead. The result is (numSegments, d…); a segment
// without rows is zeros, or what [WithEmptySegment] says.
//
// The gradient of a row is that of its segment. It has gradients of any order.
//
// Options: [WithEmptySegment], [WithOutOfRange], [WithPadding]. Errors: as for
// [EmbeddingBagOffsets].
//
// TensorFlow and JAX call it segment_sum, PyTorch segment_reduce.
func SegmentSum(data, segmentIDs *G.Node, numSegments int, opts ...Option) (*G.Node, error) {
	return applySegment(plan.SegmentSum, data, segmentIDs, numSegments, opts)
}

// SegmentMean is the mean of the rows of each segment. That of integers is exact and
// rounded toward minus infinity. The gradient of a row is that of its segment divided by
// the number of its rows. Otherwise it is like [SegmentSum].
func SegmentMean(data, segmentIDs *G.Node, numSegments int, opts ...Option) (*G.Node, error) {
	return applySegment(plan.SegmentMean, data, segmentIDs, numSegments, opts)
}

// SegmentMin is the least of the rows of each segment, element by element. A NaN makes
// it NaN; complex numbers have none. The gradient of an element is divided between the
// rows that have the least value there, and cannot be differentiated again. Otherwise it is like
// [SegmentSum].
func SegmentMin(data, segmentIDs *G.Node, numSegments int, opts ...Option) (*G.Node, error) {
	return applySegment(plan.SegmentMin, data, segmentIDs, numSegments, opts)
}

// SegmentProd is the product of the rows of each segment, element by element. The
// gradient of a row is that of its segment times the other rows, exact with any number
// of zeros, and can be differentiated again. Otherwise it is like [SegmentSum].
func SegmentProd(data, segmentIDs *G.Node, numSegments int, opts ...Option) (*G.Node, error) {
	return applySegment(plan.SegmentProd, data, segmentIDs, numSegments, opts)
}

// segmentOp is a reduction of segments, an operator of (data, segmentIDs).
type segmentOp struct {
	graph.Operator
	params plan.Params
}

func applySegment(name plan.Op, data, segmentIDs *G.Node, numSegments int, opts []Option) (*G.Node, error) {
	p, d, err := describe(name, 0, numSegments, []*G.Node{data, segmentIDs}, opts, runBag)
	if err != nil {
		return nil, err
	}
	return graph.Apply(&segmentOp{graph.New(d), p}, data, segmentIDs)
}

// Params says what the operator does.
func (op *segmentOp) Params() plan.Params { return op.params }

// DiffWRT is true for data, unless it is integers, and false for segment ids.
func (op *segmentOp) DiffWRT(int) []bool { return []bool{graph.Differentiable(op, 0), false} }

// SymDiff gives the gradient of data.
func (op *segmentOp) SymDiff(inputs G.Nodes, _, grad *G.Node) (G.Nodes, error) {
	if err := graph.CheckSymDiff(op, inputs, grad); err != nil {
		return nil, err
	}
	data, err := diff.SegmentGrad(op, grad, inputs[0], inputs[1])
	return G.Nodes{data, nil}, err
}

// DoDiff adds the gradient of data to its own, in place.
func (op *segmentOp) DoDiff(_ G.ExecutionContext, inputs G.Nodes, output *G.Node) error {
	if !graph.Differentiable(op, 0) {
		return nil
	}
	return diff.AddSegmentTo(op, inputs, output)
}

var (
	_ G.SDOp        = (*segmentOp)(nil)
	_ G.ADOp        = (*segmentOp)(nil)
	_ diff.Operator = (*segmentOp)(nil)
)
