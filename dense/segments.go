package dense

import (
	"gorgonia.org/gather/internal/core"
	"gorgonia.org/gather/internal/plan"
	"gorgonia.org/tensor"
)

// SegmentSum is the sum of the rows of each segment:
//
//	out[s, d…] = Σ data[p, d…]    over all p with segmentIDs[p] = s
//
// data has the shape (n, d…) and rank 1 or more, of any integer, float or complex
// number; segmentIDs are (n) of any integer dtype, ascending and within
// [0, numSegments): one that is not is an [*IndexError] whose Argument is "segmentIDs".
// With [Skip] its row is left out instead. The result is (numSegments, d…); a segment
// without rows is zeros, or what [WithEmptySegment] says. Sums take the rows in order,
// whatever the number of threads; integers wrap around.
//
// Options: [WithEmptySegment], [WithOutOfRange], [WithPadding], [WithReuse]. Errors: [ErrShape],
// for ids out of order, too, [ErrDtype], [ErrOption], [ErrLayout], [*IndexError].
//
// TensorFlow and JAX call it segment_sum, PyTorch segment_reduce.
func SegmentSum(data, segmentIDs tensor.Tensor, numSegments int, opts ...Option) (*tensor.Dense, error) {
	return segment(plan.SegmentSum, data, segmentIDs, numSegments, opts)
}

// SegmentMean is the mean of the rows of each segment. That of integers is exact and
// rounded toward minus infinity. Otherwise it is like [SegmentSum].
func SegmentMean(data, segmentIDs tensor.Tensor, numSegments int, opts ...Option) (*tensor.Dense, error) {
	return segment(plan.SegmentMean, data, segmentIDs, numSegments, opts)
}

// SegmentMin is the least of the rows of each segment, element by element. A NaN makes
// it NaN; complex numbers have none. Otherwise it is like [SegmentSum].
func SegmentMin(data, segmentIDs tensor.Tensor, numSegments int, opts ...Option) (*tensor.Dense, error) {
	return segment(plan.SegmentMin, data, segmentIDs, numSegments, opts)
}

// SegmentProd is the product of the rows of each segment, element by element. Otherwise
// it is like [SegmentSum].
func SegmentProd(data, segmentIDs tensor.Tensor, numSegments int, opts ...Option) (*tensor.Dense, error) {
	return segment(plan.SegmentProd, data, segmentIDs, numSegments, opts)
}

func segment(op plan.Op, data, segmentIDs tensor.Tensor, numSegments int, opts []Option) (*tensor.Dense, error) {
	var p plan.Params
	dst, err := p.Resolve(op, 0, opts...)
	if err != nil {
		return nil, err
	}
	p.NumSegments = numSegments
	return core.Bag(&p, dst, &core.BagInputs{Table: data, Borders: segmentIDs})
}

// SegmentSoftmax is the softmax over the rows of each segment, column by column:
//
//	out[p, d…] = exp(data[p, d…] - m) / Σ exp(data[q, d…] - m)    over all q with segmentIDs[q] = segmentIDs[p]
//
// where m is the greatest of them. It is the attention over the neighbours of a node:
// PyTorch Geometric's softmax, for ids in ascending order. data is float32 or float64,
// and the result has its shape; shapes and ids are those of [SegmentSum]. With [Skip] a
// row whose id is out of range is 0. A column of -Inf alone gives NaN.
//
// Options: [WithOutOfRange], [WithPadding], [WithReuse]. Errors: as for [SegmentSum].
func SegmentSoftmax(data, segmentIDs tensor.Tensor, numSegments int, opts ...Option) (*tensor.Dense, error) {
	var p plan.Params
	dst, err := p.Resolve(plan.SegmentSoftmax, 0, opts...)
	if err != nil {
		return nil, err
	}
	p.NumSegments = numSegments
	return core.Softmax.Apply(p, dst, segmentIDs, data)
}
