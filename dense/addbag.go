package dense

import (
	"gorgonia.org/gather/internal/core"
	"gorgonia.org/gather/internal/plan"
	"gorgonia.org/tensor"
)

// AddEmbeddingBagOffsets adds the gradient of the table of [EmbeddingBagOffsets],
// given updates, that of the result, to dst:
//
//	dst[indices[p], d…] += weights[p] · updates[b, d…]    for each position p of bag b
//
// With [Mean], updates are divided by the sum of the weights of the bag's positions that
// count, which are 1 if there are none, with [SqrtN] by the root of the sum of their squares,
// and with [Max] an element is divided between the positions that have the greatest value
// there, NaN equalling NaN. The updates of an empty bag go to its default row. Complex
// weights are conjugated.
//
// dst has the table's shape and dtype, any that the operator takes, and any memory
// layout; integers have a gradient of sums alone. updates have the shape of the result
// and dst's dtype. The table is needed for Max, and may be nil otherwise. Sums are
// in the order of the positions, whatever the number of threads. dst must not
// overlap another argument; on an error it is unchanged. If its own elements share memory, as
// with strides of 0, what they hold afterwards is not defined.
//
// Options: those of [EmbeddingBagOffsets] but WithReuse. Errors: the same.
func AddEmbeddingBagOffsets(dst, updates, table, indices, offsets, weights tensor.Tensor, opts ...Option) error {
	in := core.BagInputs{Table: table, Indices: indices, Borders: offsets, Weights: weights}
	return addBag(dst, updates, plan.EmbeddingBagOffsets, 0, in, opts)
}

// AddEmbeddingBagPacked is to [EmbeddingBagPacked] what [AddEmbeddingBagOffsets] is
// to EmbeddingBagOffsets.
func AddEmbeddingBagPacked(dst, updates, table, indices, weights tensor.Tensor, opts ...Option) error {
	in := core.BagInputs{Table: table, Indices: indices, Weights: weights}
	return addBag(dst, updates, plan.EmbeddingBagPacked, 0, in, opts)
}

// AddEmbeddingSegments is to [EmbeddingSegments] what [AddEmbeddingBagOffsets] is to
// EmbeddingBagOffsets.
func AddEmbeddingSegments(dst, updates, table, indices, segmentIDs, weights tensor.Tensor, numSegments int, opts ...Option) error {
	in := core.BagInputs{Table: table, Indices: indices, Borders: segmentIDs, Weights: weights}
	return addBag(dst, updates, plan.EmbeddingSegments, numSegments, in, opts)
}

// AddSegmentMax adds the gradient of data of [SegmentMax], given updates, that of
// the result, to dst: each element of updates is divided between the rows of its
// segment that have the greatest value there. dst and data are floats. Otherwise it
// is like [AddEmbeddingBagOffsets].
//
// The gradient of [SegmentSum] is [Gather] of updates by segmentIDs along axis 0, with [ZeroFill] and
// [WithNonNegativeIndices] where Skip has left rows out. That of [SegmentMean] is the same of
// updates divided by the rows of each segment, and that of [SegmentMin] is AddSegmentMax
// with -data. Those of [SegmentProd] and [SegmentSoftmax] are in graphs alone: see
// [gorgonia.org/gather/diff.SegmentGrad].
func AddSegmentMax(dst, updates, data, segmentIDs tensor.Tensor, numSegments int, opts ...Option) error {
	return addBag(dst, updates, plan.SegmentMax, numSegments, core.BagInputs{Table: data, Borders: segmentIDs}, opts)
}

func addBag(dst, updates tensor.Tensor, op plan.Op, numSegments int, in core.BagInputs, opts []Option) error {
	var p plan.Params
	if err := p.ForAdjoint(op, 0, opts...); err != nil {
		return err
	}
	p.NumSegments = numSegments
	return core.AddBag(p, dst, updates, in)
}
