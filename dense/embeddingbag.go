package dense

import (
	"gorgonia.org/gather/internal/core"
	"gorgonia.org/gather/internal/plan"
	"gorgonia.org/tensor"
)

// EmbeddingBagOffsets reduces bags of rows of a table, without writing the rows out.
// Bag b has the positions p from offsets[b] to offsets[b+1]-1, the last one to n-1:
//
//	out[b, d…] = Σ weights[p] · table[indices[p], d…]    over the positions p of bag b
//
// or, by [WithReduction], over the weights w of its positions, which are 1 if there are none,
//
//	Mean    that sum / Σ w
//	SqrtN   that sum / √Σ w²
//	Max     the greatest of the rows, without weights
//
// Weights may be negative; a divisor of 0 gives zeros and no gradient. A bag
// without positions is zeros, or the row of [WithDefaultIndex], unweighted.
// Positions before offsets[0] are in no bag. By [WithLengths] offsets are the number of
// positions of each bag, and by [WithLastOffset] there is one more, n. PyTorch calls this
// embedding_bag, and TensorFlow embedding_lookup_sparse, with the combiners sum, mean and
// sqrtn.
//
// The table has the shape (R, d…) and rank 1 or more, indices have (n), offsets
// (bags), and weights (n), or are nil for ones; the result is (bags, d…). The table
// is of any integer or float, complex or 16-bit, and weights are like it; complex
// numbers have no Max, and they and integers no SqrtN and no Mean with weights. Indices
// and offsets are of any integer dtypes; offsets are
// ascending and within [0, n]. Sums begin with 0 and take the positions in order;
// integers wrap around, but their mean is exact and rounded toward minus infinity. For
// SqrtN, and for Mean with weights, each weight is divided first: Σ w and Σ w² are made in
// float64, and the quotient is rounded to the dtype.
// A NaN makes the maximum NaN.
//
// An index out of range, with [ZeroFill], or the padding of [WithPadding] takes no part, and
// the mean does not count it. A bag that has only such indices counts as one without
// positions. Inputs that are not row-major may be copied.
//
// Options: [WithReduction], [WithDefaultIndex], [WithLengths], [WithLastOffset],
// [WithOutOfRange], [WithPadding], [WithNonNegativeIndices], [WithReuse]. Errors: [ErrShape],
// for offsets out of order, too, [ErrDtype], [ErrOption], [ErrLayout], [*IndexError].
//
// Sources: OpenVINO EmbeddingBagOffsetsSum-3, EmbeddingBagOffsets-15.
func EmbeddingBagOffsets(table, indices, offsets, weights tensor.Tensor, opts ...Option) (*tensor.Dense, error) {
	in := core.BagInputs{Table: table, Indices: indices, Borders: offsets, Weights: weights}
	return bag(plan.EmbeddingBagOffsets, 0, in, opts)
}

// EmbeddingBagPacked reduces bags of rows of a table that all have the same number
// of positions: bag b is row b of indices.
//
//	out[b, d…] = Σ weights[b, p] · table[indices[b, p], d…]    over p
//
// Indices have the shape (bags, k), and weights the same, or are nil for ones.
// Otherwise it is like [EmbeddingBagOffsets]; there is no default row.
//
// Options: [WithReduction], [WithOutOfRange], [WithPadding], [WithNonNegativeIndices],
// [WithReuse]. Errors: as for [EmbeddingBagOffsets].
//
// Sources: OpenVINO EmbeddingBagPackedSum-3, EmbeddingBagPacked-15.
func EmbeddingBagPacked(table, indices, weights tensor.Tensor, opts ...Option) (*tensor.Dense, error) {
	in := core.BagInputs{Table: table, Indices: indices, Weights: weights}
	return bag(plan.EmbeddingBagPacked, 0, in, opts)
}

// EmbeddingSegments reduces bags of rows of a table, where each position has the
// number of its bag:
//
//	out[s, d…] = Σ weights[p] · table[indices[p], d…]    over all p with segmentIDs[p] = s
//
// Indices, segmentIDs and weights, unless they are nil for ones, have the shape
// (n); the result is (numSegments, d…). segmentIDs are of any integer dtype,
// ascending, and within [0, numSegments): one that is not is an [*IndexError] whose
// Argument is "segmentIDs". Otherwise it is like [EmbeddingBagOffsets].
//
// Options and errors: as for [EmbeddingBagOffsets], but WithLengths and WithLastOffset.
//
// Source: OpenVINO EmbeddingSegmentsSum-3.
func EmbeddingSegments(table, indices, segmentIDs, weights tensor.Tensor, numSegments int, opts ...Option) (*tensor.Dense, error) {
	in := core.BagInputs{Table: table, Indices: indices, Borders: segmentIDs, Weights: weights}
	return bag(plan.EmbeddingSegments, numSegments, in, opts)
}

// SegmentMax is the greatest of the rows of each segment:
//
//	out[s, d…] = max data[p, d…]    over all p with segmentIDs[p] = s
//
// data has the shape (n, d…) and rank 1 or more, of any integer or real float;
// segmentIDs are (n) of any integer dtype, ascending and within [0, numSegments). With
// [Skip] a row whose id is outside of that is left out. The result is (numSegments, d…);
// a segment without rows is zeros, or what [WithEmptySegment] says, or by [WithFillMode]
// the lowest number. A NaN makes the maximum NaN.
//
// Options: [WithEmptySegment], [WithFillMode], [WithOutOfRange], [WithPadding], [WithReuse].
// Errors: as for [EmbeddingBagOffsets].
//
// Source: OpenVINO SegmentMax-16.
func SegmentMax(data, segmentIDs tensor.Tensor, numSegments int, opts ...Option) (*tensor.Dense, error) {
	return bag(plan.SegmentMax, numSegments, core.BagInputs{Table: data, Borders: segmentIDs}, opts)
}

func bag(op plan.Op, numSegments int, in core.BagInputs, opts []Option) (*tensor.Dense, error) {
	var p plan.Params
	dst, err := p.Resolve(op, 0, opts...)
	if err != nil {
		return nil, err
	}
	p.NumSegments = numSegments
	return core.Bag(&p, dst, &in)
}
